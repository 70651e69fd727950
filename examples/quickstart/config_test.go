package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/examples/quickstart/sampleclient"
	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
)

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "service.json")
	ok(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestEmptyConfigHasDefaults(t *testing.T) {
	path := writeConfig(t, `{}`)
	got := must(loadConfig(path))(t)
	want := config{Listen: "127.0.0.1:8080", environment: environment{Data: filepath.Join(filepath.Dir(path), "data")}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(config{}, environment{}), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestSandboxInheritsTheVocabularyButNoPeople(t *testing.T) {
	cfg, err := loadConfig(writeConfig(t, `{
		"data": "/srv/id", "brand": {"name": "Acme ID"},
		"groups": [{"name": "staff"}], "scopes": [{"name": "work", "groups": ["staff"]}],
		"password_min_length": 12, "lifetimes": {"session": "1h"}, "limits": {"mail": {"burst": 7, "every": "1m"}},
		"users": [{"email": "maria@example.com"}], "clients": [{"client_id": "shop", "dialect": "v3"}],
		"sandbox": {}
	}`))
	ok(t, err)
	want := &environment{
		Config: provider.Config{
			Groups: []catalogue.Group{{Name: "staff"}}, Scopes: []catalogue.Scope{{Name: "work", Groups: []string{"staff"}}},
			PasswordMinLength: 12, Lifetimes: provider.Lifetimes{Session: time.Hour},
			Limits: provider.Limits{Mail: provider.Limit{Burst: 7, Every: time.Minute}},
		},
		Data: "/srv/id/sandbox", Brand: brand{Brand: provider.Brand{Name: "Acme ID"}},
	}
	if diff := cmp.Diff(want, cfg.Sandbox, cmp.AllowUnexported(environment{}), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("sandbox (-want +got):\n%s", diff)
	}
}

func TestUnknownKeysAreRefusedByName(t *testing.T) {
	for text, key := range map[string]string{
		`{"listne": "127.0.0.1:1"}`:                                  "listne",
		`{"Listen": "127.0.0.1:1"}`:                                  "Listen",
		`{"brand": {"colour": "#fff"}}`:                              "brand.colour",
		`{"users": [{}, {"status": [{"verifed": true}]}]}`:           "users[1].status[0].verifed",
		`{"clients": [{"redirect_url": "https://x.test"}]}`:          "clients[0].redirect_url",
		`{"sandbox": {"listen": "127.0.0.1:1"}}`:                     "sandbox.listen",
		`{"sample_client": {"name": "x"}}`:                           "sample_client.name",
		`{"scopes": [{"name": "military", "attribute": ["uuid"]}]}`:  "scopes[0].attribute",
		`{"users": [{"attributes": {"fname": "any"}, "roles": []}]}`: "users[0].roles",
		`{"sandbox": {"sandbox": true}}`:                             "sandbox.sandbox",
		`{"users": [{"status": [{"revision": 1}]}]}`:                 "users[0].status[0].revision",
		`{"Secret": "c2VjcmV0"}`:                                     "Secret",
		`{"-": "c2VjcmV0"}`:                                          "-",
		`{"lifetimes": {"cod": "1m"}}`:                               "lifetimes.cod",
		`{"limits": {"mail": {"Burst": 1}}}`:                         "limits.mail.Burst",
		`{"sign_in": {"passkeys": {"of": true}}}`:                    "sign_in.passkeys.of",
		`{"sign_in": {"recovery": {"waits": "96h"}}}`:                "sign_in.recovery.waits",
		`{"sign_in": {"classes": {"aal.2": {"max": "1h"}}}}`:         "sign_in.classes.aal.2.max",
		`{"scopes": [{"requires": {"level": "phr"}}]}`:               "scopes[0].requires.level",
		`{"clients": [{"requires": {"maxage": "1h"}}]}`:              "clients[0].requires.maxage",
	} {
		_, err := loadConfig(writeConfig(t, text))
		if want := fmt.Sprintf("unknown key %q", key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %s", text, err, want)
		}
	}
}

func TestBadValuesAreRefusedByKey(t *testing.T) {
	for text, want := range map[string]string{
		`{"listen": 8080}`:                                        `key "listen"`,
		`{"users": "nobody"}`:                                     `key "users"`,
		`{"clients": [{}, {"public": "yes"}]}`:                    `key "clients[1].public": cannot be a string`,
		`{"trusted_proxies": ["10.0.0.0/8", "ten"]}`:              `trusted_proxies[1]: is not an address or a network`,
		`{"users": [{"status": [{"expires_at": "tomorrow"}]}]}`:   `users[0].status[0].expires_at: is not a time such as`,
		`{"lifetimes": {"code": 60}}`:                             `key "lifetimes.code": cannot be a number`,
		`{"lifetimes": {"code": "soon"}}`:                         `lifetimes.code: is not a duration such as`,
		`{"limits": {"mail": {"burst": 1, "every": "1"}}}`:        `limits.mail.every: is not a duration`,
		`{"sign_in": {"require": "three_factors"}}`:               `sign_in.require: is not a level of assurance: one_factor`,
		`{"sign_in": {"require": 2}}`:                             `key "sign_in.require": cannot be a number`,
		`{"sign_in": {"trust_devices": "a month"}}`:               `sign_in.trust_devices: is not a duration`,
		`{"sign_in": {"classes": {"aal.2": {"assurance": "2"}}}}`: `sign_in.classes.aal.2.assurance: is not a level`,
		`{"scopes": [{"requires": {"assurance": "phr"}}]}`:        `scopes[0].requires.assurance: is not a level`,
		`{"clients": [{"requires": {"enrolled": "a day"}}]}`:      `clients[0].requires.enrolled: is not a duration`,
		"{\n\"listen\": oops}":                                    "line 2",
		`{} {}`:                                                   "line 1",
		`null`:                                                    "is not a JSON object",
		`[]`:                                                      "is not a JSON object",
	} {
		_, err := loadConfig(writeConfig(t, text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %s", text, err, want)
		}
	}
}

func TestWhatTheProviderRefusesIsNamedByKey(t *testing.T) {
	folder := t.TempDir() // one for all, so that the keys are made once
	for text, want := range map[string]string{
		`"base_url": "http://example.com"`:                                                         "base_url: ",
		`"brand": {"button_color": "blue"}`:                                                        "brand.button_color: ",
		`"brand": {"logo": "missing.png"}`:                                                         "brand.logo: ",
		`"texts": "nowhere"`:                                                                       "texts: read texts: ",
		`"groups": [{"name": "crew", "translations": {"german": {}}}]`:                             `groups[0].translations: "german"`,
		`"brand": {"wordmark_dark": "missing.png"}`:                                                "brand.wordmark_dark: ",
		`"brand": {"font": {"name": "A", "regular": "missing.woff2"}}`:                             "brand.font.regular: ",
		`"brand": {"font": {"name": "A;}"}}`:                                                       "brand.font.name: ",
		`"brand": {"theme": {"light": {"soft_text": "#aaaaaa"}}}`:                                  "brand.theme.light.soft_text: #aaaaaa has a contrast of 2.3:1 to the surface #ffffff, and needs 4.5:1",
		`"brand": {"theme": {"radius": "8px;color:red"}}`:                                          "brand.theme.radius: ",
		`"brand": {"scheme": "dim"}`:                                                               "brand.scheme: ",
		`"brand": {"links": [{"label": "x", "uri": "javascript:alert(1)"}]}`:                       "brand.links[0].uri: ",
		`"brand": {"code": "Acme ID"}`:                                                             "brand.code: ",
		`"brand": {"mark": "\"/><script>"}`:                                                        "brand.mark: ",
		`"scopes": [{"name": "x", "attributes": ["nope"]}]`:                                        `scopes[0].attributes: unknown attribute "nope"`,
		`"attributes": [{"handle": "size", "type": "number"}]`:                                     "attributes[0].type: ",
		`"users": [{"email": "nobody"}]`:                                                           "users[0].email: ",
		`"users": [{"uuid": "a b", "email": "a@example.com"}]`:                                     "users[0].uuid: ",
		`"users": [{"email": "a@example.com", "attributes": {"fnam": "A"}}]`:                       `users[0].attributes.fnam: `,
		`"users": [{"email": "a@example.com", "status": [{"group": "pilots"}]}]`:                   `users[0].status[0].group: "pilots"`,
		`"clients": [{"client_id": "a", "dialect": "v3"}]`:                                         "clients[0].redirect_uris: ",
		`"clients": [{"client_id": "a", "dialect": "v3", "redirect_uris": ["http://x.test/#a"]}]`:  "clients[0].redirect_uris[0]: ",
		`"clients": [{"redirect_uris": ["https://x.test/"]}]`:                                      "clients[0].client_id: ",
		`"clients": [{"client_id": "a", "dialect": "v4"}]`:                                         "clients[0].dialect: ",
		`"clients": [{"client_id": "a", "redirect_uris": ["https://x.test/"]}]`:                    `clients[0].dialect: "" is neither "standard"`,
		`"clients": [{"client_id": "a", "dialect": "v3", "logo": "none.png"}]`:                     "clients[0].logo: ",
		`"clients": [{"client_id": "a", "dialect": "v3", "userinfo_signed_response_alg": "none"}]`: "clients[0].userinfo_signed_response_alg: ",
		`"smtp": {"from": "id@x.test"}`:                                                            "smtp.host: ",
		`"smtp": {"host": "x.test", "from": "id"}`:                                                 "smtp.from: ",
		`"smtp": {"host": "x.test", "from": "a@x.test", "tls": "none"}`:                            `smtp.tls: "none" is none of`,
		`"smtp": {"host": "x.test", "from": "a@x.test", "port": -1}`:                               "smtp.port: ",
		`"smtp": {"host": "x.test", "from": "a@x.test", "username": "a"}`:                          "smtp.password: ",
		`"smtp": {"host": "x.test", "from": "a@x.test", "ca_file": "none.pem"}`:                    "smtp.ca_file: ",
		`"probe_listen": "nowhere:port"`:                                                           "probe_listen: ",
		`"lifetimes": {"code": "1h"}`:                                                              "lifetimes.code: ",
		`"limits": {"mail": {"burst": 1}}`:                                                         "limits.mail.every: ",
		`"resources": [{"uri": "https://x.test"}, {"uri": "https://x.test/"}]`:                     "resources[1].uri: ",
		`"resources": [{"uri": "https://x.test", "scopes": ["nope"]}]`:                             "resources[0].scopes[0]: ",
		`"clients": [{"client_id": "a", "dialect": "v3", "redirect_uris": ["https://x.test/"], "resources": ["https://x.test"]}]`: "clients[0].resources[0]: ",
		`"sign_in": {"classes": {"phr": {"assurance": "one_factor"}}}`:                                                            `sign_in.classes["phr"]: is the name of a level`,
		`"sign_in": {"classes": {"https://x.test/aal.2": {"enrolled": "-1h"}}}`:                                                   `sign_in.classes["https://x.test/aal.2"].enrolled: `,
		`"scopes": [{"name": "x", "requires": {"enrolled": "-1h"}}]`:                                                              "scopes[0].requires.enrolled: ",
		`"sign_in": {"passkeys": {"off": true}}, "scopes": [{"name": "x", "requires": {"assurance": "phishing_resistant"}}]`:      "scopes[0].requires.assurance: nobody can reach phishing_resistant",
		`"clients": [{"client_id": "a", "dialect": "v3", "redirect_uris": ["https://x.test/"], "requires": {"max_age": "1ms"}}]`:  "clients[0].requires.max_age: ",
		`"groups": [{"name": "a"}, {"name": "a"}]`:                                                                                "groups[1].name: ",
		`"users": [{"email": "a@example.com", "password": "short"}]`:                                                              "users[0].password: ",
		`"clients": [{"client_id": "a", "dialect": "v3", "client_secret": "short", "redirect_uris": ["https://x.test/"]}]`:        "clients[0].client_secret: ",
		`"clients": [{"client_id": "a", "dialect": "v3", "tos_uri": "javascript:1", "redirect_uris": ["https://x.test/"]}]`:       "clients[0].tos_uri: ",
		`"sandbox": {"users": [{"email": "nobody"}]}`:                                                                             "sandbox.users[0].email: ",
		`"listen": "nowhere:port"`:                                                    "listen: ",
		`"sample_client": {"listen": "nowhere:port"}`:                                 "sample_client.listen: ",
		`"database": "postgres://127.0.0.1:1/none?connect_timeout=1&sslmode=disable"`: "database: ",
	} {
		if !strings.HasPrefix(text, `"listen": "no`) {
			text = `"listen": "127.0.0.1:0", ` + text
		}
		cfg, err := parseConfig([]byte("{"+text+"}"), folder)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		s, err := open(t.Context(), cfg, io.Discard, slog.New(slog.DiscardHandler))
		if err == nil {
			err = s.close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %s", text, err, want)
		}
	}
}

// everyKey has every key that there is, with a value other than its default, in the
// spellings of the first files: none may stop to work.
const everyKey = `{
	"version": 1, "listen": "127.0.0.1:0", "base_url": "http://id.localhost:8080/auth", "insecure_http": true, "allow_private_networks": true, "previous_base_urls": ["http://old.localhost"], "data": "store", "evidence": "kept", "database": "postgres://db/id",
	"database_file": "database.url", "probe_listen": "127.0.0.1:1", "remove_statuses": true,
	"smtp": {"host": "smtp.x.test", "port": 587, "tls": "starttls", "ca_file": "ca.pem", "username": "id", "password": "p",
		"password_file": "smtp.password", "from": "id@x.test"},
	"brand": {"name": "Acme ID", "logo": "logo.png", "button_color": "#123456",
		"logo_dark": "logo-dark.png", "wordmark": "word.png", "wordmark_dark": "word-dark.png", "favicon": "icon.png", "mark": "M0 0h24v24z", "code": "AcmeID",
		"scheme": "light", "background": "hills.jpg", "stylesheet": "brand.css",
		"font": {"name": "Acme Sans", "regular": "acme.woff2", "bold": "acme-bold.woff2"},
		"theme": {"radius": "4px",
			"light": {"page": "#fafafa", "surface": "#ffffff", "text": "#111111", "soft_text": "#555555", "link": "#123456", "focus": "#123456", "button": "#123456", "line": "#dddddd"},
			"dark": {"page": "#000000", "surface": "#111111", "text": "#eeeeee", "soft_text": "#aaaaaa", "link": "#99bbff", "focus": "#99bbff", "button": "#99bbff", "line": "#333333"}},
		"links": [{"label": "Imprint", "uri": "/imprint", "translations": {"de": "Impressum"}}],
		"home_uri": "/", "tos_uri": "/terms", "policy_uri": "/privacy", "help_uri": "/help"},
	"texts": "texts", "password_min_length": 12,
	"sign_in": {"passkeys": {"off": true, "rp_id": "localhost", "previous_rp_ids": ["old.localhost"], "origins": ["https://id.example"], "upgrade": true}, "totp": {"off": true},
		"trust_devices": "720h", "require": "one_factor", "classes": {"https://id.example/aal.2": {"assurance": "two_factors", "max_age": "24h", "enrolled": "1h"}}, "recovery": {"wait": "96h", "with_password": "48h"}},
	"request_uri": true, "fedcm": {"on": true}, "signals": {"webhooks": true, "shared_signals": true}, "device_authorization": {"on": true, "same_network": "require", "complete": true},
	"lifetimes": {"code": "1m", "device": "4m", "access_token": "2m", "id_token": "3m", "refresh_token": "4h", "grant": "5h", "refresh_grace": "6s",
		"session_idle": "7h", "session": "8h", "flow": "9m", "deletion_grace": "10h"},
	"limits": {"sign_in": {"burst": 1, "every": "1s"}, "sign_in_account": {"burst": 2, "every": "2s"}, "sign_up": {"burst": 3, "every": "3s"},
		"mail": {"burst": 4, "every": "4s"}, "code": {"burst": 5, "every": "5s"}, "flow": {"burst": 6, "every": "6s"}},
	"dpop": {"require_nonce": true, "replay": "process"},
	"scopes": [{"name": "work", "title": "Work", "description": "Where you work.", "attributes": ["uuid", "badge"], "v3_attributes": ["zip"], "groups": ["staff"], "no_device": true,
		"requires": {"assurance": "two_factors", "max_age": "15m", "enrolled": "24h"},
		"translations": {"de": {"title": "Arbeit", "description": "Wo Sie arbeiten."}}}],
	"attributes": [{"handle": "badge", "name": "Badges", "type": "records", "members": ["number"], "member_names": {"number": "Number"}, "sensitive": true, "findable": true,
		"same_as": "fname", "from": ["fname", "lname"], "verifies": "email", "translations": {"de": "Ausweise"}}],
	"groups": [{"name": "staff", "title": "Staff", "subgroups": ["Office"],
		"translations": {"de": {"title": "Personal", "phrase": "Ihre Stelle", "subgroups": {"Office": "Büro"}}}}],
	"resources": [{"uri": "https://mcp.c.test", "name": "Tools", "scopes": ["work"], "introspectors": ["tools"], "clients": ["c"], "signing_algorithm": "ES256", "exchanges_to": ["https://files.c.test"]}], "signing_algorithms": ["RS256", "ES256"],
	"unknown_clients": {"documents": true, "register": "open", "scopes": ["work"], "allow": ["*.c.test"], "deny": ["d.c.test"], "trusted": ["t.c.test"], "schemes": ["editor"]},
	"upstreams": [{"id": "campus", "title": "State University", "logo": "campus.png", "domains": ["uni.example"], "authoritative_for": ["uni.example"],
		"classes": {"https://refeds.org/profile/mfa": "two_factors"}, "link_by_email": true, "no_sign_up": true, "clients": ["c"],
		"openid": {"issuer": "https://login.uni.example", "client_id": "c", "client_secret": "s", "client_secret_file": "campus.secret",
			"scopes": ["email"], "parameters": {"resource": "https://uni.example"}, "userinfo": true},
		"google": {"client_id": "c", "client_secret": "s", "client_secret_file": "google.secret", "domains": ["corp.example"], "scopes": ["email"]},
		"microsoft": {"client_id": "c", "client_secret": "s", "client_secret_file": "microsoft.secret", "tenant": "common",
			"tenants": ["11111111-2222-3333-4444-555555555555"], "scopes": ["email"], "authority": "https://login.microsoftonline.us"},
		"apple": {"client_id": "c", "team_id": "T", "key_id": "K", "key_file": "apple.p8", "scopes": ["email"]},
		"github": {"client_id": "c", "client_secret": "s", "client_secret_file": "github.secret", "enterprise": "https://git.c.test"}}],
	"trusted_proxies": ["10.0.0.0/8"],
	"users": [{"uuid": "u-1", "email": "a@example.com", "email_verified": true, "password": "p",
		"password_file": "a.password", "disabled": true,
		"attributes": {"fname": "A"},
		"status": [{"group": "staff", "subgroups": ["Office"], "verified": true, "pending": true, "verified_by": "HR", "source": "roster", "method": "document", "reason": "mismatch",
			"verified_at": "2026-01-02T03:04:05Z", "expires_at": "2027-01-02T03:04:05Z"}]}],
	"clients": [{"client_id": "c", "client_secret": "s", "client_secret_file": "c.secret", "name": "C", "dialect": "standard", "profile": "fapi2", "public": true,
		"token_endpoint_auth_method": "client_secret_post", "token_endpoint_auth_signing_alg": "ES256",
		"jwks": {"keys": []}, "jwks_uri": "https://c.test/keys", "require_pushed_authorization_requests": true,
		"require_signed_request_object": true, "require_pkce": true, "dpop_bound_access_tokens": true, "request_object_signing_alg": "ES256",
		"redirect_uris": ["https://c.test/cb"], "post_logout_redirect_uris": ["https://c.test/"], "initiate_login_uri": "https://c.test/start", "request_uris": ["https://c.test/request"],
		"backchannel_logout_uri": "https://c.test/ended", "backchannel_logout_session_required": true, "id_token_signed_response_alg": "ES256", "authorization_signed_response_alg": "ES256",
		"response_types": ["code"], "grant_types": ["refresh_token"], "scopes": ["work"], "optional_scopes": ["work"], "origins": ["https://c.test"],
		"resources": ["https://mcp.c.test"], "access_token_format": "jwt",
		"no_query_token": true, "no_jsonp": true,
		"userinfo_signed_response_alg": "RS256", "lean_id_tokens": true, "require_verified": true, "requires": {"assurance": "one_factor", "max_age": "1h", "enrolled": "1m"}, "skip_consent": true, "unreviewed": true, "disabled": true,
		"logo": "c.png", "logo_dark": "c-dark.png", "wordmark": "c-word.png", "wordmark_dark": "c-word-dark.png", "button_color": "#654321", "policy_uri": "https://c.test/p", "tos_uri": "https://c.test/t"}],
	"sample_client": {"listen": "127.0.0.1:1", "base_url": "http://shop.localhost:1"},
	"developer": {"review": true, "operators": ["a@example.com"], "operator_scopes": ["work"], "devices": true},
	"desk": {"staff": [{"email": "a@example.com", "roles": ["operator"], "groups": ["staff"], "id": "a"}], "clients": ["c"], "only": true, "url": "https://desk.example.com", "anchor": "/checkpoints", "demo": true},
	"verification": {
		"verifiers": {"card": {"title": {"text": "By card"}, "hint": {"text": "Your card", "translations": {"de": "Ihr Ausweis"}}, "document": {"require": [{"name": "front", "title": {"text": "Front"}, "must": [{"text": "Your name"}]}]}}},
		"policies": [{"group": "staff", "rule": "card"}]},
	"wallet": {"groups": ["staff"], "any_wallet": "c"},
	"sandbox": {"base_url": "http://id.localhost:8080/sandbox"}
}`

// oldFile has every key that the first version of the file had, in a service that starts.
const oldFile = `{
	"listen": "127.0.0.1:0", "base_url": "http://id.localhost:8080/auth", "previous_base_urls": ["http://old.localhost"], "data": "store", "evidence": "kept",
	"probe_listen": "127.0.0.1:0", "remove_statuses": true,
	"smtp": {"host": "smtp.x.test", "port": 587, "tls": "starttls", "username": "id", "password_file": "smtp.password", "from": "id@x.test"},
	"brand": {"name": "Acme ID", "logo": "logo.png", "button_color": "#123456"},
	"scopes": [{"name": "work", "title": "Work", "description": "Where you work.", "attributes": ["uuid", "badge"], "groups": ["staff"]}],
	"attributes": [{"handle": "badge", "name": "Badges", "type": "records", "members": ["number"]}],
	"groups": [{"name": "staff", "title": "Staff", "subgroups": ["Office"]}],
	"trusted_proxies": ["10.0.0.0/8"],
	"users": [{"uuid": "u-1", "email": "a@example.com", "email_verified": true, "password_file": "a.password", "disabled": true,
		"attributes": {"fname": "A", "badge": [{"number": "7"}]},
		"status": [{"group": "staff", "subgroups": ["Office"], "verified": true, "verified_by": "HR",
			"verified_at": "2026-01-02T03:04:05Z", "expires_at": "2027-01-02T03:04:05Z"}]}],
	"clients": [{"client_id": "c", "client_secret_file": "c.secret", "name": "C", "dialect": "standard",
		"token_endpoint_auth_method": "client_secret_post",
		"redirect_uris": ["https://c.test/cb"], "post_logout_redirect_uris": ["https://c.test/"],
		"response_types": ["code"], "grant_types": ["refresh_token"], "scopes": ["work"], "origins": ["https://c.test"],
		"no_query_token": true, "no_jsonp": true,
		"userinfo_signed_response_alg": "RS256", "require_verified": true, "skip_consent": true, "disabled": false,
		"logo": "logo.png", "button_color": "#654321", "policy_uri": "https://c.test/p", "tos_uri": "https://c.test/t"},
		{"client_id": "p", "dialect": "v3", "public": true, "redirect_uris": ["https://p.test/"]}],
	"sample_client": {"listen": "127.0.0.1:0"},
	"sandbox": {"base_url": "http://id.localhost:8080/sandbox"}
}`

func TestMachineClientNeedsNoRedirectURI(t *testing.T) {
	cfg, err := parseConfig([]byte(`{"listen": "127.0.0.1:0", "clients": [{"client_id": "robot", "client_secret": "f3b1c9d07a5e42868c1fd0e9b7a3625448de9170",
		"dialect": "standard", "grant_types": ["client_credentials"], "scopes": ["openid"]}]}`), t.TempDir())
	ok(t, err)
	s := must(open(t.Context(), cfg, io.Discard, slog.New(slog.DiscardHandler)))(t)
	t.Cleanup(func() { _ = s.close() })
	if c, err := s.providers[0].Clients().Get(t.Context(), "robot"); err != nil || !slices.Equal(c.GrantTypes, []string{"client_credentials"}) || len(c.RedirectURIs) > 0 {
		t.Errorf("client %+v, %v", c, err)
	}
}

func TestOldFileStillWorks(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"smtp.password": "p", "a.password": "quiet-otter-paints-dawn", "c.secret": "f3b1c9d07a5e42868c1fd0e9b7a3625448de9170", "logo.png": string(sampleclient.Logo),
	} {
		ok(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	cfg := must(parseConfig([]byte(oldFile), folder))(t)
	s := must(open(t.Context(), cfg, io.Discard, slog.New(slog.DiscardHandler)))(t)
	t.Cleanup(func() { _ = s.close() })
	p := s.providers[0]
	registered := must(p.Clients().Get(t.Context(), "c"))(t)
	want := provider.Client{
		ID: "c", Name: "C", Dialect: provider.Standard, TokenEndpointAuthMethod: "client_secret_post",
		RedirectURIs: []string{"https://c.test/cb"}, PostLogoutRedirectURIs: []string{"https://c.test/"},
		ResponseTypes: []string{"code"}, GrantTypes: []string{"refresh_token"}, Scopes: []string{"work"}, Origins: []string{"https://c.test"},
		NoQueryToken: true, NoJSONP: true, UserinfoSignedResponseAlg: "RS256", RequireVerified: true, SkipConsent: true,
		ButtonColor: "#654321", PolicyURL: "https://c.test/p", TermsURL: "https://c.test/t",
	}
	if diff := cmp.Diff(want, registered, cmpopts.IgnoreFields(provider.Client{}, "Logo", "Revision")); diff != "" {
		t.Errorf("client (-want +got):\n%s", diff)
	}
	if secret, err := p.Clients().Secret(t.Context(), "c"); err != nil || secret != "f3b1c9d07a5e42868c1fd0e9b7a3625448de9170" {
		t.Errorf("the secret is %q, %v", secret, err)
	}
	person := must(p.People().Get(t.Context(), "u-1"))(t)
	if a := person.Account; a.Email != "a@example.com" || !a.EmailVerified || !a.HasPassword || !a.Disabled {
		t.Errorf("account %+v", a)
	}
	if got := string(person.Attributes["badge"]); got != `[{"number":"7"}]` {
		t.Errorf("badge %s", got)
	}
	status := []provider.Status{{
		Group: "staff", Subgroups: []string{"Office"}, Verified: true, VerifiedBy: "HR",
		VerifiedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), ExpiresAt: time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC),
	}}
	if diff := cmp.Diff(status, person.Statuses, cmpopts.IgnoreFields(provider.Status{}, "Revision")); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}

func TestEveryKeyIsRead(t *testing.T) {
	var cfg config
	ok(t, decodeStrict([]byte(everyKey), &cfg, os.Getenv))
	var walk func(v reflect.Value, place string)
	walk = func(v reflect.Value, place string) {
		if v.IsZero() {
			t.Errorf("%s is not read", place)
			return
		}
		switch v.Kind() {
		case reflect.Pointer:
			walk(v.Elem(), place)
		case reflect.Slice:
			walk(v.Index(0), place+"[0]")
		case reflect.Map:
			if v.Type().Elem() != reflect.TypeFor[provider.Requirement]() {
				return
			}
			for _, key := range v.MapKeys() {
				walk(v.MapIndex(key), fmt.Sprintf("%s[%v]", place, key))
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[time.Time]() || v.Type() == reflect.TypeFor[netip.Prefix]() {
				return
			}
			for _, f := range reflect.VisibleFields(v.Type()) {
				if key := f.Tag.Get("json"); key != "" && key != "-" {
					walk(v.FieldByIndex(f.Index), place+"."+f.Name)
				}
			}
		}
	}
	// The sandbox is an environment like the other.
	cfg.Sandbox = &cfg.environment
	walk(reflect.ValueOf(cfg), "config")
}

func TestQuickstartItselfIsValid(t *testing.T) {
	cfg := must(loadConfig(""))(t)
	if cfg.Data != "data" || cfg.SampleClient == nil || cfg.Sandbox == nil || len(cfg.Users) == 0 || len(cfg.Sandbox.Users) == 0 {
		t.Errorf("the quickstart lacks what it tells people: %+v", cfg)
	}
}

func TestRunNamesTheFileThatIsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.json")
	if err := run(t.Context(), []string{"-config", path}, nil, io.Discard); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error is %v", err)
	}
}

func TestManualNamesWhatASandboxInherits(t *testing.T) {
	manual := must(os.ReadFile("../../docs/config.md"))(t)
	_, text, _ := strings.Cut(strings.Join(strings.Fields(string(manual)), " "), "By default a sandbox has `base_url` + `/sandbox` and `data` + `/sandbox`, and the")
	text, _, said := strings.Cut(text, "of production, and the verifiers and")
	if !said {
		t.Fatal("docs/config.md does not say what a sandbox has of production")
	}
	of := func(e environment) map[string]any {
		text := must(json.Marshal(e))(t)
		var tree map[string]any
		ok(t, json.Unmarshal(text, &tree))
		return tree
	}
	var production config
	ok(t, json.Unmarshal([]byte(everyKey), &production))
	var sandbox environment
	sandbox.inherit(production.environment)
	empty := of(environment{})
	for key, value := range of(sandbox) {
		inherits := !reflect.DeepEqual(value, empty[key]) && key != "data" && key != "evidence" && key != "verification"
		if says := strings.Contains(text, "`"+key+"`"); says != inherits {
			t.Errorf("a sandbox inherits %s: %v; docs/config.md says so: %v", key, inherits, says)
		}
	}
}

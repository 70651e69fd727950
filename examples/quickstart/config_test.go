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
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "service.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEmptyConfigHasDefaults(t *testing.T) {
	path := writeConfig(t, `{}`)
	got, err := loadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	want := config{Listen: "127.0.0.1:8080", environment: environment{Data: filepath.Join(filepath.Dir(path), "data")}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(config{}), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestSandboxInheritsTheVocabularyButNoPeople(t *testing.T) {
	cfg, err := loadConfig(writeConfig(t, `{
		"data": "/srv/id", "brand": {"name": "Acme ID"},
		"groups": [{"name": "staff"}], "scopes": [{"name": "work", "groups": ["staff"]}],
		"users": [{"email": "maria@example.com"}], "clients": [{"client_id": "shop"}],
		"sandbox": {}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &environment{
		Data: "/srv/id/sandbox", Brand: brand{Name: "Acme ID"},
		Groups: []group{{Name: "staff"}}, Scopes: []scope{{Name: "work", Groups: []string{"staff"}}},
	}
	if diff := cmp.Diff(want, cfg.Sandbox, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
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
	} {
		_, err := loadConfig(writeConfig(t, text))
		if want := fmt.Sprintf("unknown key %q", key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %s", text, err, want)
		}
	}
}

func TestBadValuesAreRefusedByKey(t *testing.T) {
	for text, want := range map[string]string{
		`{"listen": 8080}`:     `key "listen"`,
		`{"users": "nobody"}`:  `key "users"`,
		"{\n\"listen\": oops}": "line 2",
		`{} {}`:                "line 1",
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
		`"base_url": "http://example.com"`:                                            "base_url: ",
		`"brand": {"button_color": "blue"}`:                                           "brand.button_color: ",
		`"brand": {"logo": "missing.png"}`:                                            "brand.logo: ",
		`"scopes": [{"name": "x", "attributes": ["nope"]}]`:                           `scopes[0].attributes: unknown attribute "nope"`,
		`"attributes": [{"handle": "size", "type": "number"}]`:                        "attributes[0].type: ",
		`"users": [{"email": "nobody"}]`:                                              "users[0]: email: ",
		`"users": [{"uuid": "a b", "email": "a@example.com"}]`:                        "users[0]: uuid: ",
		`"users": [{"email": "a@example.com", "attributes": {"fnam": "A"}}]`:          `users[0].attributes: attribute "fnam"`,
		`"users": [{"email": "a@example.com", "status": [{"group": "pilots"}]}]`:      `users[0].status[0]: group "pilots"`,
		`"clients": [{"client_id": "a"}]`:                                             "redirect_uris: ",
		`"clients": [{"client_id": "a", "redirect_uris": ["http://x.test/#a"]}]`:      "redirect_uris[0]: ",
		`"clients": [{"redirect_uris": ["https://x.test/"]}]`:                         "client_id: ",
		`"clients": [{"client_id": "a", "dialect": "v4"}]`:                            "dialect: ",
		`"clients": [{"client_id": "a", "logo": "none.png"}]`:                         "clients[0].logo: ",
		`"clients": [{"client_id": "a", "userinfo_signed_response_alg": "none"}]`:     "clients[0].userinfo_signed_response_alg: ",
		`"sandbox": {"users": [{"email": "nobody"}]}`:                                 "sandbox.users[0]: email: ",
		`"listen": "nowhere:port"`:                                                    "listen: ",
		`"sample_client": {"listen": "nowhere:port"}`:                                 "sample_client.listen: ",
		`"database": "postgres://127.0.0.1:1/none?connect_timeout=1&sslmode=disable"`: "database: ",
	} {
		if !strings.Contains(text, `"listen": "no`) || strings.Contains(text, "sample") {
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

// everyKey has every key that there is, with a value other than its default.
const everyKey = `{
	"listen": "127.0.0.1:0", "base_url": "http://id.localhost:8080/auth", "data": "store", "database": "postgres://db/id",
	"brand": {"name": "Acme ID", "logo": "logo.png", "button_color": "#123456"},
	"scopes": [{"name": "work", "title": "Work", "description": "Where you work.", "attributes": ["uuid", "badge"], "groups": ["staff"]}],
	"attributes": [{"handle": "badge", "name": "Badges", "type": "records", "members": ["number"]}],
	"groups": [{"name": "staff", "title": "Staff", "subgroups": ["Office"]}],
	"trusted_proxies": ["10.0.0.0/8"],
	"users": [{"uuid": "u-1", "email": "a@example.com", "email_verified": true, "password": "p",
		"attributes": {"fname": "A"},
		"status": [{"group": "staff", "subgroups": ["Office"], "verified": true, "verified_by": "HR",
			"verified_at": "2026-01-02T03:04:05Z", "expires_at": "2027-01-02T03:04:05Z"}]}],
	"clients": [{"client_id": "c", "client_secret": "s", "name": "C", "dialect": "standard", "public": true,
		"token_endpoint_auth_method": "client_secret_post",
		"redirect_uris": ["https://c.test/cb"], "post_logout_redirect_uris": ["https://c.test/"],
		"response_types": ["code"], "grant_types": ["refresh_token"], "scopes": ["work"], "origins": ["https://c.test"],
		"userinfo_signed_response_alg": "RS256", "require_verified": true, "skip_consent": true, "disabled": true,
		"logo": "c.png", "button_color": "#654321", "policy_uri": "https://c.test/p", "tos_uri": "https://c.test/t"}],
	"sample_client": {"listen": "127.0.0.1:1", "base_url": "http://shop.localhost:1"},
	"sandbox": {"base_url": "http://id.localhost:8080/sandbox"}
}`

func TestEveryKeyIsRead(t *testing.T) {
	var cfg config
	if err := decodeStrict([]byte(everyKey), &cfg); err != nil {
		t.Fatal(err)
	}
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
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[time.Time]() || v.Type() == reflect.TypeFor[netip.Prefix]() {
				return
			}
			for i := range v.NumField() {
				walk(v.Field(i), place+"."+v.Type().Field(i).Name)
			}
		}
	}
	// The sandbox is an environment like the other.
	cfg.Sandbox = &cfg.environment
	walk(reflect.ValueOf(cfg), "config")
}

func TestManualNamesEveryKey(t *testing.T) {
	manual, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var keys func(v any)
	keys = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, element := range v {
				keys(element)
			}
		case map[string]any:
			for key, value := range v {
				if !strings.Contains(string(manual), "`"+key+"`") && !strings.Contains(string(manual), "[]."+key+"`") {
					t.Errorf("README.md does not name the key %s", key)
				}
				if key != "attributes" || reflect.TypeOf(value).Kind() == reflect.Slice {
					keys(value)
				}
			}
		}
	}
	var tree any
	if err := json.Unmarshal([]byte(everyKey), &tree); err != nil {
		t.Fatal(err)
	}
	keys(tree)
}

func TestQuickstartItselfIsValid(t *testing.T) {
	cfg, err := loadConfig("")
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Data != "data" || cfg.SampleClient == nil || cfg.Sandbox == nil || len(cfg.Users) == 0 || len(cfg.Sandbox.Users) == 0 {
		t.Errorf("the quickstart lacks what it tells people: %+v", cfg)
	}
}

func TestRunNamesTheFileThatIsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.json")
	if err := run(t.Context(), []string{"-config", path}, io.Discard); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error is %v", err)
	}
}

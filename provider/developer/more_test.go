package developer_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	toolsAPI = "https://tools.test/api"
	photoAPI = "https://photos.test"

	// A key set as a developer pastes it, with white space and a member that nobody reads.
	pastedKeys = ` { "keys": [ {"kty": "EC", "crv": "P-256", "kid": "2026-11", "use": "sig", "x5t": "dGVzdA",
		"x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"} ] }`
	// The same key under the same name, but for its coordinates.
	otherKeys = `{"keys":[{"kty":"EC","crv":"P-256","kid":"2026-11",
		"x":"gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0","y":"SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps"}]}`
)

const (
	staffAPI   = "https://id.test/desk/api/v1"
	staffScope = "desk.people.read"
)

// bothAPIs are those of every fixture that developers may name, and that of the staff.
var bothAPIs = []provider.Resource{{URI: toolsAPI, Name: "Tools"}, {URI: photoAPI}, {URI: staffAPI, Name: "Desk", Clients: []string{"robot"}, Scopes: []string{staffScope}}}

func TestMoreSettings(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for name, test := range map[string]struct {
		fields []string
		want   func(*provider.Client)
		record storage.ChangedField
	}{
		"LeanIDTokens": {
			[]string{"lean_id_tokens", "on"}, func(c *provider.Client) { c.LeanIDTokens = true },
			storage.ChangedField{Name: "lean_id_tokens", After: "on"},
		},
		"AccessTokenFormat": {
			[]string{"access_token_format", "on"}, func(c *provider.Client) { c.AccessTokenFormat = "jwt" },
			storage.ChangedField{Name: "access_token_format", After: "jwt"},
		},
		"Resources": {
			[]string{"resources." + photoAPI, "-"}, func(c *provider.Client) { c.Resources = []string{toolsAPI} },
			storage.ChangedField{Name: "resources", Added: []string{toolsAPI}},
		},
		"BackchannelLogoutURI": {
			[]string{"backchannel_logout_uri", " https://app.test/out ", "backchannel_logout_session_required", "on"},
			func(c *provider.Client) {
				c.BackchannelLogoutURI, c.BackchannelLogoutSessionRequired = "https://app.test/out", true
			},
			storage.ChangedField{Name: "backchannel_logout_uri", After: "https://app.test/out"},
		},
		"JWKS": {
			[]string{"jwks", pastedKeys},
			func(c *provider.Client) {
				c.JWKS = json.RawMessage(`{"keys":[{"crv":"P-256","kid":"2026-11","kty":"EC","use":"sig","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}`)
			},
			storage.ChangedField{Name: "jwks", Added: []string{"2026-11 727f88fd"}},
		},
		"JWKSURI": {
			[]string{"jwks_uri", "https://app.test/keys", "token_endpoint_auth_method", "private_key_jwt", "token_endpoint_auth_signing_alg", "ES256"},
			func(c *provider.Client) {
				c.JWKSURI, c.TokenEndpointAuthMethod, c.TokenEndpointAuthSigningAlg = "https://app.test/keys", "private_key_jwt", "ES256"
			},
			storage.ChangedField{Name: "token_endpoint_auth_method", After: "private_key_jwt"},
		},
		"RequirePushed": {
			[]string{"require_pushed_authorization_requests", "on"},
			func(c *provider.Client) { c.RequirePushedAuthorizationRequests = true },
			storage.ChangedField{Name: "require_pushed_authorization_requests", After: "on"},
		},
		"DPoPBound": {
			[]string{"dpop_bound_access_tokens", "on"},
			func(c *provider.Client) { c.DPoPBoundAccessTokens = true },
			storage.ChangedField{Name: "dpop_bound_access_tokens", After: "on"},
		},
		"RequirePKCE": {
			[]string{"require_pkce", "on"},
			func(c *provider.Client) { c.RequirePKCE = true },
			storage.ChangedField{Name: "require_pkce", After: "on"},
		},
		"RequireSigned": {
			[]string{"require_signed_request_object", "on", "jwks_uri", "https://app.test/keys", "request_object_signing_alg", "PS256"},
			func(c *provider.Client) {
				c.RequireSignedRequestObject, c.RequestObjectSigningAlg, c.JWKSURI = true, "PS256", "https://app.test/keys"
			},
			storage.ChangedField{Name: "request_object_signing_alg", After: "PS256"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w.withApplication(river, storage.Sandbox, name)
			settings := "/developer/o/river/sandbox/" + name + "/settings"
			want := w.client(storage.Sandbox, name)
			test.want(&want)
			b := w.as(dev)
			p := b.submit(b.open(settings), append(test.fields, "action", "save")...)
			if p.StatusCode != http.StatusOK || p.Request.Method != http.MethodGet {
				t.Fatalf("%s\n%s", p.Status, p.body)
			}
			got := w.client(storage.Sandbox, name)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(provider.Client{}, "Revision")); diff != "" {
				t.Errorf("client (-want +got):\n%s", diff)
			}
			change := w.changes(river)[0]
			if change.What != "application.change" || !slices.ContainsFunc(change.Fields, func(f storage.ChangedField) bool { return cmp.Equal(f, test.record) }) {
				t.Errorf("recorded %+v", change)
			}
			// What the page shows now is what is registered: saving it changes nothing.
			unchanged := w.unchanged()
			says(t, b.submit(b.open(settings), "action", "save"), http.StatusOK, "saved and active")
			unchanged("what was just saved")
			if changes := w.changes(river); changes[0].ID != change.ID {
				t.Errorf("recorded %+v", changes[0])
			}
		})
	}
}

func TestMoreSettingsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	unchanged := w.unchanged()
	for _, test := range []struct {
		field, want string
		keeps       string
		fields      []string
	}{
		{"backchannel_logout_uri", "Enter a full https:// address", `value="http://app.test/out"`, []string{"backchannel_logout_uri", "http://app.test/out"}},
		{"backchannel_logout_uri", "Enter a full https:// address", `value="https://169.254.169.254/"`, []string{"backchannel_logout_uri", "https://169.254.169.254/"}},
		{"backchannel_logout_uri", "Enter a back-channel logout URI", "", []string{"backchannel_logout_session_required", "on"}},
		{"jwks_uri", "Enter a full https:// address", `value="ftp://app.test/"`, []string{"jwks_uri", "ftp://app.test/"}},
		{"jwks_uri", "not both", `value="https://app.test/keys"`, []string{"jwks", pastedKeys, "jwks_uri", "https://app.test/keys"}},
		{"jwks", "Paste the public keys", "", []string{"token_endpoint_auth_method", "private_key_jwt"}},
		{"jwks", "Paste the public keys", "", []string{"require_signed_request_object", "on"}},
		{"jwks", "The key set is not a JSON Web Key Set.", "", []string{"jwks", "my keys"}},
		{"jwks", "Key 1 is not a key of the type RSA, EC or OKP.", "", []string{"jwks", `{"keys":[{"kty":"what"}]}`}},
		{"resources", "Choose at least one API", "", []string{"resources." + toolsAPI, "-", "resources." + photoAPI, "-"}},
	} {
		p := b.submit(b.open(shopPath+"/settings"), append(test.fields, "action", "save")...)
		says(t, p, http.StatusUnprocessableEntity, test.want, test.keeps, `id="`+test.field+`-problem"`, `id="more" open`)
	}
	unchanged("the application")
	if p := b.open(shopPath + "/settings"); strings.Contains(p.body, `id="more" open`) {
		t.Error("the part of the page is open before anything is wrong")
	}
}

func TestResourcesThatWereChosenAreShownAgain(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	p := b.submit(b.open(shopPath+"/settings"), "name", "", "resources."+photoAPI, "-", "action", "save")
	p = b.submit(p, "name", "Till", "action", "save")
	says(t, p, http.StatusOK, "saved and active")
	if got := w.client(storage.Sandbox, "shop").Resources; !slices.Equal(got, []string{toolsAPI}) {
		t.Errorf("resources %q", got)
	}
}

func TestOfTwoWhoChangeKeysAtOnceTheSecondIsTold(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	first, second := w.as(dev), w.as(owner)
	of1, of2 := first.open(shopPath+"/settings"), second.open(shopPath+"/settings")
	first.submit(of1, "jwks", pastedKeys, "action", "save")
	says(t, second.submit(of2, "jwks", otherKeys, "action", "save"), http.StatusConflict, "This page has changed since you opened it", "2026-11 727f88fd", "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0")
	if got := string(w.client(storage.Sandbox, "shop").JWKS); !strings.Contains(got, "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4") {
		t.Errorf("registered %s", got)
	}
}

func TestAKeyThatReplacesOneOfTheSameNameIsRecorded(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	b.submit(b.open(shopPath+"/settings"), "jwks", pastedKeys, "action", "save")
	b.submit(b.open(shopPath+"/settings"), "jwks", otherKeys, "action", "save")
	fields := w.changes(river)[0].Fields
	if len(fields) != 1 || fields[0].Name != "jwks" || len(fields[0].Added) != 1 || len(fields[0].Removed) != 1 || len(fields[0].Added[0]) > 20 {
		t.Errorf("recorded %+v", fields)
	}
}

func TestAnApplicationWithAKeyNeedsNoSecret(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	old, err := w.sandbox.Clients().Secret(t.Context(), "shop")
	w.ok(err)
	b := w.as(dev)
	// Its keys can be there before it uses them.
	b.submit(b.open(shopPath+"/settings"), "jwks", pastedKeys, "action", "save")
	if !w.exchanges(old) {
		t.Error("the secret does not work beside keys")
	}
	says(t, b.submit(b.open(shopPath+"/settings"), "token_endpoint_auth_method", "private_key_jwt", "action", "save"), http.StatusOK, "its secrets are revoked")
	if w.exchanges(old) {
		t.Error("the secret still works")
	}
	says(t, b.open(shopPath), http.StatusOK, "signs with its own key")
	says(t, b.open(shopPath+"/secrets"), http.StatusOK, "This application has no secret", `href="`+shopPath+`/settings#jwks"`)
	says(t, b.submit(b.open(shopPath+"/settings"), "token_endpoint_auth_method", "any", "action", "save"), http.StatusOK, "has a new secret")
	fresh := secretOn(t, b.submit(b.open(shopPath), "action", "reveal"))
	if fresh == old || !w.exchanges(fresh) {
		t.Error("there is no new secret that works")
	}
	if len(w.client(storage.Sandbox, "shop").JWKS) == 0 {
		t.Error("the keys are gone")
	}
}

func TestMoreSettingsOfADialectAndAKind(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.Dialect = provider.V3 })
	w.withApplication(river, storage.Sandbox, "page", func(c *provider.Client) { c.Public = true })
	b := w.as(dev)
	machine := b.machine("scopes.military", "on")
	for path, without := range map[string][]string{
		shopPath:                          {"lean_id_tokens", "access_token_format"},
		"/developer/o/river/sandbox/page": {"jwks", "jwks_uri", "require_signed_request_object", "token_endpoint_auth_method"},
		machine:                           {"lean_id_tokens", "backchannel_logout_uri", "require_pushed_authorization_requests", "require_signed_request_object"},
	} {
		p := b.open(path + "/settings")
		action, fields := p.form(t, "resources."+toolsAPI, "on", "action", "save")
		for _, field := range without {
			if fields.Has(field) || strings.Contains(p.body, `name="`+field+`"`) {
				t.Errorf("%s asks for %s", path, field)
			}
			fields.Set(field, map[string]string{
				"jwks": pastedKeys, "jwks_uri": "https://app.test/keys", "backchannel_logout_uri": "https://app.test/out", "token_endpoint_auth_method": "private_key_jwt",
			}[field])
			if fields.Get(field) == "" {
				fields.Set(field, "on")
			}
		}
		unchanged := w.unchanged()
		says(t, b.follow(b.post(action, fields)), http.StatusOK, "saved and active")
		unchanged(path)
	}
}

func TestAnAddressForTheSandboxAloneIsNotCopiedToProduction(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	says(t, b.submit(b.open(shopPath+"/settings"), "backchannel_logout_uri", "https://10.0.0.1/out", "action", "save"), http.StatusOK, "saved and active")
	unchanged := w.unchanged()
	says(t, b.submit(b.open(shopPath), "action", "copy"), http.StatusUnprocessableEntity, "BackchannelLogoutURI", "10.0.0.1")
	unchanged("production")
}

func TestAMachineClientProvesWithAKey(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(dev)
	path := b.machine("scopes.military", "on")
	says(t, b.submit(b.open(path+"/settings"), "token_endpoint_auth_method", "private_key_jwt", "jwks", pastedKeys, "access_token_format", "on", "action", "save"),
		http.StatusOK, "its secrets are revoked")
	_, c := w.registered(river, storage.Sandbox)
	if c.TokenEndpointAuthMethod != "private_key_jwt" || c.AccessTokenFormat != "jwt" || len(c.JWKS) == 0 {
		t.Errorf("registered %+v", c)
	}
}

// A developer pastes the private key. It is on no page, in no log and in no database.
func TestAttackPrivateKeyIsNotKept(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	unchanged := w.unchanged()
	const secret = "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"
	for name, keys := range map[string]string{
		"InASet":      `{"keys":[{"kty":"EC","crv":"P-256","x":"a","y":"b","d":"` + secret + `"}]}`,
		"Alone":       `{"kty":"EC","crv":"P-256","x":"a","y":"b","d" : "` + secret + `"}`,
		"InPEM":       "-----BEGIN EC PRIVATE KEY-----\n" + secret + "\n-----END EC PRIVATE KEY-----",
		"Symmetric":   `{"keys":[{"kty":"oct","k":"` + secret + `"}]}`,
		"NotEvenJSON": `{"kty":"RSA","dp":"` + secret,
		"Escaped":     `{"keys":[{"kty":"EC","crv":"P-256","x":"a","y":"b","\u0064":"` + secret + `"}]}`,
		"UpperCase":   `{"keys":[{"kty":"EC","crv":"P-256","x":"a","y":"b","D":"` + secret + `"}]}`,
		"Deep":        `{"keys":[{"kty":"EC","x":[{"a":[1,{"d":"` + secret + `"}]}]}]}`,
		"SmallPEM":    "-----begin private key-----\n" + secret,
	} {
		for _, other := range [][]string{nil, {"name", ""}} {
			p := b.submit(b.open(shopPath+"/settings"), append(other, "jwks", keys, "action", "save")...)
			says(t, p, http.StatusUnprocessableEntity, "That included a private key")
			if strings.Contains(p.body, secret) {
				t.Errorf("%s: it is on the page", name)
			}
		}
	}
	unchanged("the application")
	if strings.Contains(w.log.String(), secret) {
		t.Error("it is in the log")
	}
}

// A developer pastes what cannot be told from a private key, and makes a mistake elsewhere: it
// is not shown again. A public key set is.
func TestOnlyPublicKeysAreShownAgain(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	const secret = "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"
	for name, keys := range map[string]string{
		"PEMWithoutItsHead": secret + "\n-----END KEY-----",
		"CutOff":            `{"keys":[{"kty":"EC","x":"` + secret,
		"Text":              `"` + secret + `"`,
		"ListOfTexts":       `["` + secret + `"]`,
		"InAValue":          `{"keys":[{"kty":"EC","x":{"y":"` + secret + `"}}]}`,
		"OtherMember":       `{"keys":[{"kty":"EC","private":"` + secret + `"}]}`,
		"AnotherValue":      otherKeys + ` "` + secret + `"`,
	} {
		for _, other := range [][]string{nil, {"name", ""}} {
			p := b.submit(b.open(shopPath+"/settings"), append(other, "jwks", keys, "action", "save")...)
			says(t, p, http.StatusUnprocessableEntity, "")
			if strings.Contains(p.body, secret) {
				t.Errorf("%s: it is on the page", name)
			}
		}
	}
	p := b.submit(b.open(shopPath+"/settings"), "name", "", "jwks", otherKeys, "action", "save")
	if _, fields := p.form(t, "action", "save"); p.StatusCode != http.StatusUnprocessableEntity || fields.Get("jwks") != otherKeys {
		t.Errorf("a public key set: %s, with %q", p.Status, fields.Get("jwks"))
	}
}

// Somebody finds a browser open, and puts a key of his own in the place of the secret.
func TestAttackKeysWithoutAFreshSignIn(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	w.advance(10 * time.Minute)
	unchanged := w.unchanged()
	for _, fields := range [][]string{
		{"jwks", otherKeys}, {"jwks_uri", "https://evil.test/keys"}, {"backchannel_logout_uri", "https://evil.test/"},
		{"jwks", otherKeys, "token_endpoint_auth_method", "private_key_jwt"},
	} {
		says(t, b.submit(b.open(shopPath+"/settings"), append(fields, "action", "save")...), http.StatusForbidden, "First confirm that it’s you")
	}
	unchanged("the application")
}

// A developer adds the grant with which an application acts for people who are not there.
func TestAttackJWTBearerGrantOfADeveloper(t *testing.T) {
	t.Parallel()
	const bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(owner)
	action, fields := b.open(shopPath+"/settings").form(t, "jwks", pastedKeys, "action", "save")
	fields.Set("grant_types."+bearer, "on")
	fields.Set("grant_types", bearer)
	says(t, b.follow(b.post(action, fields)), http.StatusOK, "saved and active")
	if got := w.client(storage.Sandbox, "shop"); slices.Contains(got.GrantTypes, bearer) || len(got.JWKS) == 0 {
		t.Fatalf("registered %+v", got)
	}
	// One that the operator has given stays, here and not in a copy.
	c := w.client(storage.Sandbox, "shop")
	c.GrantTypes = append(c.GrantTypes, bearer)
	w.ok(w.sandbox.Clients().Save(t.Context(), c))
	says(t, b.submit(b.open(shopPath+"/settings"), "grant_types.refresh_token", "-", "action", "save"), http.StatusOK, "saved and active")
	if got := w.client(storage.Sandbox, "shop").GrantTypes; !slices.Equal(got, []string{"authorization_code", bearer}) {
		t.Errorf("grants %q", got)
	}
	says(t, b.submit(b.open(shopPath+"/settings"), "jwks", "", "action", "save"), http.StatusUnprocessableEntity, "Paste the public keys")
	b.submit(b.open(shopPath), "action", "copy")
	if _, copied := w.registered(river, storage.Production); slices.Contains(copied.GrantTypes, bearer) || len(copied.GrantTypes) == 0 {
		t.Errorf("the copy has grants %q", copied.GrantTypes)
	}
}

// A developer adds the grant with which an API acts for its users elsewhere.
func TestAttackExchangeGrantOfADeveloper(t *testing.T) {
	t.Parallel()
	const exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(owner)
	action, fields := b.open(shopPath+"/settings").form(t, "action", "save")
	fields.Set("grant_types."+exchange, "on")
	fields.Set("grant_types", exchange)
	says(t, b.follow(b.post(action, fields)), http.StatusOK, "saved and active")
	c := w.client(storage.Sandbox, "shop")
	if slices.Contains(c.GrantTypes, exchange) {
		t.Fatalf("registered %+v", c)
	}
	c.GrantTypes = append(c.GrantTypes, exchange)
	w.ok(w.sandbox.Clients().Save(t.Context(), c))
	b.submit(b.open(shopPath), "action", "copy")
	if _, copied := w.registered(river, storage.Production); slices.Contains(copied.GrantTypes, exchange) || len(copied.GrantTypes) == 0 {
		t.Errorf("the copy has grants %q", copied.GrantTypes)
	}
}

// An application that was reviewed with one API asks for another afterwards.
func TestAttackResourcesPastTheReview(t *testing.T) {
	t.Parallel()
	w := newFixture(t, reviewed).withApplication(river, storage.Production, "shop", func(c *provider.Client) { c.Resources = []string{toolsAPI} })
	b := w.as(owner)
	p := b.open("/developer/o/river/production/shop/settings")
	if strings.Contains(p.body, photoAPI) {
		t.Error("it is offered")
	}
	action, fields := p.form(t, "lean_id_tokens", "on", "action", "save")
	fields.Set("resources."+photoAPI, "on")
	says(t, b.follow(b.post(action, fields)), http.StatusOK, "saved and active")
	if got := w.client(storage.Production, "shop"); !slices.Equal(got.Resources, []string{toolsAPI}) || !got.LeanIDTokens {
		t.Errorf("registered %+v", got)
	}
	// With none of those it had it would have all.
	says(t, b.submit(b.open("/developer/o/river/production/shop/settings"), "resources."+toolsAPI, "-", "action", "save"),
		http.StatusUnprocessableEntity, "Choose at least one API")
}

// A developer asks for the API of those who run the service, and for its scopes.
func TestAttackTheAPIOfTheStaff(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(dev)
	path := b.machine("scopes.military", "on")
	p := b.open(path + "/settings")
	if strings.Contains(p.body, staffAPI) || strings.Contains(p.body, staffScope) {
		t.Error("it is offered")
	}
	action, fields := p.form(t, "name", "Robot", "action", "save")
	fields.Set("resources."+staffAPI, "on")
	fields.Set("scopes."+staffScope, "on")
	says(t, b.follow(b.post(action, fields)), http.StatusOK, "saved and active")
	id := path[strings.LastIndexByte(path, '/')+1:]
	got := w.client(storage.Sandbox, id)
	if slices.Contains(got.Resources, staffAPI) || slices.Contains(got.Scopes, staffScope) || len(got.Scopes) == 0 {
		t.Errorf("registered %q for %q", got.Scopes, got.Resources)
	}
}

func TestAnApprovedApplicationHasTheResourcesThatTheOperatorHasRead(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t, func(c *provider.Client) {
		c.GrantTypes, c.JWKSURI = []string{"authorization_code", "urn:ietf:params:oauth:grant-type:jwt-bearer"}, "https://app.test/keys"
		c.SkipConsent = true
	})
	w.as(dev).submitForm(accessPath, "note", "Discounts for veterans.", "action", "ask")
	b := w.as(operator)
	p := b.open(reviewPath)
	says(t, p, http.StatusOK, toolsAPI, photoAPI)
	says(t, b.submit(p, "action", "approve"), http.StatusOK, "Approved and in production.")
	_, c := w.registered(river, storage.Production)
	if !slices.Equal(c.Resources, []string{toolsAPI, photoAPI}) || !slices.Equal(c.GrantTypes, []string{"authorization_code"}) || c.SkipConsent {
		t.Errorf("registered %+v", c)
	}
}

func TestAViewerReadsMoreSettingsAndChangesNone(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(viewer)
	p := b.open(shopPath + "/settings")
	says(t, p, http.StatusOK, "lean_id_tokens", "<fieldset class=\"bare\" disabled")
	unchanged := w.unchanged()
	form := everything("save")
	form.Set("csrf", b.csrfOf(viewer))
	form.Set("lean_id_tokens", "on")
	form.Set("jwks_uri", "https://evil.test/keys")
	says(t, b.post(shopPath+"/settings", form), http.StatusForbidden)
	unchanged("the application")
}

// The algorithms of the page are those that the provider announces.
func TestSigningAlgorithmsAreThoseOfDiscovery(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	var announced struct {
		Algs []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	}
	b := w.newBrowser()
	b.home = w.sandboxServer.URL
	w.ok(json.Unmarshal([]byte(b.get("/oidc/.well-known/openid-configuration").body), &announced))
	if diff := cmp.Diff(announced.Algs, developer.SigningAlgs); diff != "" {
		t.Errorf("algorithms (-announced +shown):\n%s", diff)
	}
}

func TestWhatUsersMayLeaveOutIsSomethingThatIsAskedFor(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) {
		c.Scopes, c.OptionalScopes = []string{"openid", "military", "student"}, []string{"military", "student"}
	})
	b := w.as(dev)
	says(t, b.submit(b.open(shopPath+"/settings"), "scopes.student", "-", "scopes.military", "on", "action", "save"), http.StatusOK, "saved and active")
	if got := w.client(storage.Sandbox, "shop"); !slices.Equal(got.OptionalScopes, []string{"military"}) {
		t.Errorf("scopes %q, optional %q", got.Scopes, got.OptionalScopes)
	}
	b.submit(b.open(shopPath), "action", "copy")
	if _, copied := w.registered(river, storage.Production); !slices.Equal(copied.OptionalScopes, []string{"military"}) {
		t.Errorf("the copy has %q", copied.OptionalScopes)
	}
}

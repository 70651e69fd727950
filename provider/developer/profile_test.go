package developer_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// curve384Keys is a set whose only key signs by ES384, which no profile allows.
const curve384Keys = `{"keys":[{"kty":"EC","crv":"P-384","x":"rVWzQxxNo_4WVtLgprF6djncfHPWfvTt0ivbQUvY9xPjAcXNousxNKh_G1Asdj8k","y":"ler3poRDKqC6hyzDKKS5iXxyblWMw0_5hcdZ8UsgqWmYwf4aQmGuXUIFk-fHq_QK"}]}`

// withProfile registers shop with a profile, by the form.
func (b *browser) withProfile(name string) page {
	b.t.Helper()
	return b.submit(b.open(shopPath+"/settings"), "profile", name, "jwks", pastedKeys, "action", "save")
}

func TestAProfileSetsWhatItDemands(t *testing.T) {
	t.Parallel()
	for name, signs := range map[string]bool{"fapi2": false, "fapi2-signing": true} {
		w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
		b := w.as(dev)
		says(t, b.withProfile(name), http.StatusOK, "its secrets are revoked")
		c := w.client(storage.Sandbox, "shop")
		if c.Profile != name || c.TokenEndpointAuthMethod != "private_key_jwt" || !c.RequirePushedAuthorizationRequests || !c.RequirePKCE ||
			!c.DPoPBoundAccessTokens || c.RequireSignedRequestObject != signs || c.IDTokenSignedResponseAlg != "ES256" {
			t.Errorf("%s: registered %+v", name, c)
		}
		// The activity log has the values that the profile has set, as well.
		change := w.changes(river)[0]
		for _, want := range []storage.ChangedField{
			{Name: "profile", After: name}, {Name: "token_endpoint_auth_method", After: "private_key_jwt"}, {Name: "require_pushed_authorization_requests", After: "on"},
			{Name: "require_pkce", After: "on"}, {Name: "dpop_bound_access_tokens", After: "on"},
			{Name: "id_token_signed_response_alg", After: "ES256"}, {Name: "authorization_signed_response_alg", After: "ES256"},
		} {
			if !slices.ContainsFunc(change.Fields, func(f storage.ChangedField) bool { return cmp.Equal(f, want) }) {
				t.Errorf("%s: recorded %+v, without %+v", name, change.Fields, want)
			}
		}
		// The page shows what is registered: saving it again changes nothing.
		unchanged := w.unchanged()
		says(t, b.submit(b.open(shopPath+"/settings"), "action", "save"), http.StatusOK, "saved and active")
		unchanged(name)
		// Without the profile, the fields stay as they are, and can be changed.
		b.submit(b.open(shopPath+"/settings"), "profile", "none", "dpop_bound_access_tokens", "-", "action", "save")
		if c := w.client(storage.Sandbox, "shop"); c.Profile != "" || c.DPoPBoundAccessTokens || !c.RequirePushedAuthorizationRequests {
			t.Errorf("%s: without it, registered %+v", name, c)
		}
	}
}

func TestAProfileRefusesWhatSaysOtherwise(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	unchanged := w.unchanged()
	for _, test := range []struct {
		field, want string
		fields      []string
	}{
		{"token_endpoint_auth_method", "demands private_key_jwt", []string{"token_endpoint_auth_method", "client_secret_post"}},
		{"response_types", "allows only code", []string{"response_types.code-id_token", "on"}},
		{"access_token_format", "demands that this is off", []string{"access_token_format", "on"}},
		{"token_endpoint_auth_signing_alg", "demands PS256, ES256 or EdDSA", []string{"token_endpoint_auth_method", "private_key_jwt", "token_endpoint_auth_signing_alg", "RS256"}},
		{"request_object_signing_alg", "demands PS256, ES256 or EdDSA", []string{"request_object_signing_alg", "ES384"}},
		{"userinfo_signed_response_alg", "demands PS256, ES256 or EdDSA", []string{"userinfo_signed", "on"}},
		{"jwks", "demands a key for PS256, ES256 or EdDSA", []string{"jwks", curve384Keys}},
		{"jwks", "Paste the public keys", []string{"jwks", ""}},
	} {
		p := b.submit(b.open(shopPath+"/settings"), append([]string{"profile", "fapi2", "jwks", pastedKeys, "name", "Till", "action", "save"}, test.fields...)...)
		says(t, p, http.StatusUnprocessableEntity, test.want, `id="`+test.field+`-problem"`, `href="#`+test.field+`"`, `value="Till"`, `id="profile-fapi2" name="profile" value="fapi2" checked`)
	}
	// All that says otherwise is told at once.
	p := b.submit(b.open(shopPath+"/settings"), "profile", "fapi2", "jwks", pastedKeys, "access_token_format", "on", "response_types.code-id_token", "on", "action", "save")
	says(t, p, http.StatusUnprocessableEntity, `id="response_types-problem"`, `id="access_token_format-problem"`)
	unchanged("the application")
}

// Who takes back what the profile has set is told so at the field, instead of being overruled.
func TestAProfileThatIsRegisteredRefusesToBeUndone(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	b.withProfile("fapi2-signing")
	unchanged := w.unchanged()
	for field, value := range map[string]string{
		"require_pushed_authorization_requests": "-", "require_pkce": "-", "dpop_bound_access_tokens": "-", "require_signed_request_object": "-",
		"id_token_signed_response_alg": "RS256", "authorization_signed_response_alg": "RS256", "token_endpoint_auth_method": "any",
	} {
		says(t, b.submit(b.open(shopPath+"/settings"), field, value, "action", "save"), http.StatusUnprocessableEntity, "The security profile demands", `id="`+field+`-problem"`)
	}
	unchanged("the application")
}

func TestAttackAProfileWhereNoneIsOffered(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.Dialect = provider.V3 })
	w.withApplication(river, storage.Sandbox, "page", func(c *provider.Client) { c.Public = true })
	w.withApplication(river, storage.Production, "plain") // of a provider that signs by RS256 alone
	b := w.as(dev)
	unchanged := w.unchanged()
	for _, path := range []string{shopPath, "/developer/o/river/sandbox/page", "/developer/o/river/production/plain"} {
		p := b.open(path + "/settings")
		if strings.Contains(p.body, `name="profile"`) {
			t.Errorf("%s offers a profile", path)
		}
		action, fields := p.form(t, "action", "save")
		for _, name := range []string{"fapi2", "fapi3", ""} {
			fields.Set("profile", name)
			says(t, b.follow(b.post(action, fields)), http.StatusOK, "saved and active")
		}
	}
	unchanged("an application")
}

// The copy in an environment that cannot do what the profile demands is refused.
func TestAProfileIsNotLostOnTheWayToProduction(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	b.withProfile("fapi2")
	says(t, b.submit(b.open(shopPath), "action", "copy"), http.StatusUnprocessableEntity, "offer this security profile")
}

func TestTheAlgorithmsOfSignatures(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	p := b.open(shopPath + "/settings")
	says(t, p, http.StatusOK, "some fail at a key set that also has other keys")
	says(t, b.submit(p, "id_token_signed_response_alg", "ES256", "userinfo_signed", "on", "userinfo_signed_response_alg", "EdDSA",
		"authorization_signed_response_alg", "EdDSA", "action", "save"), http.StatusOK, "saved and active")
	want := w.client(storage.Sandbox, "shop")
	if want.IDTokenSignedResponseAlg != "ES256" || want.UserinfoSignedResponseAlg != "EdDSA" || want.AuthorizationSignedResponseAlg != "EdDSA" {
		t.Errorf("registered %+v", want)
	}
	fields := w.changes(river)[0].Fields
	for name, alg := range map[string]string{"id_token_signed_response_alg": "ES256", "userinfo_signed_response_alg": "EdDSA", "authorization_signed_response_alg": "EdDSA"} {
		if !slices.ContainsFunc(fields, func(f storage.ChangedField) bool { return f.Name == name && f.After == alg }) {
			t.Errorf("recorded %+v without %s", fields, name)
		}
	}
	unchanged := w.unchanged()
	says(t, b.submit(b.open(shopPath+"/settings"), "action", "save"), http.StatusOK, "saved and active")
	unchanged("what was just saved")
	// One that the provider does not sign with changes nothing.
	b.submit(b.open(shopPath+"/settings"), "id_token_signed_response_alg", "none", "authorization_signed_response_alg", "PS256", "userinfo_signed_response_alg", "HS256", "action", "save")
	if diff := cmp.Diff(want, w.client(storage.Sandbox, "shop"), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(provider.Client{}, "Revision")); diff != "" {
		t.Errorf("another algorithm (-before +after):\n%s", diff)
	}
	b.submit(b.open(shopPath+"/settings"), "id_token_signed_response_alg", "RS256", "userinfo_signed", "-", "authorization_signed_response_alg", "RS256", "action", "save")
	if c := w.client(storage.Sandbox, "shop"); c.IDTokenSignedResponseAlg+c.UserinfoSignedResponseAlg+c.AuthorizationSignedResponseAlg != "" {
		t.Errorf("the default is registered as %+v", c)
	}
}

func TestAMachineClientHasAProfile(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(dev)
	path := b.machine("scopes.military", "on")
	says(t, b.submit(b.open(path+"/settings"), "profile", "fapi2", "jwks", pastedKeys, "action", "save"), http.StatusOK, "its secrets are revoked")
	_, c := w.registered(river, storage.Sandbox)
	if c.Profile != "fapi2" || c.TokenEndpointAuthMethod != "private_key_jwt" || !c.DPoPBoundAccessTokens || len(c.ResponseTypes) > 0 {
		t.Errorf("registered %+v", c)
	}
	unchanged := w.unchanged()
	says(t, b.submit(b.open(path+"/settings"), "action", "save"), http.StatusOK, "saved and active")
	unchanged("what was just saved")
}

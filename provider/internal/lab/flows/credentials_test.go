package flows

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/credential"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// What asks for the credential that alice can have: by scope, and in detail.
const (
	ofVeterans = "credential:military"
	detailed   = `[{"type":"openid_credential","credential_configuration_id":"military"}]`
)

// withCredentials is a provider whose users can have two groups in wallets.
func withCredentials(t *testing.T, change ...func(*provider.Config)) *lab.Fixture {
	t.Helper()
	return lab.New(t, append(change, func(c *provider.Config) {
		c.Credentials = credential.Kinds{{Group: "military"}, {Group: "student"}}
	})...).WithClients().WithUsers()
}

// forWallet are the parameters of an authorization request of a wallet, which always names the issuer.
func forWallet(w *lab.Fixture, pairs ...string) []string {
	return append(lab.Std("scope", ofVeterans, "resource", w.Issuer()), pairs...)
}

// detailsOf returns the identifiers in the authorization_details of a token answer; nil for none.
func detailsOf(t *testing.T, tokens map[string]any) any {
	t.Helper()
	if tokens["authorization_details"] == nil {
		return nil
	}
	detail := map[string]any{"type": "openid_credential", "credential_configuration_id": "military", "credential_identifiers": []any{"military"}}
	if diff := cmp.Diff([]any{detail}, tokens["authorization_details"]); diff != "" {
		t.Errorf("authorization_details (-want +got):\n%s", diff)
	}
	return "military"
}

func TestCredentialsAreAskedFor(t *testing.T) {
	t.Parallel()
	w := withCredentials(t)
	b := w.Alice()
	_, metadata := b.JSON(b.Get(lab.DiscoveryPath))
	if diff := cmp.Diff([]any{"openid_credential"}, metadata["authorization_details_types_supported"]); diff != "" || !slices.Contains(metadata["scopes_supported"].([]any), any(ofVeterans)) {
		t.Errorf("metadata %v", metadata)
	}
	redeem := func(t *testing.T, code string, pairs ...string) map[string]any {
		t.Helper()
		p, tokens := b.Token(lab.Std(append([]string{"code", code}, pairs...)...)...)
		lab.Granted(t, p, tokens)
		return tokens
	}
	t.Run("ByScope", func(t *testing.T) {
		tokens := redeem(t, b.Allow(forWallet(w)...).Get("code"), "resource", w.Issuer())
		if tokens["scope"] != ofVeterans || detailsOf(t, tokens) != nil {
			t.Errorf("%v", tokens)
		}
	})
	t.Run("ByScopeWithoutResource", func(t *testing.T) {
		tokens := redeem(t, b.Allow(lab.Std("scope", "openid "+ofVeterans)...).Get("code"), "resource", w.Issuer())
		if tokens["scope"] != ofVeterans { // openid means nothing to the issuer of credentials
			t.Errorf("%v", tokens)
		}
		if p := b.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token")); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("userinfo answers a token for credentials: %d", p.StatusCode)
		}
	})
	t.Run("ByTheResourceAlone", func(t *testing.T) { // which is by all scopes that mean something to it
		if p := b.Open(lab.AuthorizeURL(lab.Std("scope", "", "resource", w.Issuer())...)); !strings.Contains(p.Text, "Student") {
			t.Errorf("%s", p.Text)
		}
	})
	t.Run("ByDetails", func(t *testing.T) {
		tokens := redeem(t, b.Allow(forWallet(w, "scope", "openid offline_access", "authorization_details", detailed)...).Get("code"))
		if detailsOf(t, tokens) == nil || !strings.Contains(lab.Member(t, tokens, "scope"), ofVeterans) {
			t.Fatalf("%v", tokens)
		}
		p, refreshed := b.Refresh(lab.Member(t, tokens, "refresh_token"), "resource", w.Issuer())
		if lab.Granted(t, p, refreshed); detailsOf(t, refreshed) == nil {
			t.Errorf("refreshed %v", refreshed)
		}
		p, narrow := b.Refresh(lab.Member(t, refreshed, "refresh_token"), "scope", "openid")
		if lab.Granted(t, p, narrow); detailsOf(t, narrow) != nil {
			t.Errorf("narrowed %v", narrow)
		}
	})
	t.Run("ByDetailsAndScope", func(t *testing.T) {
		if tokens := redeem(t, b.Allow(forWallet(w, "authorization_details", detailed)...).Get("code")); detailsOf(t, tokens) == nil {
			t.Errorf("%v", tokens)
		}
	})
	t.Run("Pushed", func(t *testing.T) {
		p := b.Open(lab.PushedURL("std", b.Pushed("scope", "openid", "resource", w.Issuer(), "authorization_details", detailed)))
		if tokens := redeem(t, lab.Response(t, consentTo(b, p)).Get("code")); detailsOf(t, tokens) == nil {
			t.Errorf("%v", tokens)
		}
	})
}

// TestTokensHaveTheDetailsThatTheirRequestNames narrows what was granted at the token endpoint (RFC 9396
// section 6).
func TestTokensHaveTheDetailsThatTheirRequestNames(t *testing.T) {
	t.Parallel()
	w := withCredentials(t)
	w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "student", Verified: true}))
	b := w.Alice()
	grant := func() string {
		return b.Allow(forWallet(w, "scope", "openid offline_access "+ofVeterans+" credential:student")...).Get("code")
	}
	refused := func(t *testing.T, p lab.Page, body map[string]any) {
		t.Helper()
		if p.StatusCode != http.StatusBadRequest || body["error"] != "invalid_authorization_details" || body["access_token"] != nil {
			t.Errorf("%d %s", p.StatusCode, p.Text)
		}
	}
	code := grant()
	for _, details := range []string{"x", "[]", `[{"type":"payment"}]`, strings.Replace(detailed, "military", "teacher", 1)} {
		p, body := b.Token(lab.Std("code", code, "authorization_details", details)...)
		refused(t, p, body)
	}
	p, tokens := b.Token(lab.Std("code", code, "authorization_details", detailed)...) // which no mistake has spent
	if lab.Granted(t, p, tokens); tokens["scope"] != "openid offline_access "+ofVeterans || detailsOf(t, tokens) == nil {
		t.Errorf("%v", tokens)
	}
	p, tokens = b.Refresh(lab.Member(t, tokens, "refresh_token"), "resource", w.Issuer(), "authorization_details", strings.Replace(detailed, "military", "student", 1))
	if lab.Granted(t, p, tokens); tokens["scope"] != "credential:student" { // the grant has both
		t.Errorf("%v", tokens)
	}
	p, body := b.Refresh(lab.Member(t, tokens, "refresh_token"), "scope", ofVeterans, "authorization_details", strings.Replace(detailed, "military", "student", 1))
	refused(t, p, body)
	p, body = b.Token(lab.Std("code", b.Allow(lab.Std("scope", "openid military")...).Get("code"), "authorization_details", detailed)...)
	refused(t, p, body)
	p, body = b.Token("code", b.Allow().Get("code"), "authorization_details", detailed) // of the other dialect, which has none
	lab.Granted(t, p, body)
}

// consentTo allows what a page asks for, if it asks.
func consentTo(b *lab.Browser, p lab.Page) lab.Page {
	if p.StatusCode == http.StatusOK {
		return b.Submit(p, "action", "allow")
	}
	return p
}

func TestCredentialsAreInRequestObjects(t *testing.T) {
	t.Parallel()
	w := withCredentials(t).WithSigners()
	b, key := w.Alice(), lab.ClientKeys()["ES256"]
	details := []any{map[string]any{"type": "openid_credential", "credential_configuration_id": "military"}}
	answer := b.Allow("client_id", "key", "request", key.Sign(t, w.Object("key", "scope", "openid", "authorization_details", details)))
	p, tokens := b.Asserted(lab.TokenPath, key.Sign(t, w.Assertion("key")), "grant_type", "authorization_code", "code", answer.Get("code"), "redirect_uri", lab.CallbackURI)
	if lab.Granted(t, p, tokens); detailsOf(t, tokens) == nil {
		t.Errorf("%v", tokens)
	}
}

func TestCredentialsNeedAVerifiedUser(t *testing.T) {
	t.Parallel()
	w := withCredentials(t, func(c *provider.Config) {
		c.Verifiers = map[string]provider.Verifier{"military": (&lab.Office{}).Verify}
	})
	bob := w.Bob()
	p := bob.Open(lab.AuthorizeURL(forWallet(w)...))
	if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, `value="verify"`) || strings.Contains(p.Text, `value="allow"`) {
		t.Fatalf("%s\n%s", p.Status, p.Text)
	}
	lab.Told(t, w, bob.Submit(p, "action", "deny"), "access_denied")
	w.Record(provider.Status{Verified: true})
	silent := lab.AuthorizeURL(forWallet(w, "prompt", "none")...)
	bob.Allow(forWallet(w)...)
	if lab.CodeOf(bob.Get(silent)) == "" {
		t.Error("a verified user who has allowed it gets no code")
	}
	w.Record(provider.Status{})
	lab.Told(t, w, bob.Get(silent), "access_denied")
}

func TestCredentialsAreRefused(t *testing.T) {
	t.Parallel()
	w := withCredentials(t, func(c *provider.Config) { c.DeviceAuthorization.On = true })
	b := w.Alice()
	for name, details := range map[string]string{
		"Unknown": `[{"type":"openid_credential","credential_configuration_id":"teacher"}]`, "OtherType": `[{"type":"payment"}]`, "NoList": `{}`,
		"Mixed": strings.Replace(detailed, "]", `,{"type":"openid_credential"}]`, 1), "Long": `[{"type":"` + strings.Repeat("x", 5<<10) + `"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			lab.Told(t, w, b.Get(lab.AuthorizeURL(forWallet(w, "authorization_details", details)...)), "invalid_authorization_details")
			if p, body := b.Push("authorization_details", details); p.StatusCode != http.StatusBadRequest || body["error"] != "invalid_authorization_details" {
				t.Errorf("pushed: %d %v", p.StatusCode, body)
			}
		})
	}
	t.Run("OfTheOtherDialect", func(t *testing.T) {
		lab.Told(t, w, b.Get(lab.AuthorizeURL("scope", ofVeterans)), "invalid_scope")
		if p := b.Open(lab.AuthorizeURL("scope", "openid")); p.StatusCode != http.StatusOK || strings.Contains(p.Text, ofVeterans) {
			t.Errorf("%d offers a credential to an application of the dialect v3", p.StatusCode)
		}
	})
	t.Run("ForAnotherGrant", func(t *testing.T) {
		code := b.Allow(lab.Std("scope", "openid military")...).Get("code")
		if p, body := b.Token(lab.Std("code", code, "resource", w.Issuer())...); p.StatusCode != http.StatusBadRequest || body["error"] != "invalid_target" {
			t.Errorf("%d %v", p.StatusCode, body)
		}
	})
	t.Run("Device", func(t *testing.T) {
		w.OK(w.Clients().Save(t.Context(), provider.Client{
			ID: "tv", Name: "TV", Dialect: provider.Standard, Public: true, GrantTypes: []string{"urn:ietf:params:oauth:grant-type:device_code"},
		}))
		p, body := b.JSON(b.Post("/oauth/device_authorization", lab.Form("client_id", "tv", "scope", ofVeterans)))
		if p.StatusCode != http.StatusBadRequest || body["error"] != "invalid_scope" {
			t.Errorf("%d %v", p.StatusCode, body)
		}
	})
}

// TestNothingOfCredentialsIsThereWithoutThem holds that a provider without them is as it was.
func TestNothingOfCredentialsIsThereWithoutThem(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.Alice()
	if _, metadata := b.JSON(b.Get(lab.DiscoveryPath)); metadata["authorization_details_types_supported"] != nil {
		t.Error("the metadata has authorization_details")
	}
	lab.Told(t, w, b.Get(lab.AuthorizeURL(forWallet(w, "scope", "openid")...)), "invalid_target")
	code := b.Allow(lab.Std("scope", "openid military", "authorization_details", detailed)...).Get("code")
	p, tokens := b.Token(lab.Std("code", code)...)
	if lab.Granted(t, p, tokens); tokens["authorization_details"] != nil || tokens["scope"] != "openid military" {
		t.Errorf("%v", tokens)
	}
}

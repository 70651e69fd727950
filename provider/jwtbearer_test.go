package provider_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// bearerToken asks for a token to what a user has allowed, with an assertion of the client key.
func (b *browser) bearerToken(assertion map[string]any, pairs ...string) (page, map[string]any) {
	b.t.Helper()
	key := clientKeys()["ES256"]
	return b.asserted(tokenPath, key.sign(b.t, b.w.assertion("key")), append([]string{"grant_type", bearerGrant, "assertion", key.sign(b.t, assertion)}, pairs...)...)
}

// assertionAbout returns the claims of an assertion about a user.
func (w *fixture) assertionAbout(user string, pairs ...any) map[string]any {
	return with(w.assertion("key"), append([]any{"sub", user}, pairs...)...)
}

func TestJWTBearerWithinTheConsent(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers().withSigners()
	b := w.alice()
	b.allow("client_id", "key", "scope", "openid military")
	for name, c := range map[string]struct{ asked, want string }{
		"All":         {"", "openid military"},
		"Some":        {"military", "military"},
		"MoreThanAll": {"openid military student identity offline_access", "openid military"},
	} {
		t.Run(name, func(t *testing.T) {
			p, body := b.bearerToken(w.assertionAbout("alice"), "scope", c.asked)
			token := granted(t, p, body)
			if body["scope"] != c.want || body["refresh_token"] != nil || body["id_token"] != nil {
				t.Errorf("%s", p.body)
			}
			if strings.Contains(c.want, "openid") {
				if _, claims := b.json(b.bearer(userinfoPath, token)); claims["sub"] != "alice" || claims["status"] == nil {
					t.Errorf("userinfo %v", claims)
				}
			}
		})
	}
	t.Run("UntilItIsRevoked", func(t *testing.T) {
		p, body := b.bearerToken(w.assertionAbout("alice"))
		token := granted(t, p, body)
		w.ok(w.store.RevokeConsent(t.Context(), "alice", "key", w.now()))
		p, _ = b.bearerToken(w.assertionAbout("alice"))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
		w.advance(time.Second)
		if p := b.bearer(userinfoPath, token); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("userinfo %s", p.Status)
		}
	})
}

func TestAttackJWTBearer(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers().withSigners()
	b, key := w.alice(), clientKeys()["ES256"]
	b.allow("client_id", "key", "scope", "openid military")
	b.allow("client_id", "key2", "scope", "openid student")
	w.account(provider.Account{ID: "key", Email: "key@example.com", Password: alicePass})
	for name, assertion := range map[string]map[string]any{
		"UserWhoHasNotAllowedIt": w.assertionAbout("bob"),
		"UnknownUser":            w.assertionAbout("nobody"),
		"Nobody":                 w.assertionAbout(" "),
		"NoUser":                 w.assertionAbout("alice", "sub", nil),
		"UserNamedAsTheClient":   w.assertionAbout("key"),
		"OtherIssuer":            w.assertionAbout("alice", "iss", "key2"),
		"OtherProvider":          w.assertionAbout("alice", "aud", "https://other.test/oauth/token"),
		"Expired":                w.assertionAbout("alice", "exp", 1),
		"ForDays":                w.assertionAbout("alice", "exp", w.now().Add(48*time.Hour).Unix()),
		"NoExpiry":               w.assertionAbout("alice", "exp", nil),
		"NoID":                   w.assertionAbout("alice", "jti", nil),
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := b.bearerToken(assertion)
			refused(t, p, http.StatusBadRequest, "invalid_grant")
		})
	}
	for name, assertion := range map[string]string{
		"ForeignKey":        clientKeys()["foreign"].sign(t, w.assertionAbout("alice")),
		"Unsigned":          unsigned(t, w.assertionAbout("alice"), "none"),
		"PublicKeyAsSecret": withPublicKeyAsSecret(t, w.assertionAbout("alice")),
		"RequestObject":     key.sign(t, w.object("key", "sub", "alice", "jti", "x"), "typ", "oauth-authz-req+jwt"),
		"Garbage":           "x",
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := b.asserted(tokenPath, key.sign(t, w.assertion("key")), "grant_type", bearerGrant, "assertion", assertion)
			refused(t, p, http.StatusBadRequest, "invalid_grant")
		})
	}
	t.Run("Replayed", func(t *testing.T) {
		assertion := w.assertionAbout("alice")
		p, body := b.bearerToken(assertion)
		granted(t, p, body)
		p, _ = b.bearerToken(assertion)
		refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("ForTheConsentOfAnother", func(t *testing.T) {
		p, _ := b.bearerToken(w.assertionAbout("alice"), "scope", "student")
		refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("WithoutAuthentication", func(t *testing.T) {
		p, _ := b.token("grant_type", bearerGrant, "client_id", "key", "client_secret", "", "assertion", key.sign(t, w.assertionAbout("alice")))
		refused(t, p, http.StatusUnauthorized, "invalid_client")
	})
	t.Run("AsAnotherClient", func(t *testing.T) {
		p, _ := b.asserted(tokenPath, clientKeys()["foreign"].sign(t, with(w.assertion("key2"), "iss", "key2")), "grant_type", bearerGrant, "assertion", key.sign(t, w.assertionAbout("alice")))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("NotRegistered", func(t *testing.T) {
		p, _ := b.asserted(tokenPath, key.sign(t, w.assertion("es256")), "grant_type", bearerGrant, "assertion", key.sign(t, w.assertionAbout("alice")))
		refused(t, p, http.StatusBadRequest, "unauthorized_client")
		p, _ = b.token("grant_type", bearerGrant, "assertion", key.sign(t, w.assertionAbout("alice")))
		refused(t, p, http.StatusBadRequest, "unsupported_grant_type")
	})
	t.Run("WithoutAssertion", func(t *testing.T) {
		p, _ := b.asserted(tokenPath, key.sign(t, w.assertion("key")), "grant_type", bearerGrant)
		refused(t, p, http.StatusBadRequest, "invalid_request")
	})
	t.Run("LockedUser", func(t *testing.T) {
		w.ok(w.SetAccountDisabled(t.Context(), "alice", true))
		p, _ := b.bearerToken(w.assertionAbout("alice"))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	if n := w.count("grants"); n == 0 {
		t.Error("nothing was granted at all")
	}
}

// TestJWTBearerOfTheHostsOwn needs no decision, and the user finds it all the same.
func TestJWTBearerOfTheHostsOwn(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers().withSigners()
	c, err := w.Client(t.Context(), "key")
	w.ok(err)
	c.SkipConsent, c.Scopes = true, []string{"openid", "military"}
	w.ok(w.SaveClient(t.Context(), c))
	b := w.newBrowser()
	p, body := b.bearerToken(w.assertionAbout("alice"), "scope", "military student")
	granted(t, p, body)
	if body["scope"] != "military" {
		t.Errorf("%s", p.body)
	}
	p, _ = b.bearerToken(w.assertionAbout("nobody"))
	refused(t, p, http.StatusBadRequest, "invalid_grant")
	if p := w.alice().open("/account/apps"); !strings.Contains(p.body, "Key App") && !strings.Contains(p.body, ">key<") {
		t.Errorf("the user does not find it:\n%s", p.body)
	}
	c.SkipConsent, c.Revision = false, 0
	w.ok(w.SaveClient(t.Context(), c))
	w.advance(time.Second)
	p, _ = b.bearerToken(w.assertionAbout("alice")) // its use is no decision
	refused(t, p, http.StatusBadRequest, "invalid_grant")
}

// TestJWTBearerInV3 tests that a token has exactly one scope value there, which nobody can
// pick.
func TestJWTBearerInV3(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers().withSigners()
	c, err := w.Client(t.Context(), "key")
	w.ok(err)
	c.Dialect = provider.V3
	w.ok(w.SaveClient(t.Context(), c))
	b := w.alice()
	b.allow("client_id", "key", "scope", "openid military")
	b.allow("client_id", "key", "scope", "identity")
	for _, scope := range []string{"", "openid", "military identity"} {
		p, _ := b.bearerToken(w.assertionAbout("alice"), "scope", scope)
		refused(t, p, http.StatusBadRequest, "invalid_scope")
	}
	p, body := b.bearerToken(w.assertionAbout("alice"), "scope", "openid military")
	granted(t, p, body)
	if body["scope"] != "openid military" {
		t.Errorf("%s", p.body)
	}
}

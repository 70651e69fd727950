package grants

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestJWTBearerWithinTheConsent(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	b := w.Alice()
	b.Allow("client_id", "key", "scope", "openid military")
	for name, c := range map[string]struct{ asked, want string }{
		"All":         {"", "openid military"},
		"Some":        {"military", "military"},
		"MoreThanAll": {"openid military student identity offline_access", "openid military"},
	} {
		t.Run(name, func(t *testing.T) {
			p, body := b.BearerToken(w.AssertionAbout("alice"), "scope", c.asked)
			token := lab.Granted(t, p, body)
			if body["scope"] != c.want || body["refresh_token"] != nil || body["id_token"] != nil {
				t.Errorf("%s", p.Text)
			}
			if strings.Contains(c.want, "openid") {
				if _, claims := b.JSON(b.Bearer(lab.UserinfoPath, token)); claims["sub"] != "alice" || claims["status"] == nil {
					t.Errorf("userinfo %v", claims)
				}
			}
		})
	}
	t.Run("NotWhereTheUserMustBeThere", func(t *testing.T) {
		client := testkit.Must(w.Clients().Get(t.Context(), "key"))(w.T)
		before := client.Requires
		for _, required := range []provider.Requirement{{Assurance: provider.OneFactor}, {MaxAge: time.Hour}, {Enrolled: time.Hour}} {
			client.Requires, client.Revision = required, 0
			w.OK(w.Clients().Save(t.Context(), client))
			w.Advance(time.Second)
			p, _ := b.BearerToken(w.AssertionAbout("alice"))
			lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		}
		client.Requires = before
		w.OK(w.Clients().Save(t.Context(), client))
		w.Advance(time.Second)
	})
	t.Run("UntilItIsRevoked", func(t *testing.T) {
		p, body := b.BearerToken(w.AssertionAbout("alice"))
		token := lab.Granted(t, p, body)
		w.OK(w.Store.RevokeConsent(t.Context(), "alice", "key", w.Now()))
		p, _ = b.BearerToken(w.AssertionAbout("alice"))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		w.Advance(time.Second)
		if p := b.Bearer(lab.UserinfoPath, token); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("userinfo %s", p.Status)
		}
	})
}

func TestAttackJWTBearer(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers().WithSigners()
	b, key := w.Alice(), lab.ClientKeys()["ES256"]
	b.Allow("client_id", "key", "scope", "openid military")
	b.Allow("client_id", "key2", "scope", "openid student")
	w.AddAccount(provider.Account{ID: "key", Email: "key@example.com", Password: lab.AlicePass})
	for name, assertion := range map[string]map[string]any{
		"UserWhoHasNotAllowedIt": w.AssertionAbout("bob"),
		"UnknownUser":            w.AssertionAbout("nobody"),
		"Nobody":                 w.AssertionAbout(" "),
		"NoUser":                 w.AssertionAbout("alice", "sub", nil),
		"UserNamedAsTheClient":   w.AssertionAbout("key"),
		"OtherIssuer":            w.AssertionAbout("alice", "iss", "key2"),
		"OtherProvider":          w.AssertionAbout("alice", "aud", "https://other.test/oauth/token"),
		"Expired":                w.AssertionAbout("alice", "exp", 1),
		"ForDays":                w.AssertionAbout("alice", "exp", w.Now().Add(48*time.Hour).Unix()),
		"NoExpiry":               w.AssertionAbout("alice", "exp", nil),
		"NoID":                   w.AssertionAbout("alice", "jti", nil),
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := b.BearerToken(assertion)
			lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		})
	}
	for name, assertion := range map[string]string{
		"ForeignKey":        lab.ClientKeys()["foreign"].Sign(t, w.AssertionAbout("alice")),
		"Unsigned":          lab.Unsigned(t, w.AssertionAbout("alice"), "none"),
		"PublicKeyAsSecret": lab.WithPublicKeyAsSecret(t, w.AssertionAbout("alice")),
		"RequestObject":     key.Sign(t, w.Object("key", "sub", "alice", "jti", "x"), "typ", "oauth-authz-req+jwt"),
		"Garbage":           "x",
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := b.Asserted(lab.TokenPath, key.Sign(t, w.Assertion("key")), "grant_type", lab.BearerGrant, "assertion", assertion)
			lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		})
	}
	t.Run("Replayed", func(t *testing.T) {
		assertion := w.AssertionAbout("alice")
		p, body := b.BearerToken(assertion)
		lab.Granted(t, p, body)
		p, _ = b.BearerToken(assertion)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("ForTheConsentOfAnother", func(t *testing.T) {
		p, _ := b.BearerToken(w.AssertionAbout("alice"), "scope", "student")
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("WithoutAuthentication", func(t *testing.T) {
		p, _ := b.Token("grant_type", lab.BearerGrant, "client_id", "key", "client_secret", "", "assertion", key.Sign(t, w.AssertionAbout("alice")))
		lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
	})
	t.Run("AsAnotherClient", func(t *testing.T) {
		p, _ := b.Asserted(lab.TokenPath, lab.ClientKeys()["foreign"].Sign(t, lab.With(w.Assertion("key2"), "iss", "key2")), "grant_type", lab.BearerGrant, "assertion", key.Sign(t, w.AssertionAbout("alice")))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("NotRegistered", func(t *testing.T) {
		p, _ := b.Asserted(lab.TokenPath, key.Sign(t, w.Assertion("es256")), "grant_type", lab.BearerGrant, "assertion", key.Sign(t, w.AssertionAbout("alice")))
		lab.Refused(t, p, http.StatusBadRequest, "unauthorized_client")
		p, _ = b.Token("grant_type", lab.BearerGrant, "assertion", key.Sign(t, w.AssertionAbout("alice")))
		lab.Refused(t, p, http.StatusBadRequest, "unsupported_grant_type")
	})
	t.Run("WithoutAssertion", func(t *testing.T) {
		p, _ := b.Asserted(lab.TokenPath, key.Sign(t, w.Assertion("key")), "grant_type", lab.BearerGrant)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
	})
	t.Run("LockedUser", func(t *testing.T) {
		w.OK(w.Accounts().SetDisabled(t.Context(), "alice", true))
		p, _ := b.BearerToken(w.AssertionAbout("alice"))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	if n := w.Count("grants"); n == 0 {
		t.Error("nothing was granted at all")
	}
}

// TestJWTBearerOfTheHostsOwn needs no decision, and the user finds it all the same.
func TestJWTBearerOfTheHostsOwn(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	c := testkit.Must(w.Clients().Get(t.Context(), "key"))(w.T)
	c.SkipConsent, c.Scopes = true, []string{"openid", "military"}
	w.OK(w.Clients().Save(t.Context(), c))
	b := w.NewBrowser()
	p, body := b.BearerToken(w.AssertionAbout("alice"), "scope", "military student")
	lab.Granted(t, p, body)
	if body["scope"] != "military" {
		t.Errorf("%s", p.Text)
	}
	p, _ = b.BearerToken(w.AssertionAbout("nobody"))
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	if p := w.Alice().Open("/account/apps"); !strings.Contains(p.Text, "Key App") && !strings.Contains(p.Text, ">key<") {
		t.Errorf("the user does not find it:\n%s", p.Text)
	}
	c.SkipConsent, c.Revision = false, 0
	w.OK(w.Clients().Save(t.Context(), c))
	w.Advance(time.Second)
	p, _ = b.BearerToken(w.AssertionAbout("alice")) // its use is no decision
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
}

// TestJWTBearerInV3 tests that a token has exactly one scope value there, which nobody can
// pick.
func TestJWTBearerInV3(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	c := testkit.Must(w.Clients().Get(t.Context(), "key"))(w.T)
	c.Dialect = provider.V3
	w.OK(w.Clients().Save(t.Context(), c))
	b := w.Alice()
	b.Allow("client_id", "key", "scope", "openid military")
	b.Allow("client_id", "key", "scope", "identity")
	for _, scope := range []string{"", "openid", "military identity"} {
		p, _ := b.BearerToken(w.AssertionAbout("alice"), "scope", scope)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_scope")
	}
	p, body := b.BearerToken(w.AssertionAbout("alice"), "scope", "openid military")
	lab.Granted(t, p, body)
	if body["scope"] != "openid military" {
		t.Errorf("%s", p.Text)
	}
}

package accounts

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// withByes registers an application with a post-logout address of every kind.
func withByes(w *lab.Fixture) *lab.Fixture {
	w.T.Helper()
	testkit.OK(w.T, w.Clients().Save(w.T.Context(), provider.Client{
		ID: "app", Name: "Pocket App", Dialect: provider.Standard, Public: true, RedirectURIs: []string{lab.CallbackURI},
		PostLogoutRedirectURIs: []string{"https://rp.test/bye", "http://127.0.0.1:7000/bye", "com.example.app:/bye"},
	}))
	return w
}

func signOutURL(back string) string {
	return "/signout?" + url.Values{"client_id": {"app"}, "post_logout_redirect_uri": {back}, "state": {"s 1"}}.Encode()
}

func TestSignOutByForm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ back, schemes string }{
		"ASite":    {"https://rp.test/bye", "form-action 'self' https:"},
		"Loopback": {"http://127.0.0.1:7000/bye", "form-action 'self' https: http:"},
		"AnApp":    {"com.example.app:/bye", "form-action 'self' https: com.example.app:"},
	} {
		t.Run("LetsThroughTo"+name, func(t *testing.T) {
			w := withByes(lab.New(t).WithUsers())
			b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
			p := b.Get(signOutURL(c.back))
			if policy := p.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, c.schemes) {
				t.Errorf("policy %q does not end with %q", policy, c.schemes)
			}
			p = b.SubmitOnce(p)
			want := c.back + "?state=s+1"
			if strings.HasPrefix(c.back, "http") {
				if p.StatusCode != http.StatusSeeOther || p.Header.Get("Location") != want {
					t.Errorf("answered %s %q", p.Status, p.Header.Get("Location"))
				}
				return
			}
			// Chromium follows no form to an app; a page with a link does.
			if p.StatusCode != http.StatusOK || p.Next() != want || !strings.Contains(p.Text, `href="`+want+`"`) ||
				!strings.Contains(p.Text, "Pocket App") {
				t.Errorf("answered %s %v\n%s", p.Status, p.Header, p.Text)
			}
			if b.IsSignedIn() {
				t.Error("still signed in")
			}
		})
	}
	t.Run("OfNoApplicationAllowsNoOtherScheme", func(t *testing.T) {
		w := withByes(lab.New(t).WithUsers())
		p := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass).Get("/signout")
		if policy := p.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "form-action 'self' https:") {
			t.Errorf("policy %q", policy)
		}
	})
}

func TestSignOutAtAHost(t *testing.T) {
	t.Parallel()
	signedIn := true
	w := withByes(lab.NewHosted(t, func() provider.SignedIn {
		if !signedIn {
			return provider.SignedIn{}
		}
		return provider.SignedIn{UserID: "carol", AuthTime: time.Now().Add(-time.Hour)}
	}))
	testkit.OK(t, w.People().SetAttributes(t.Context(), "carol", map[string]any{"fname": "Carol"}))
	b := w.NewBrowser()
	// given returns the return_to that the host's sign-out page is sent.
	given := func(t *testing.T, back string) string {
		t.Helper()
		p := b.SubmitOnce(b.Get(signOutURL(back)))
		page, returnTo, _ := strings.Cut(p.Header.Get("Location"), "?return_to=")
		returnTo, err := url.QueryUnescape(returnTo)
		if p.StatusCode != http.StatusSeeOther || page != "https://host.test/logout" || err != nil {
			t.Fatalf("answered %s %q", p.Status, p.Header.Get("Location"))
		}
		return returnTo
	}

	t.Run("IsToldAnAddressThatItKnowsAgain", func(t *testing.T) {
		returnTo := given(t, "https://rp.test/bye")
		if !strings.HasPrefix(returnTo, w.Server.URL+"/signout?") || !w.Pages().IsReturnTo(returnTo) || strings.Contains(returnTo, "rp.test") {
			t.Errorf("return_to %q", returnTo)
		}
		for _, made := range []string{returnTo[:len(returnTo)-1], returnTo + "&x=1", returnTo + "#x", "https://rp.test/bye",
			w.Server.URL + "/signout?signed_out=", w.Server.URL + "/signout", strings.Replace(returnTo, "/signout?signed_out=", "/oauth/authorize?flow=", 1)} {
			if w.Pages().IsReturnTo(made) {
				t.Errorf("%q is taken for our own", made)
			}
		}
		signedIn = false
		if p := b.Get(returnTo); p.StatusCode != http.StatusSeeOther || p.Header.Get("Location") != "https://rp.test/bye?state=s+1" {
			t.Errorf("going on: %s %q", p.Status, p.Header.Get("Location"))
		}
		signedIn = true
	})
	t.Run("GoesOnToAnAppByAPage", func(t *testing.T) {
		p := b.Get(given(t, "com.example.app:/bye"))
		if p.StatusCode != http.StatusOK || p.Next() != "com.example.app:/bye?state=s+1" {
			t.Errorf("answered %s %v", p.Status, p.Header)
		}
	})
	t.Run("GoesNowhereElse", func(t *testing.T) {
		returnTo := given(t, "https://rp.test/bye")
		for _, made := range []string{returnTo[:len(returnTo)-2], "/signout?signed_out=x", "/signout?signed_out=" + url.QueryEscape("https://evil.test/")} {
			lab.Shown(t, b.Get(made), http.StatusBadRequest)
		}
		testkit.OK(t, w.Clients().Save(t.Context(), provider.Client{ID: "app", Dialect: provider.Standard, Public: true, RedirectURIs: []string{lab.CallbackURI}}))
		w.Advance(2 * time.Second)
		lab.Shown(t, b.Get(returnTo), http.StatusBadRequest) // no longer registered
		withByes(w)
		w.Advance(2 * time.Second)
		if p := b.Get(returnTo); p.StatusCode != http.StatusSeeOther {
			t.Errorf("registered again: %s", p.Status)
		}
		w.Advance(2 * time.Hour)
		lab.Shown(t, b.Get(returnTo), http.StatusBadRequest) // too late
	})
}

func TestConsentShowsNumbersInFull(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t, func(c *provider.Config) {
		c.Attributes = []catalogue.Attribute{{Handle: "badge", Name: "Badge number", Type: catalogue.Integer}}
		c.Scopes = []catalogue.Scope{{Name: "military", Title: "Service", Attributes: []string{"badge"}}}
	})
	for n, want := range map[int64]string{
		1234567: "1,234,567", 9007199254740993: "9,007,199,254,740,993", -9223372036854775808: "-9,223,372,036,854,775,808",
	} {
		testkit.OK(t, w.People().SetAttributes(t.Context(), "alice", map[string]any{"badge": n}))
		if p := b.Open(lab.AuthorizeURL()); !strings.Contains(p.Text, want) || strings.Contains(p.Text, "e+") {
			t.Errorf("%s is not on the screen:\n%s", want, p.Text)
		}
	}
}

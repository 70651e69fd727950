package accounts

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// postedByRP sends a form as a browser does for a page of an application: without the
// cookies of the provider. It returns the answer.
func postedByRP(b *lab.Browser, path string, form url.Values) lab.Page {
	b.T.Helper()
	stranger := b.Fixture.NewBrowser()
	return stranger.Send(http.MethodPost, path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded",
		"Origin", "https://rp.test", "Sec-Fetch-Site", "cross-site")
}

func TestSignOutByPost(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()

	t.Run("IsTheSameRequestByGet", func(t *testing.T) {
		b := w.Alice()
		form := url.Values{
			"id_token_hint": {lab.Member(t, b.StandardTokens(), "id_token")}, "client_id": {"std"}, "post_logout_redirect_uri": {"https://rp.test/bye"},
			"state": {"s 1"}, "logout_hint": {"alice"}, "ui_locales": {"fr de"}, "other": {"x"},
		}
		p := postedByRP(b, "/signout", form)
		form.Del("other")
		if want := "/signout?" + form.Encode(); p.StatusCode != http.StatusSeeOther || p.Header.Get("Location") != want {
			t.Fatalf("%s %q, want 303 to %q", p.Status, p.Header.Get("Location"), want)
		}
		if p := b.Get(p.Header.Get("Location")); p.Header.Get("Location") != "https://rp.test/bye?state=s+1" {
			t.Errorf("%s %q\n%s", p.Status, p.Header.Get("Location"), p.Text)
		}
		if b.IsSignedIn() {
			t.Error("still signed in")
		}
	})
	t.Run("AsksWithoutProof", func(t *testing.T) {
		b := w.Alice()
		p := b.Get(postedByRP(b, "/signout", url.Values{"ui_locales": {"de"}}).Header.Get("Location"))
		if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "<form") || !strings.Contains(p.Text, `lang="de"`) || !b.IsSignedIn() {
			t.Errorf("%s, signed in %t\n%s", p.Status, b.IsSignedIn(), p.Text)
		}
	})
	t.Run("SignsNobodyOutWithTheCookiesOfTheBrowser", func(t *testing.T) {
		b := w.Alice()
		for _, csrf := range []string{"", "x"} {
			b.Send(http.MethodPost, "/signout", url.Values{"csrf": {csrf}}.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		}
		b.Send(http.MethodPost, "/signout", "", "Content-Type", "application/x-www-form-urlencoded")
		if !b.IsSignedIn() {
			t.Error("a form without our proof has signed the user out")
		}
	})
	t.Run("AsksForAnAddressThatNobodyVouchesFor", func(t *testing.T) {
		// One of an application, too: anybody can name it.
		for _, form := range []url.Values{
			{"post_logout_redirect_uri": {"https://evil.test/"}, "state": {"s1"}}, {"post_logout_redirect_uri": {"https://rp.test/bye"}},
			{"post_logout_redirect_uri": {"https://evil.test/"}, "id_token_hint": {"foreign"}},
		} {
			b := w.Alice()
			location := postedByRP(b, "/signout", form).Header.Get("Location")
			p := b.Get(location)
			if lab.Shown(t, p, http.StatusOK); !b.IsSignedIn() || !strings.Contains(p.Text, "alice@example.com") {
				t.Errorf("%v: alice is not asked\n%s", form, p.Text)
			}
			lab.Shown(t, b.Submit(p), http.StatusOK)
			if b.IsSignedIn() {
				t.Errorf("%v: still signed in", form)
			}
			lab.Shown(t, b.Get(location), http.StatusOK)
		}
	})
	t.Run("LeadsNowhereElse", func(t *testing.T) {
		p := postedByRP(w.NewBrowser(), "/signout", url.Values{"client_id": {"std"}, "post_logout_redirect_uri": {"https://evil.test/"}})
		if location := p.Header.Get("Location"); !strings.HasPrefix(location, "/signout?") {
			t.Fatalf("sent to %q", location)
		}
		lab.RefusedPage(t, w.NewBrowser().Get(p.Header.Get("Location")))
		for _, body := range []string{"client_id=a&client_id=b", "state=%ff", "%zz"} {
			p := w.NewBrowser().Send(http.MethodPost, "/signout", body, "Content-Type", "application/x-www-form-urlencoded")
			if p.StatusCode < 400 || p.StatusCode >= 500 {
				t.Errorf("%q answered with %s", body, p.Status)
			}
		}
	})
}

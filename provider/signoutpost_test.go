package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// postedByRP sends a form as a browser does for a page of an application: without the
// cookies of the provider. It returns the answer.
func (b *browser) postedByRP(path string, form url.Values) page {
	b.t.Helper()
	stranger := b.w.newBrowser()
	return stranger.send(http.MethodPost, path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded",
		"Origin", "https://rp.test", "Sec-Fetch-Site", "cross-site")
}

func TestSignOutByPost(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()

	t.Run("IsTheSameRequestByGet", func(t *testing.T) {
		b := w.alice()
		form := url.Values{
			"id_token_hint": {text(t, b.standardTokens(), "id_token")}, "client_id": {"std"}, "post_logout_redirect_uri": {"https://rp.test/bye"},
			"state": {"s 1"}, "logout_hint": {"alice"}, "ui_locales": {"fr de"}, "other": {"x"},
		}
		p := b.postedByRP("/signout", form)
		form.Del("other")
		if want := "/signout?" + form.Encode(); p.StatusCode != http.StatusSeeOther || p.Header.Get("Location") != want {
			t.Fatalf("%s %q, want 303 to %q", p.Status, p.Header.Get("Location"), want)
		}
		if p := b.get(p.Header.Get("Location")); p.Header.Get("Location") != "https://rp.test/bye?state=s+1" {
			t.Errorf("%s %q\n%s", p.Status, p.Header.Get("Location"), p.body)
		}
		if b.isSignedIn() {
			t.Error("still signed in")
		}
	})
	t.Run("AsksWithoutProof", func(t *testing.T) {
		b := w.alice()
		p := b.get(b.postedByRP("/signout", url.Values{"ui_locales": {"de"}}).Header.Get("Location"))
		if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "<form") || !strings.Contains(p.body, `lang="de"`) || !b.isSignedIn() {
			t.Errorf("%s, signed in %t\n%s", p.Status, b.isSignedIn(), p.body)
		}
	})
	t.Run("SignsNobodyOutWithTheCookiesOfTheBrowser", func(t *testing.T) {
		b := w.alice()
		for _, csrf := range []string{"", "x"} {
			b.send(http.MethodPost, "/signout", url.Values{"csrf": {csrf}}.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		}
		b.send(http.MethodPost, "/signout", "", "Content-Type", "application/x-www-form-urlencoded")
		if !b.isSignedIn() {
			t.Error("a form without our proof has signed the user out")
		}
	})
	t.Run("LeadsNowhereElse", func(t *testing.T) {
		for _, form := range []url.Values{
			{"post_logout_redirect_uri": {"https://evil.test/"}}, {"client_id": {"std"}, "post_logout_redirect_uri": {"https://evil.test/"}},
		} {
			p := w.newBrowser().postedByRP("/signout", form)
			if location := p.Header.Get("Location"); !strings.HasPrefix(location, "/signout?") {
				t.Fatalf("sent to %q", location)
			}
			refusedPage(t, w.newBrowser().get(p.Header.Get("Location")))
		}
		for _, body := range []string{"client_id=a&client_id=b", "state=%ff", "%zz"} {
			p := w.newBrowser().send(http.MethodPost, "/signout", body, "Content-Type", "application/x-www-form-urlencoded")
			if p.StatusCode < 400 || p.StatusCode >= 500 {
				t.Errorf("%q answered with %s", body, p.Status)
			}
		}
	})
}

package pages

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/upstreams"
	"github.com/bonafide-id/bonafide/provider/upstream"
)

// A thief has the browser of somebody else come back from the thief's visit, by a link, by a
// form of another site, and with the thief's code beside the state of an honest visit. Nobody is
// signed in to the thief's account: what is typed there would be the thief's (login CSRF).
func TestThiefSignsSomebodyIn(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	w.connect(w.is("thief", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass))
	thief, victim := w.NewBrowser(), w.NewBrowser()
	stolen := func() url.Values { return w.values(thief, thief.Open("/signin"), "campus") }
	honest := w.values(victim, victim.Open("/signin"), "campus")

	lab.Shown(t, victim.Get(callback("campus", stolen())), http.StatusBadRequest)
	lab.Shown(t, victim.SubmitOnce(victim.Post("/signin/with/campus/callback", stolen())), http.StatusBadRequest)
	lab.Shown(t, victim.Send(http.MethodPost, "/signin/with/campus/callback", "sent_again=1&"+honest.Encode(), "Content-Type", "application/x-www-form-urlencoded",
		"Origin", "https://thief.test"), http.StatusForbidden) // no page of the provider has sent it
	nobody(t, victim)
	honest.Set("code", stolen().Get("code"))
	if p := victim.Open(callback("campus", honest)); p.Request.URL.Path != "/signin" {
		t.Errorf("a code of another visit leads to %s %s", p.Status, p.Request.URL)
	}
	nobody(t, victim)
}

// W29: nothing that an upstream, or the address of its return, says is a script or leads away.
func TestTextsOfAnUpstream(t *testing.T) {
	t.Parallel()
	const script = `"><script>alert(1)</script><a href="https://thief.test/">`
	w := newCampus(t)
	harmless := func(p lab.Page) {
		t.Helper()
		if strings.Contains(p.Text, "<script>alert") || strings.Contains(p.Text, `href="https://thief.test`) || !strings.HasPrefix(p.Request.URL.String(), w.Server.URL+"/") {
			t.Errorf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
		}
	}
	for _, denied := range []string{"access_denied", "server_error", script} {
		b := w.is("s1", "a@campus.test", true).NewBrowser()
		values := w.values(b, b.Open("/signin"), "campus")
		values.Del("code")
		values.Set("error", denied)
		values.Set("error_description", script)
		values.Set("error_uri", "https://thief.test/")
		for _, name := range []string{"flow", "redirect_uri", "return_to", "next"} {
			values.Set(name, "https://thief.test/")
		}
		p := b.Open(callback("campus", values))
		harmless(p)
		if strings.Contains(p.Text, "alert(1)") {
			t.Error("the description is on the page")
		}
		nobody(t, b)
	}
	b := w.NewBrowser()
	w.up.Be(upstreams.Person{Subject: "s2", Email: "alice@example.com", Name: script, Verified: true})
	harmless(w.arrive(b, b.Open("/signin")))
	alice := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	w.up.Be(upstreams.Person{Subject: "s2", Name: script})
	harmless(w.connect(alice))
	if len(w.links("alice")) != 1 {
		t.Fatal("not connected")
	}
	harmless(alice.Open("/account/security"))
	harmless(alice.Open("/account/sessions"))
}

// W29: a hint goes to the upstream as one value of the address that the host has configured.
func TestHintsLeadNowhere(t *testing.T) {
	t.Parallel()
	w := newCampus(t, func(u *provider.Upstream) { u.Domains = []string{"campus.test"} })
	for _, hint := range []string{
		"a@campus.test&redirect_uri=https://thief.test/", "a@campus.test\r\nLocation: https://thief.test/", "//thief.test/@campus.test", `"><script>@campus.test`,
	} {
		for _, name := range []string{"login_hint", "domain_hint"} {
			b := w.NewBrowser()
			p := b.Get(lab.AuthorizeURL("client_id", "std", "scope", "openid", name, hint))
			for p.Header.Get("Location") != "" && strings.HasPrefix(p.Header.Get("Location"), "/") {
				p = b.Get(p.Header.Get("Location"))
			}
			to := p.Header.Get("Location")
			if to == "" {
				lab.Safe(t, p)
				continue
			}
			u, err := url.Parse(to)
			if err != nil || u.Host == "thief.test" || strings.Contains(to, "\n") {
				t.Errorf("%q leads to %q", hint, to)
				continue
			}
			if got := u.Query()["redirect_uri"]; strings.HasPrefix(to, w.up.Issuer()) && (len(got) != 1 || !strings.HasPrefix(got[0], w.Server.URL)) {
				t.Errorf("%q asks to come back to %q", hint, got)
			}
		}
	}
}

// One return is brought ten times at once, to two processes: one call goes to the upstream.
func TestReturnAtTwoProcesses(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	twin := w.Twin(func(c *provider.Config) {
		c.AllowPrivateNetworks = true
		c.Upstreams = []provider.Upstream{{ID: "campus", Title: "State University", Connector: connector(w.up)}}
	})
	w.connect(w.is("s1", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass))
	b := w.NewBrowser()
	values := w.values(b, b.Open("/signin"), "campus")
	before := w.up.Calls("/token")
	answers := lab.Race(10, func(i int) int {
		at := w.Server.URL
		if i%2 == 0 {
			at = twin.Server.URL
		}
		return b.Thief().Get(at + callback("campus", values)).StatusCode
	})
	won := 0
	for _, status := range answers {
		if status == http.StatusSeeOther {
			won++
		}
	}
	if calls := w.up.Calls("/token") - before; won != 1 || calls != 1 {
		t.Errorf("%d have come back, with %d calls: %v", won, calls, answers)
	}
}

// Two owners connect one identity at once: it belongs to one of them.
func TestTwoConnectOneIdentity(t *testing.T) {
	t.Parallel()
	w := newCampus(t).is("s1", "a@campus.test", true)
	var browsers [2]*lab.Browser
	var values [2]url.Values
	for i, who := range [][2]string{{"alice@example.com", lab.AlicePass}, {"bob@example.com", lab.BobPass}} {
		browsers[i] = w.NewBrowser().SignIn(who[0], who[1])
		_, fields := browsers[i].Open("/account/security").Form(t)
		values[i] = w.up.Return(t, sentTo(browsers[i], browsers[i].Post("/account/connections/campus", fields)))
	}
	answers := lab.Race(2, func(i int) int { return browsers[i].Get(callback("campus", values[i])).StatusCode })
	if n := len(w.links("alice")) + len(w.links("bob")); n != 1 || answers[0] != http.StatusSeeOther || answers[1] != http.StatusSeeOther {
		t.Errorf("%d connections, %v", n, answers)
	}
}

// An account that is to be deleted is kept only if its owner says so, after the second step.
func TestAccountThatIsToBeDeleted(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	alice := w.is("s1", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	w.connect(alice)
	alice.AskToBeDeleted(lab.AlicePass)
	app, _ := w.AddApp("alice")
	b := w.NewBrowser()
	p := w.arrive(b, b.Open("/signin"))
	if p.Request.URL.Path != "/signin/factor" {
		t.Fatalf("%s %s", p.Status, p.Request.URL)
	}
	p = b.Submit(p, "code", app.Code())
	nobody(t, b)
	if p = b.Submit(p, "action", "keep"); !signedInAs(b, "alice@example.com") {
		t.Errorf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
}

// The host no longer offers an upstream to which somebody has gone: what was offered before is
// neither connected nor created (Zitadel CVE-2025-64717).
func TestUpstreamEndsMeanwhile(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	b, stranger, back := w.is("s1", "alice@example.com", true).NewBrowser(), w.NewBrowser(), w.NewBrowser()
	at := agreedAt(t, w.arrive(b, b.Open("/signin")))
	values := w.values(back, back.Open("/signin"), "campus")
	code := w.is("s2", "new@elsewhere.test", true).arrive(stranger, stranger.Open("/signin"))
	w.Provider = w.Twin(func(c *provider.Config) {
		c.AllowPrivateNetworks = true
		c.Upstreams = []provider.Upstream{{ID: "mirror", Title: "Mirror", Connector: connector(w.mirror)}}
	}).Provider
	b.SignIn("alice@example.com", lab.AlicePass)
	b.Open(at)
	if len(w.links("alice")) != 0 {
		t.Error("connected")
	}
	stranger.Submit(code, "code", w.Mails.LastCode(t))
	nobody(t, stranger)
	lab.Shown(t, back.Get(callback("campus", values)), http.StatusNotFound)
}

// The connection is removed while a sign-in by it reads what the upstream says: that is not
// recorded any more.
func TestMembershipAfterTheConnectionIsNotRecorded(t *testing.T) {
	t.Parallel()
	said, meanwhile := false, func() {}
	w := newCampus(t, func(u *provider.Upstream) {
		u.Groups = func(upstream.Identity) []provider.Status {
			meanwhile()
			if !said {
				return nil
			}
			return []provider.Status{{Group: "student"}}
		}
	})
	alice := w.is("s1", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	w.connect(alice)
	said, meanwhile = true, func() { w.OK(w.Accounts().ResetAuthenticators(t.Context(), "alice")) }
	b := w.NewBrowser()
	b.Get(callback("campus", w.values(b, b.Open("/signin"), "campus")))
	all, err := w.People().Statuses(t.Context(), "alice", "student")
	w.OK(err)
	if all[0].Verified || len(w.links("alice")) != 0 {
		t.Errorf("a member by a connection that is gone: %+v", all[0])
	}
}

// TestPageLetsItsFormLeadToTheUpstream looks at what browsers hold the redirect against: upstreams of a
// provider by http may be by http, too.
func TestPageLetsItsFormLeadToTheUpstream(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	for _, page := range []string{"/account", lab.AuthorizeURL(), "/signup"} {
		if policy := c.NewBrowser().Open(page).Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "form-action 'self' https: http:") {
			t.Errorf("%s: %s", page, policy)
		}
	}
}

package pages

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/upstreams"
)

// agree leads from the page that offers a connection to the sign-in.
func agree(b *lab.Browser, offered lab.Page) lab.Page {
	b.T.Helper()
	_, after, found := strings.Cut(offered.Text, `href="/signin/connected?`)
	if !found {
		b.T.Fatalf("no connection is offered: %s %s\n%s", offered.Status, offered.Request.URL, offered.Text)
	}
	query, _, _ := strings.Cut(after, `"`)
	return b.Open("/signin/connected?" + strings.ReplaceAll(query, "&amp;", "&"))
}

// agreedAt is the address at which an offered connection is made.
func agreedAt(t *testing.T, offered lab.Page) string {
	t.Helper()
	_, after, found := strings.Cut(offered.Text, `href="/signin/connected?`)
	if !found {
		t.Fatalf("no connection is offered\n%s", offered.Text)
	}
	query, _, _ := strings.Cut(after, `"`)
	return "/signin/connected?" + strings.ReplaceAll(query, "&amp;", "&")
}

// W19: what was agreed to is used by another browser, a second time, after the connection has
// ended, and late (Keycloak CVE-2026-9087, CVE-2026-82968, CVE-2026-92358).
func TestConnectionIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	b := w.is("s1", "alice@example.com", true).NewBrowser()
	offered := w.arrive(b, b.Open("/signin"))
	at := agreedAt(t, offered)

	thief := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	lab.Shown(t, thief.Get(at), http.StatusBadRequest)
	b.Submit(agree(b, offered), "email", "bob@example.com", "password", lab.BobPass)
	if len(w.links("alice"))+len(w.links("bob")) != 0 {
		t.Fatal("the sign-in of another account has connected it")
	}
	p := b.Submit(b.Open(at), "email", "alice@example.com", "password", lab.AlicePass)
	if len(w.links("alice")) != 1 || !signedInAs(b, "alice@example.com") {
		t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
	lab.Shown(t, b.Get(at), http.StatusBadRequest)
	w.OK(w.Accounts().ResetAuthenticators(t.Context(), "alice"))
	b.SignIn("alice@example.com", lab.AlicePass)
	lab.Shown(t, b.Get(at), http.StatusBadRequest)
	if len(w.links("alice")) != 0 {
		t.Error("a connection has come back")
	}

	late := w.NewBrowser()
	at = agreedAt(t, w.arrive(late, late.Open("/signin")))
	w.Advance(11 * time.Minute)
	late.SignIn("alice@example.com", lab.AlicePass)
	lab.Shown(t, late.Get(at), http.StatusBadRequest)
	if len(w.links("alice")) != 0 {
		t.Error("late")
	}
}

// A connection within the flow of an application goes on there, and asks for the second factor
// of the account first (better-auth #9552).
func TestConnectionAsksForAllFactors(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	app, _ := w.AddApp("alice")
	b := w.is("s1", "alice@example.com", true).NewBrowser()
	p := agree(b, w.arrive(b, b.Open(lab.AuthorizeURL("client_id", "std", "scope", "openid"))))
	p = b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)
	if len(w.links("alice")) != 0 || p.Request.URL.Path != "/signin/factor" {
		t.Fatalf("after the password: %s %s", p.Status, p.Request.URL)
	}
	p = b.Submit(p, "code", app.Code())
	if len(w.links("alice")) != 1 || !strings.Contains(p.Request.URL.Path, "/oauth/consent") {
		t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
}

// W20: the host has made bob's account, and nobody has proved its address. Whoever knows its
// password has neither a session nor a connection left when the owner has connected it.
func TestAccountThatNobodyHasProved(t *testing.T) {
	t.Parallel()
	w := newCampus(t, authoritative, func(u *provider.Upstream) { u.LinkByEmail = true })
	maker := w.is("maker", "maker@elsewhere.test", true).NewBrowser().SignIn("bob@example.com", lab.BobPass)
	w.connect(maker)
	if len(w.links("bob")) != 1 {
		t.Fatal("not connected")
	}
	b := w.is("owner", "bob@example.com", true).NewBrowser()
	offered := w.arrive(b, b.Open("/signin"))
	nobody(t, b)
	p := agree(b, offered)
	if p.Request.URL.Path != "/reset" {
		t.Fatalf("the password of before is asked for: %s %s", p.Status, p.Request.URL)
	}
	p = b.Submit(p, "email", "bob@example.com")
	p = b.Submit(p, "code", w.Mails.LastCode(t), "new_password", "another-lantern-cobalt-5")
	for range 3 {
		if len(w.links("bob")) > 0 && w.links("bob")[0].Name == "bob@example.com" {
			break
		}
		p = b.Submit(p, "email", "bob@example.com", "password", "another-lantern-cobalt-5", "new_password", "another-lantern-cobalt-5")
	}
	if links := w.links("bob"); len(links) != 1 || links[0].Name != "bob@example.com" {
		t.Fatalf("links %+v, at %s %s\n%s", links, p.Status, p.Request.URL, p.Text)
	}
	nobody(t, maker)
	again := w.is("maker", "maker@elsewhere.test", true).NewBrowser()
	w.arrive(again, again.Open("/signin"))
	nobody(t, again)
	if p := w.NewBrowser().Submit(w.NewBrowser().Open("/signin"), "email", "bob@example.com", "password", lab.BobPass); strings.Contains(p.Text, "bob@example.com</") {
		t.Error("the old password signs in")
	}
}

// W21: the return of another browser, of another upstream, a second one, a late one, one without
// the cookie of its visit, and one that says another issuer. No code is sent to anybody.
func TestReturnThatBelongsToNoVisit(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	w.connect(w.is("s1", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass))
	before := w.up.Calls("/token")
	visit := func() (*lab.Browser, url.Values) {
		b := w.NewBrowser()
		return b, w.values(b, b.Open("/signin"), "campus")
	}
	_, of := visit()
	other, _ := visit()
	lab.Shown(t, other.Get(callback("campus", of)), http.StatusBadRequest)
	b, values := visit()
	lab.Shown(t, b.Get(callback("mirror", values)), http.StatusBadRequest)
	for name, change := range map[string]func(url.Values){
		"NoState": func(v url.Values) { v.Del("state") }, "OtherState": func(v url.Values) { v.Set("state", "x") },
		"ChangedState": func(v url.Values) { v.Set("state", v.Get("state")[1:]) }, "TwoStates": func(v url.Values) { v.Add("state", v.Get("state")) },
		"TwoCodes": func(v url.Values) { v.Add("code", "x") }, "NUL": func(v url.Values) { v.Set("code", "\x00") },
	} {
		b, values := visit()
		change(values)
		if p := b.Get(callback("campus", values)); p.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", name, p.Status)
		}
		nobody(t, b)
	}
	b, values = visit()
	values.Set("iss", w.mirror.Issuer())
	b.Open(callback("campus", values))
	nobody(t, b)
	b, values = visit()
	w.Advance(11 * time.Minute)
	lab.Shown(t, b.Get(callback("campus", values)), http.StatusBadRequest)
	if after := w.up.Calls("/token"); after != before {
		t.Errorf("%d codes were sent to the upstream", after-before)
	}
	b, values = visit()
	b.Open(callback("campus", values))
	if !signedInAs(b, "alice@example.com") {
		t.Fatal("the honest one is not signed in")
	}
	if p := b.Get(callback("campus", values)); p.StatusCode != http.StatusBadRequest {
		t.Errorf("second return: %s", p.Status)
	}
	if after := w.up.Calls("/token"); after != before+1 {
		t.Errorf("%d codes were sent to the upstream", after-before)
	}
}

// Whatever an upstream lies or fails to say, nobody is signed in.
func TestFaultsOfUpstreams(t *testing.T) {
	t.Parallel()
	w := newCampusWith(t, func(c *provider.Config) { c.Upstreams[0].Connector = forgetful{c.Upstreams[0].Connector.(known).up} })
	w.connect(w.is("s1", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass))
	for _, fault := range upstreams.Faults() {
		if fault.Hangs {
			continue // the limits of the client are tests of its own
		}
		b := w.NewBrowser()
		page := b.Open("/signin")
		fault.Apply(w.up)
		if p := leave(b, page, "campus"); strings.HasPrefix(p.Header.Get("Location"), "http:") {
			p = b.Open(callback("campus", w.up.Return(t, p.Header.Get("Location"))))
			if p.StatusCode >= http.StatusInternalServerError || strings.Contains(p.Text, "<script>alert") {
				t.Errorf("%s: %s", fault.Name, p.Status)
			}
		}
		if signedInAs(b, "alice@example.com") {
			t.Errorf("%s signs in", fault.Name)
		}
		upstreams.None.Apply(w.up)
	}
	b := w.NewBrowser()
	if w.arrive(b, b.Open("/signin")); !signedInAs(b, "alice@example.com") {
		t.Error("the truth signs nobody in")
	}
}

// W23: the second step of an account is asked for after an upstream, whatever the upstream says
// of its own.
func TestSecondStepAfterAnUpstream(t *testing.T) {
	t.Parallel()
	w := newCampus(t, func(u *provider.Upstream) {
		u.Classes = map[string]provider.Assurance{"mfa": provider.PhishingResistant}
	})
	alice := w.is("s1", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	w.connect(alice)
	app, _ := w.AddApp("alice")
	w.up.Be(upstreams.Person{Subject: "s1", Email: "a@campus.test", Verified: true, Claims: map[string]any{"acr": "mfa"}})
	b := w.NewBrowser()
	p := w.arrive(b, b.Open("/signin"))
	nobody(t, b)
	if p = b.Submit(p, "code", app.Code()); !signedInAs(b, "alice@example.com") {
		t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
	w.OK(w.Accounts().ResetAuthenticators(t.Context(), "alice"))
	left := w.NewBrowser()
	w.arrive(left, left.Open("/signin"))
	nobody(t, left)
}

// W28: the last way in stays.
func TestLastWayIn(t *testing.T) {
	t.Parallel()
	w := newCampus(t, authoritative)
	b := w.is("s1", "new@example.com", true).NewBrowser()
	w.arrive(b, b.Open("/signin"))
	page := b.Open("/account/security")
	_, after, _ := strings.Cut(page.Text, `"/account/connections/remove?`)
	query, _, _ := strings.Cut(after, `"`)
	p := b.Submit(b.Open("/account/connections/remove?" + query))
	if p.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("%s %s", p.Status, p.Request.URL)
	}
	again := w.NewBrowser()
	if w.arrive(again, again.Open("/signin")); !signedInAs(again, "new@example.com") {
		t.Error("the last way in is gone")
	}
	// Without a password the upstream authenticates again.
	w.Advance(6 * time.Minute)
	p = b.Open("/account/connections/remove?" + query)
	if p.Request.URL.Path != "/signin" {
		t.Fatalf("%s %s", p.Status, p.Request.URL)
	}
	if p = w.arrive(b, p); p.Request.URL.Path != "/account/connections/remove" {
		t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
	w.Advance(6 * time.Minute)
	w.is("s2", "other@example.com", true)
	if p = w.arrive(b, b.Open("/account/connections/remove?"+query)); p.Request.URL.Path != "/signin" {
		t.Errorf("somebody else there leads to %s %s", p.Status, p.Request.URL)
	}
}

package pages

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/storage"
)

// An address connects by itself where the host has allowed it, and only under all conditions (W18).
func TestAddressLinks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change  func(*provider.Upstream)
		email   string
		claimed bool
		before  func(*campus)
		links   bool
	}{
		"Whole":            {email: "alice@example.com", claimed: true, links: true},
		"NotVerifiedThere": {email: "alice@example.com"},
		"NotVerifiedHere":  {email: "bob@example.com", claimed: true},
		"NotAuthoritative": {email: "alice@example.com", claimed: true, change: func(u *provider.Upstream) { u.AuthoritativeFor = nil }},
		"AuthoritativeOfOthers": {email: "alice@example.com", claimed: true, change: func(u *provider.Upstream) {
			u.AuthoritativeFor = []string{"example.org"}
		}},
		"NotVerifiedThereInCapitals": {email: "ALICE@Example.COM"},
		"NotAllowed":                 {email: "alice@example.com", claimed: true, change: func(u *provider.Upstream) { u.LinkByEmail = false }},
		"WithASecondFactor":          {email: "alice@example.com", claimed: true, before: func(w *campus) { w.AddApp("alice") }},
		"SubdomainOfTheDomain":       {email: "alice@mail.example.com", claimed: true},
		"Locked": {email: "alice@example.com", claimed: true, before: func(w *campus) {
			w.OK(w.Accounts().SetDisabled(w.T.Context(), "alice", true))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newCampus(t, authoritative, func(u *provider.Upstream) {
				u.LinkByEmail = true
				if tc.change != nil {
					tc.change(u)
				}
			})
			if tc.before != nil {
				tc.before(w)
			}
			b := w.is("s1", tc.email, tc.claimed).NewBrowser()
			p := w.arrive(b, b.Open("/signin"))
			if got := len(w.links("alice"))+len(w.links("bob")) == 1; got != tc.links {
				t.Fatalf("connected %v: %s %s", got, p.Status, p.Request.URL)
			}
			if tc.links != signedInAs(b, "alice@example.com") {
				t.Errorf("signed in %v", !tc.links)
			}
		})
	}
}

// An unverified address proves its mailbox first, whether or not it has an account (W30).
func TestUnverifiedAddressTellsNothing(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	var answers []string
	for _, email := range []string{"alice@example.com", "carol@example.com"} {
		b := w.is("s of "+email, email, false).NewBrowser()
		before := w.Mails.Count()
		p := w.arrive(b, b.Open("/signin"))
		if w.Mails.Count() != before+1 {
			t.Errorf("%s: %d mails", email, w.Mails.Count()-before)
		}
		mail, _ := w.Mails.Last(t)
		answers = append(answers, p.Status+" "+p.Request.URL.Path+" "+mail.Subject)
		_, fields := p.Form(t)
		if p := w.NewBrowser().Post("/signin/connect/code", fields); p.StatusCode < 400 {
			t.Errorf("another browser enters the code: %s", p.Status)
		}
		if p := b.Submit(p, "code", "00000000"); p.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("wrong code: %s", p.Status)
		}
		nobody(t, b)
	}
	if answers[0] != answers[1] {
		t.Errorf("%q", answers)
	}
	b := w.is("s1", "alice@example.com", false).NewBrowser()
	p := w.arrive(b, b.Open("/signin"))
	p = b.Submit(p, "code", w.Mails.LastCode(t))
	nobody(t, b)
	if len(w.links("alice")) != 0 {
		t.Fatal("the mailbox alone has connected it")
	}
	p = b.Submit(agree(b, p), "email", "alice@example.com", "password", lab.AlicePass)
	if len(w.links("alice")) != 1 {
		t.Errorf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
}

// The owner of one account connects an identity that another has.
func TestIdentityOfAnother(t *testing.T) {
	t.Parallel()
	w := newCampus(t).is("s1", "a@campus.test", true)
	w.connect(w.NewBrowser().SignIn("alice@example.com", lab.AlicePass))
	p := w.connect(w.NewBrowser().SignIn("bob@example.com", lab.BobPass))
	if len(w.links("bob")) != 0 || len(w.links("alice")) != 1 || p.Request.URL.Path != "/account/security" {
		t.Errorf("%s %s", p.Status, p.Request.URL)
	}
	b := w.is("s2", "b@campus.test", true).NewBrowser().SignIn("bob@example.com", lab.BobPass)
	_, fields := b.Open("/account/security").Form(t)
	for i := range 20 { // in another window
		w.AddLink("bob", "elsewhere", fmt.Sprint(i))
	}
	values := w.up.Return(t, sentTo(b, b.Post("/account/connections/campus", fields)))
	if p := b.Open(callback("campus", values)); !strings.Contains(p.Text, "as many accounts as you can") {
		t.Errorf("one too many: %s\n%s", p.Status, p.Text)
	}
}

// The visit of one owner comes back while another is signed in, and after the session has ended.
func TestConnectionOfAnotherSession(t *testing.T) {
	t.Parallel()
	w := newCampus(t).is("s1", "a@campus.test", true)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	_, fields := b.Open("/account/security").Form(t)
	values := w.up.Return(t, sentTo(b, b.Post("/account/connections/campus", fields)))
	b.Submit(b.Open("/signout"))
	b.SignIn("bob@example.com", lab.BobPass)
	lab.Shown(t, b.Get(callback("campus", values)), http.StatusBadRequest)
	if len(w.links("alice"))+len(w.links("bob")) != 0 {
		t.Error("connected")
	}
}

// A form of another site, and none, leads to no upstream. What another site posts to the page of
// the return does nothing without the visit of this browser.
func TestForgedForms(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	b := w.NewBrowser()
	b.Open("/signin")
	if p := b.Post("/signin/with/campus", url.Values{}); p.StatusCode != http.StatusForbidden {
		t.Errorf("no token: %s", p.Status)
	}
	if p := b.Get("/signin/with/campus"); p.Header.Get("Location") != "/signin" {
		t.Errorf("GET leads to %q", p.Header.Get("Location"))
	}
	if p := b.Get("/signin/with/nowhere"); p.StatusCode != http.StatusNotFound {
		t.Errorf("unknown upstream: %s", p.Status)
	}
	for _, form := range []url.Values{{"code": {"x"}, "state": {"y"}}, {"state": {"y", "z"}}, {"response": {"x"}}, {"code": {strings.Repeat("x", 20<<10)}}} {
		p := b.Post("/signin/with/campus/callback", form)
		if p.StatusCode == http.StatusOK {
			p = b.Submit(p)
		}
		if p.StatusCode != http.StatusBadRequest {
			t.Errorf("%.40v: %s", form, p.Status)
		}
	}
}

// An upstream posts its response, and the browser sends no cookie with it.
func TestPostedResponse(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	w.connect(w.is("s1", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass))
	b := w.NewBrowser()
	values := w.values(b, b.Open("/signin"), "campus")
	p := w.NewBrowser().Post("/signin/with/campus/callback", values)
	lab.Shown(t, p, http.StatusOK) // sets no cookie in the place of the browser's own
	if len(p.Cookies()) > 0 || p.Header.Get("Cross-Origin-Opener-Policy") != "" {
		t.Errorf("%v", p.Header)
	}
	lab.Shown(t, w.NewBrowser().SubmitOnce(p), http.StatusBadRequest)
	if b.Submit(p); !signedInAs(b, "alice@example.com") {
		t.Error("nobody is signed in")
	}
}

// An upstream that the host no longer offers signs nobody in, and what is connected stays.
func TestUpstreamIsNoLongerOffered(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	l := storage.Link{Digest: storage.Digest{1}, AccountID: "alice", Upstream: "former", Issuer: "https://former.test", Subject: "s", Name: "a@former.test", CreatedAt: w.Now()}
	alice := testkit.Must(w.Sealed().Account(t.Context(), "alice"))(w.T)
	w.OK(w.Sealed().AddLink(t.Context(), l, 20, alice.Proof()))
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	if p := b.Open("/account/security"); !strings.Contains(p.Text, "a@former.test") {
		t.Errorf("%s\n%s", p.Status, p.Text)
	}
	if p := b.Get("/signin/with/former/callback?state=x"); p.StatusCode != http.StatusNotFound {
		t.Errorf("%s", p.Status)
	}
}

// A locked account, and one that is to be deleted.
func TestAccountThatHasEnded(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	w.connect(w.is("s1", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass))
	w.OK(w.Accounts().SetDisabled(t.Context(), "alice", true))
	b := w.NewBrowser()
	if p := w.arrive(b, b.Open("/signin")); !strings.Contains(p.Text, "This account is locked") {
		t.Errorf("the owner reads %s", p.Text)
	}
	nobody(t, b)
	w.OK(w.Accounts().SetDisabled(t.Context(), "alice", false))
	if w.arrive(b, b.Open("/signin")); !signedInAs(b, "alice@example.com") {
		t.Error("the account is in force again")
	}
}

// An application offers its own list.
func TestUpstreamOfOtherApplications(t *testing.T) {
	t.Parallel()
	w := newCampus(t, func(u *provider.Upstream) { u.Clients = []string{"std2"} })
	b := w.NewBrowser()
	page := b.Open(lab.AuthorizeURL("client_id", "std", "scope", "openid"))
	if strings.Contains(page.Text, "/signin/with/campus") || !strings.Contains(page.Text, "/signin/with/mirror") {
		t.Error("the buttons are not those of the application")
	}
	if p := leave(b, page, "campus"); p.StatusCode != http.StatusNotFound {
		t.Errorf("%s", p.Status)
	}
}

// Groups come with what the upstream says, and go when it says so no longer. What others have
// verified stays, and a group that is none keeps nobody out.
func TestGroupsOfAnUpstream(t *testing.T) {
	t.Parallel()
	said := []provider.Status{{Group: "student"}, {Group: "military", Subgroups: []string{"Retiree"}}, {Group: "nobody-knows"}}
	w := newCampus(t, func(u *provider.Upstream) {
		u.Groups = func(who upstream.Identity) []provider.Status {
			if who.Claims["affiliation"] == "student" {
				return said
			}
			return nil
		}
	})
	status := func(group string) provider.Status {
		t.Helper()
		all := testkit.Must(w.People().Statuses(t.Context(), "alice", group))(w.T)
		return all[0]
	}
	arrive := func(affiliation string) {
		t.Helper()
		w.up.Be(member("s1", affiliation))
		b := w.NewBrowser()
		if w.arrive(b, b.Open("/signin")); !signedInAs(b, "alice@example.com") {
			t.Fatal("nobody is signed in")
		}
	}
	w.up.Be(member("s1", ""))
	w.connect(w.NewBrowser().SignIn("alice@example.com", lab.AlicePass))
	arrive("student")
	if s := status("student"); !s.Verified || s.VerifiedBy != w.up.Issuer() || s.Source != "State University" {
		t.Errorf("%+v", s)
	}
	if s := status("military"); s.VerifiedBy == w.up.Issuer() || s.Subgroups[0] != "Veteran" {
		t.Errorf("%+v", s)
	}
	arrive("")
	w.Advance(1)
	if s := status("student"); s.Verified {
		t.Errorf("%+v", s)
	}
	arrive("student")
	if s := status("student"); !s.Verified {
		t.Errorf("%+v", s)
	}
}

// A database that fails is no answer about anybody.
func TestFailingDatabase(t *testing.T) {
	t.Parallel()
	faulty := &lab.FaultyStore{}
	w := newCampusWith(t, func(c *provider.Config) { faulty.Store = c.Store; c.Store = faulty })
	w.connect(w.is("s1", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass))
	for _, method := range []string{"UseID", "LinkedAccount", "CreateSession"} {
		b := w.NewBrowser()
		values := w.values(b, b.Open("/signin"), "campus")
		faulty.BreakBefore(func(_ context.Context, called string) error {
			if called == method {
				return storage.ErrUnavailable
			}
			return nil
		})
		p := b.Open(callback("campus", values))
		faulty.BreakBefore(nil)
		if p.StatusCode != http.StatusServiceUnavailable || b.Cookie(session.Session) != "" {
			t.Errorf("%s: %s", method, p.Status)
		}
	}
}

// The account changes between the look and the write: the connection is removed, or the account
// is locked, while its owner comes back.
func TestConnectionEndsDuringTheSignIn(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*campus) error{
		"Removed": func(w *campus) error {
			a := testkit.Must(w.Sealed().Account(w.T.Context(), "alice"))(w.T)
			set := testkit.Must(w.Sealed().Authenticators(w.T.Context(), "alice"))(w.T)
			return w.Sealed().RemoveLink(w.T.Context(), "alice", set.Links[0].Digest, a.Proof(), w.Now())
		},
		"Locked": func(w *campus) error { return w.Accounts().SetDisabled(w.T.Context(), "alice", true) },
		"Reset":  func(w *campus) error { return w.Accounts().ResetAuthenticators(w.T.Context(), "alice") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulty := &lab.FaultyStore{}
			w := newCampusWith(t, func(c *provider.Config) { faulty.Store = c.Store; c.Store = faulty })
			w.connect(w.is("s1", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass))
			b := w.NewBrowser()
			values := w.values(b, b.Open("/signin"), "campus")
			ended := false
			faulty.BreakBefore(func(_ context.Context, called string) error {
				if called == "CreateSession" && !ended {
					ended = true
					faulty.BreakBefore(nil)
					w.OK(end(w))
				}
				return nil
			})
			p := b.Open(callback("campus", values))
			nobody(t, b)
			if !ended || p.StatusCode != http.StatusBadRequest {
				t.Errorf("%s %s", p.Status, p.Request.URL)
			}
		})
	}
}

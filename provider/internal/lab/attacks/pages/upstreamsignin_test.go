package pages

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestConnectedAccount connects an identity to an account, signs in by it, and disconnects it.
func TestConnectedAccount(t *testing.T) {
	t.Parallel()
	w := newCampus(t).is("s1", "anything@campus.test", false)
	alice := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	mails := w.Mails.Count()
	p := w.connect(alice)
	if p.Request.URL.Path != "/account/security" || !strings.Contains(p.Text, "anything@campus.test") {
		t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
	if links := w.links("alice"); len(links) != 1 || links[0].Upstream != "campus" {
		t.Fatalf("links %+v", links)
	}
	if w.Mails.Count() != mails+1 || !w.Saw(event.LinkAdded) {
		t.Error("nobody is told")
	}

	b := w.NewBrowser()
	if p := w.arrive(b, b.Open("/signin")); !signedInAs(b, "alice@example.com") {
		t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
	if p := b.Open("/account/sessions"); !strings.Contains(p.Text, "State University") {
		t.Errorf("the sessions do not say how\n%s", p.Text)
	}
	response := w.NewBrowser()
	p = w.arrive(response, response.Open(lab.AuthorizeURL("client_id", "std", "scope", "openid")))
	if p = response.Submit(p, "action", "allow"); lab.CodeOf(p) == "" {
		t.Fatalf("no code: %s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
	_, tokens := response.Token("client_id", "std", "code", lab.CodeOf(p))
	if _, claims := lab.JWT(t, lab.Member(t, tokens, "id_token")); !strings.Contains(strings.Join(texts(claims["amr"]), " "), "fed") || claims["sub"] != "alice" {
		t.Errorf("claims %v", claims)
	}

	page := alice.Open("/account/security")
	remove := page.Text[strings.Index(page.Text, "/account/connections/remove?"):]
	remove = remove[:strings.IndexByte(remove, '"')]
	p = alice.Submit(alice.Open(remove))
	if len(w.links("alice")) != 0 || !w.Saw(event.LinkRemoved) {
		t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
	nobody(t, b)
	nobody(t, response)
	if !signedInAs(alice, "alice@example.com") {
		t.Error("the session that has disconnected it has ended")
	}
}

func texts(v any) (all []string) {
	list, _ := v.([]any)
	for _, one := range list {
		text, _ := one.(string)
		all = append(all, text)
	}
	return all
}

// TestNewAccount begins accounts with an identity: at once where the upstream gives out the
// address, after a code where it does not.
func TestNewAccount(t *testing.T) {
	t.Parallel()
	w := newCampus(t, authoritative)
	b := w.is("s1", "new@example.com", true).NewBrowser()
	if p := w.arrive(b, b.Open("/signin")); !signedInAs(b, "new@example.com") {
		t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
	again := w.NewBrowser()
	if p := w.arrive(again, again.Open("/signin")); !signedInAs(again, "new@example.com") {
		t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
	for name, verified := range map[string]bool{"said@elsewhere.test": true, "unsaid@elsewhere.test": false} {
		b := w.is(name, name, verified).NewBrowser()
		p := w.arrive(b, b.Open("/signin"))
		nobody(t, b)
		if p = b.Submit(p, "code", w.Mails.LastCode(t)); !signedInAs(b, name) {
			t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
		}
	}
}

// TestNoSignUp refuses strangers, alike with and without an account that has the address.
func TestNoSignUp(t *testing.T) {
	t.Parallel()
	w := newCampus(t, func(u *provider.Upstream) { u.NoSignUp = true })
	var pages []string
	for _, email := range []string{"alice@example.com", "nobody@example.com"} {
		b := w.is("s1", email, false).NewBrowser()
		p := w.arrive(b, b.Open("/signin"))
		nobody(t, b)
		if p.StatusCode != http.StatusOK || p.Request.URL.Path != "/signin" {
			t.Errorf("%s: %s %s", email, p.Status, p.Request.URL)
		}
		pages = append(pages, p.Request.URL.Path)
	}
	if pages[0] != pages[1] {
		t.Errorf("%v", pages)
	}
}

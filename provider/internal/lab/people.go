package lab

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

const (
	// NewPassword is what a user changes a password to.
	NewPassword = "lantern-breeze-quartz-19"
	// CodeLife is how long an e-mailed code works.
	CodeLife = 15 * time.Minute
)

// Bearer asks for data with an access token in the header.
func Bearer(b *Browser, path string, tokens map[string]any) Page {
	b.T.Helper()
	r := testkit.Must(http.NewRequestWithContext(b.T.Context(), http.MethodGet, b.Absolute(path), nil))(b.T)
	token, _ := tokens["access_token"].(string)
	r.Header.Set("Authorization", "Bearer "+token)
	return b.Do(r)
}

// AskToBeDeleted has the account of a browser be deleted.
func (b *Browser) AskToBeDeleted(password string) {
	b.T.Helper()
	p := b.SubmitOnce(b.Open("/account/delete"), "password", password)
	if p.StatusCode != http.StatusOK || !b.Fixture.Saw(event.DeletionRequested) {
		b.T.Fatalf("deletion: %s\n%s", p.Status, p.Text)
	}
}

// Exists reports whether there is an account.
func (w *Fixture) Exists(id string) bool {
	_, err := w.Accounts().Get(w.T.Context(), id)
	return err == nil
}

// FlowOf returns the sealed flow in the address that a page leads to.
func FlowOf(t testing.TB, p Page) string {
	t.Helper()
	u, err := url.Parse(p.Header.Get("Location"))
	if err != nil || u.Query().Get("flow") == "" {
		t.Fatalf("no flow: %s %q", p.Status, p.Header.Get("Location"))
	}
	return u.Query().Get("flow")
}

// SignOutForm returns the fields of the page that asks whether to sign out.
func SignOutForm(t testing.TB, b *Browser) url.Values {
	t.Helper()
	_, fields := b.Get("/signout").Form(t)
	return fields
}

// SignInForm returns the fields of a sign-in page with an attempt in them.
func (b *Browser) SignInForm(email, password string) url.Values {
	b.T.Helper()
	_, fields := b.Get("/signin").Form(b.T)
	fields.Set("email", email)
	fields.Set("password", password)
	return fields
}

// Attempt tries to sign in from the sign-in page.
func (b *Browser) Attempt(email, password string) Page {
	b.T.Helper()
	return b.Post("/signin", b.SignInForm(email, password))
}

// IsSignedIn reports whether the browser sees its account.
func (b *Browser) IsSignedIn() bool {
	b.T.Helper()
	return b.Get("/account").StatusCode == http.StatusOK
}

// Thief returns a browser with a copy of all cookies.
func (b *Browser) Thief() *Browser {
	b.T.Helper()
	c := b.Fixture.NewBrowser()
	c.HTTP.Jar.SetCookies(b.ServerURL(), b.HTTP.Jar.Cookies(b.ServerURL()))
	return c
}

// Asked reports whether a request leads to the consent screen, and returns it.
func (b *Browser) Asked(pairs ...string) (Page, bool) {
	b.T.Helper()
	p := b.Open(AuthorizeURL(Ask(pairs...)...))
	return p, strings.Contains(p.Request.URL.Path, "/oauth/consent")
}

// Told returns what OnEvent has been called with.
func (w *Fixture) Told() []provider.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.events)
}

// Guess tries to sign in with a password that is nobody's.
func (w *Fixture) Guess(email string, times int) {
	b := w.NewBrowser()
	p := b.Open("/signin")
	for range times {
		b.Submit(p, "email", email, "password", "not-the-password-1")
	}
}

// AddAccount saves an account.
func (w *Fixture) AddAccount(a provider.Account) {
	w.T.Helper()
	_, err := w.Accounts().Save(w.T.Context(), a)
	w.OK(err)
}

// OK ends the test on an error.
func (w *Fixture) OK(err error) {
	w.T.Helper()
	testkit.OK(w.T, err)
}

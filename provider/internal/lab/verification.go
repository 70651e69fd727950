package lab

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// Office is a verifier that sends users to a page of the host.
type Office struct {
	mu    sync.Mutex
	asked []provider.Verification
}

// Verify remembers a verification and answers with its address.
func (d *Office) Verify(_ context.Context, v provider.Verification) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, v)
	return "/desk", nil
}

// Count returns how many verifications have begun.
func (d *Office) Count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.asked)
}

// last returns what the verifier was told the last time.
func (d *Office) last(t testing.TB) provider.Verification {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.asked) == 0 {
		t.Fatal("the verifier was not asked")
	}
	return d.asked[len(d.asked)-1]
}

// WithOffice starts a provider with a verifier for the group military, at which the
// application strict takes verified members only.
func WithOffice(t testing.TB, change ...func(*provider.Config)) (*Fixture, *Office) {
	t.Helper()
	d := &Office{}
	w := New(t, append([]func(*provider.Config){func(c *provider.Config) {
		c.Verifiers = map[string]provider.Verifier{"military": d.Verify}
	}}, change...)...).WithClients().WithUsers()
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "strict", Dialect: provider.V3, Name: "Strict Perks", Secret: ClientSecret, RedirectURIs: []string{CallbackURI}, RequireVerified: true,
	}))
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "own", Dialect: provider.V3, Name: "Own Perks", Secret: ClientSecret, RedirectURIs: []string{CallbackURI}, RequireVerified: true, SkipConsent: true,
	}))
	return w, d
}

// Bob returns a browser in which bob has signed in.
func (w *Fixture) Bob() *Browser { return w.NewBrowser().SignIn("bob@example.com", BobPass) }

// Record records the status of bob in the group military.
func (w *Fixture) Record(s provider.Status) {
	w.T.Helper()
	s.Group = "military"
	w.OK(w.People().SetStatus(w.T.Context(), "bob", s))
}

// Consents reports whether bob has allowed an application anything, or was recorded with it.
func (w *Fixture) Consents(clientID string) bool {
	w.T.Helper()
	_, err := w.Store.Consent(w.T.Context(), "bob", clientID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		w.T.Fatal(err)
	}
	return err == nil
}

// Verify presses the button beside the group, and returns what the verifier was told.
func (b *Browser) Verify(d *Office, p Page) provider.Verification {
	b.T.Helper()
	got := b.SubmitOnce(p, "action", "verify", "group", "military")
	if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/desk" {
		b.T.Fatalf("sent to %s %q\n%s", got.Status, got.Header.Get("Location"), got.Text)
	}
	return d.last(b.T)
}

// Back returns from the verifier.
func (b *Browser) Back(v provider.Verification) Page {
	b.T.Helper()
	return b.Open(v.ReturnTo)
}

// SealedOf returns the sealed value of a return.
func SealedOf(t testing.TB, v provider.Verification) string {
	t.Helper()
	u := testkit.Must(url.Parse(v.ReturnTo))(t)
	return u.Query().Get("flow")
}

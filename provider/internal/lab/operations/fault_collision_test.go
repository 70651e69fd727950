package operations

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// repeatingStore is a store whose new records can be made to get the digests of the
// ones before, as if random numbers came twice.
type repeatingStore struct {
	storage.Store
	repeats bool
	session storage.Digest
	tokens  map[storage.TokenKind]storage.Digest
}

func (s *repeatingStore) CreateSession(ctx context.Context, n storage.Session, on storage.Proof, replaced storage.Digest) error {
	if s.repeats {
		n.Digest = s.session
	}
	s.session = n.Digest
	return s.Store.CreateSession(ctx, n, on, replaced)
}

func (s *repeatingStore) CreateGrant(ctx context.Context, g storage.Grant, on storage.Basis, issued ...storage.Token) error {
	return s.Store.CreateGrant(ctx, g, on, s.repeat(issued)...)
}

func (s *repeatingStore) Exchange(ctx context.Context, spent storage.Digest, at time.Time, issued ...storage.Token) error {
	return s.Store.Exchange(ctx, spent, at, s.repeat(issued)...)
}

func (s *repeatingStore) Renew(ctx context.Context, kept storage.Digest, until time.Time, issued ...storage.Token) error {
	return s.Store.Renew(ctx, kept, until, s.repeat(issued)...)
}

func (s *repeatingStore) Reissue(ctx context.Context, spent storage.Digest, within storage.Grace, issued ...storage.Token) error {
	return s.Store.Reissue(ctx, spent, within, s.repeat(issued)...)
}

func (s *repeatingStore) repeat(issued []storage.Token) []storage.Token {
	for i := range issued {
		if s.repeats {
			issued[i].Digest = s.tokens[issued[i].Kind]
		}
		s.tokens[issued[i].Kind] = issued[i].Digest
	}
	return issued
}

// A session or token that happens to be the same as another never takes its place.
func TestDigestThatExistsReplacesNothing(t *testing.T) {
	t.Parallel()
	store := &repeatingStore{tokens: map[storage.TokenKind]storage.Digest{}}
	w := lab.New(t, func(c *provider.Config) {
		store.Store, c.Store = c.Store, store
	}).WithClients().WithUsers()

	t.Run("Session", func(t *testing.T) {
		alice, bob := w.Alice(), w.NewBrowser()
		screen := bob.Open("/signin")
		store.repeats = true
		p := bob.SubmitOnce(screen, "email", "bob@example.com", "password", lab.BobPass)
		store.repeats = false
		if p.StatusCode < http.StatusInternalServerError || strings.Contains(strings.Join(p.Header.Values("Set-Cookie"), ""), "_session=") {
			t.Errorf("signing in: %s %v", p.Status, p.Header)
		}
		if p := alice.Get("/account"); !strings.Contains(p.Text, "alice@example.com") {
			t.Errorf("the session before: %s\n%s", p.Status, p.Text)
		}
		w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	})
	t.Run("Code", func(t *testing.T) {
		alice := w.Alice()
		code := alice.Allow(lab.Ask()...).Get("code")
		store.repeats = true
		p := alice.Get(lab.AuthorizeURL(lab.Ask("scope", "openid")...))
		store.repeats = false
		if strings.Contains(p.Header.Get("Location"), "code=") {
			t.Errorf("a second code: %s", p.Header.Get("Location"))
		}
		_, tokens := alice.Token(lab.Std("code", code)...)
		if scope := lab.Member(t, tokens, "scope"); !strings.Contains(scope, "military") {
			t.Errorf("the code before is for %q", scope)
		}
	})
	t.Run("Tokens", func(t *testing.T) {
		alice, bob := w.Alice(), w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		code := bob.Allow(lab.Ask()...).Get("code")
		before := alice.StandardTokens()
		store.repeats = true
		p, _ := bob.Token(lab.Std("code", code)...)
		store.repeats = false
		if p.StatusCode < http.StatusInternalServerError || strings.Contains(p.Text, "access_token") {
			t.Errorf("redeeming: %s %s", p.Status, p.Text)
		}
		if p := alice.Bearer(lab.UserinfoPath, lab.Member(t, before, "access_token")); !strings.Contains(p.Text, "alice") {
			t.Errorf("the token before: %s %s", p.Status, p.Text)
		}
		if p, _ := bob.Token(lab.Std("code", code)...); p.StatusCode != http.StatusOK {
			t.Errorf("the code afterwards: %s %s", p.Status, p.Text)
		}
	})
}

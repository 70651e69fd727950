package lab

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/storage"
)

var (
	// Verifier is a PKCE code verifier.
	Verifier = strings.Repeat("v", 43)
)

var (
	// S256 is the code challenge of Verifier.
	S256 = challengeOf(Verifier)
)

// Basic is the Authorization header of a client that presents its secret.
func Basic(client string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(client+":"+ClientSecret))
}

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Client posts to an endpoint as a client with the common secret.
func (b *Browser) Client(path, id string, pairs ...string) Page {
	form := url.Values{"client_id": {id}, "client_secret": {ClientSecret}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return b.Post(path, form)
}

// RevokeAll ends all grants, and moves the clock on so that this is known.
func (w *Fixture) RevokeAll() {
	if _, err := w.Store.RevokeGrants(w.T.Context(), storage.GrantFilter{Subject: "alice"}, w.Now()); err != nil {
		w.T.Fatal(err)
	}
	w.Advance(time.Second)
}

// Activities collects what a provider tells.
type Activities struct {
	Mu   sync.Mutex
	Told []activity.Activity
	Stop func()
}

// WatchActivity collects what the provider tells those who watch it.
func (w *Fixture) WatchActivity() *Activities {
	seen := &Activities{}
	seen.Stop = w.Rooms().Events.WatchActivity(func(a activity.Activity) {
		seen.Mu.Lock()
		defer seen.Mu.Unlock()
		seen.Told = append(seen.Told, a)
	})
	return seen
}

// All stops watching and returns what was told.
func (s *Activities) All() []activity.Activity {
	s.Stop()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Told
}

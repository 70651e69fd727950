package operations

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// The authorization endpoint tries with a session and a decision that it has read less
// than a second ago. What another process has ended meanwhile is over all the same.
func TestNothingIsAnsweredFromMemoryAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end     func(context.Context, storage.Store) error
		to, why string
	}{
		"Session": {func(ctx context.Context, s storage.Store) error {
			_, err := s.EndSessions(ctx, storage.SessionFilter{AccountID: "alice"})
			return err
		}, "/signin", "login_required"},
		"Lock": {func(ctx context.Context, s storage.Store) error {
			return s.SetDisabled(ctx, "alice", true, time.Now())
		}, "/signin", "login_required"},
		"Consent": {func(ctx context.Context, s storage.Store) error {
			return s.RevokeConsent(ctx, "alice", "std", time.Now())
		}, "/oauth/consent", "consent_required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := lab.New(t).WithClients().WithUsers()
			elsewhere := w.Twin()
			b := w.Alice()
			b.Allow(lab.Ask()...)
			b.Get(lab.AuthorizeURL(lab.Ask()...)) // and so remembers both
			w.OK(c.end(t.Context(), elsewhere.Store))
			if got := lab.Response(t, b.Get(lab.AuthorizeURL(lab.Ask("prompt", "none")...))); got.Get("error") != c.why {
				t.Errorf("the application is told %v, want %s", got, c.why)
			}
			if to := b.Get(lab.AuthorizeURL(lab.Ask()...)).Header.Get("Location"); !strings.HasPrefix(to, c.to) {
				t.Errorf("the browser is sent to %q, want %s", to, c.to)
			}
		})
	}
}

// Who has allowed an application in one process is not asked once more by another that
// remembers the time before.
func TestNobodyIsAskedFromMemory(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	elsewhere := w.Twin()
	b := w.Alice()
	b.Allow(lab.Ask()...)
	b.Get(lab.AuthorizeURL(lab.Ask()...))
	more := lab.Ask("scope", "openid military email")
	there := &lab.Browser{T: t, Fixture: elsewhere, HTTP: b.HTTP}
	there.Allow(more...)
	if lab.Response(t, b.Get(lab.AuthorizeURL(more...))).Get("code") == "" {
		t.Error("no code")
	}
}

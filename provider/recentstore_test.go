package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// dataChanges are what can change the answer to a data request. Each happens to
// Alice, whose token is in use.
var dataChanges = map[string]struct {
	change func(context.Context, *fixture, *browser) error
	want   string // is in the answer, and was not before; empty when the token is over
}{
	"attributes": {func(ctx context.Context, w *fixture, _ *browser) error {
		return w.SetAttributes(ctx, "alice", map[string]any{"fname": "Alicia"})
	}, `"Alicia"`},
	"status": {func(ctx context.Context, w *fixture, _ *browser) error {
		return w.SetStatus(ctx, "alice", provider.Status{Group: "military", Subgroups: []string{"Retiree"}, Verified: true})
	}, `"Retiree"`},
	"no status": {func(ctx context.Context, w *fixture, _ *browser) error {
		return w.DeleteStatus(ctx, "alice", "military")
	}, `"verified":false`},
	"address": {func(ctx context.Context, w *fixture, _ *browser) error {
		_, err := w.SaveAccount(ctx, provider.Account{ID: "alice", Email: "alicia@example.com"})
		return err
	}, `"alicia@example.com"`},
	"password": {func(ctx context.Context, w *fixture, _ *browser) error {
		_, err := w.SaveAccount(ctx, provider.Account{ID: "alice", Email: "alice@example.com", Password: "marble canyon at dawn"})
		return err
	}, ""},
	"account disabled": {func(ctx context.Context, w *fixture, _ *browser) error {
		return w.SetAccountDisabled(ctx, "alice", true)
	}, ""},
	"account deleted": {func(ctx context.Context, w *fixture, _ *browser) error {
		return w.DeleteAccount(ctx, "alice")
	}, ""},
	"application deleted": {func(ctx context.Context, w *fixture, _ *browser) error {
		return w.DeleteClient(ctx, "std")
	}, ""},
	"everything revoked": {func(ctx context.Context, w *fixture, _ *browser) error {
		return w.RevokeIssuedBefore(ctx, w.now().Add(time.Minute))
	}, ""},
	"application removed by the user": {func(_ context.Context, _ *fixture, b *browser) error {
		if p := b.submitOnce(b.get("/account/apps/remove?client_id=std")); p.StatusCode != http.StatusSeeOther {
			return fmt.Errorf("answered %s", p.Status)
		}
		return nil
	}, ""},
}

func TestAChangeIsInForceAtOnceAndInEveryProcessWithinASecond(t *testing.T) {
	t.Parallel()
	for name, tt := range dataChanges {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).withClients().withUsers()
			b, elsewhere := w.alice(), w.twin().newBrowser()
			token := text(t, b.standardTokens(), "access_token")
			for _, at := range []*browser{b, elsewhere} { // and keep the answer
				if p := at.bearer(attributesPath, token); p.StatusCode != http.StatusOK || tt.want != "" && strings.Contains(p.body, tt.want) {
					t.Fatalf("before the change: %s %s", p.Status, p.body)
				}
			}
			if err := tt.change(t.Context(), w, b); err != nil {
				t.Fatal(err)
			}
			for _, at := range []*browser{b, elsewhere} {
				p := at.bearer(attributesPath, token)
				if tt.want == "" {
					refused(t, p, http.StatusUnauthorized, "invalid_token")
				} else if !strings.Contains(p.body, tt.want) {
					t.Errorf("answered %s %s", p.Status, p.body)
				}
				w.advance(time.Second)
			}
		})
	}
}

func TestAStatusThatEndsIsNotToldOfAnyLonger(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	token := text(t, b.standardTokens(), "access_token")
	w.advance(w.now().Truncate(time.Second).Add(time.Second).Sub(w.now()))
	// It ends with the second in which it expires.
	status := provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true, ExpiresAt: w.now().Add(2500 * time.Millisecond)}
	if err := w.SetStatus(t.Context(), "alice", status); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"verified":true`, `"verified":true`, `"verified":true`, `"verified":true`, `"verified":false`} {
		if p := b.bearer(attributesPath, token); !strings.Contains(p.body, want) {
			t.Errorf("answered %s %s, want %s", p.Status, p.body, want)
		}
		w.advance(500 * time.Millisecond)
	}
}

// A signed answer is the same as long as it says the same, and for half its life.
func TestSignedUserinfoIsSignedAgainOnlyWhenItMust(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *provider.Config) {
		c.Lifetimes.IDToken = 4 * time.Minute
		c.Lifetimes.AccessToken = time.Hour
	}).withClients().withUsers()
	b := w.alice()
	tokens := b.v3Tokens("scope", "openid military")
	userinfo := func() string {
		t.Helper()
		p := b.get(userinfoPath + "?access_token=" + text(t, tokens, "access_token"))
		if p.StatusCode != http.StatusOK {
			t.Fatalf("userinfo: %s %s", p.Status, p.body)
		}
		return p.body
	}
	first := userinfo()
	w.advance(time.Minute)
	if userinfo() != first {
		t.Error("signed again although nothing had changed")
	}
	w.advance(time.Minute)
	second := userinfo()
	if second == first {
		t.Error("less than half of its life was left")
	}
	if err := w.SetAttributes(t.Context(), "alice", map[string]any{"fname": "Alicia"}); err != nil {
		t.Fatal(err)
	}
	if userinfo() == second {
		t.Error("the name has changed, the answer has not")
	}
}

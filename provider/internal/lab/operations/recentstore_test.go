package operations

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// dataChanges are what can change the answer to a data request. Each happens to
// Alice, whose token is in use.
var dataChanges = map[string]struct {
	change func(context.Context, *lab.Fixture, *lab.Browser) error
	want   string // is in the answer, and was not before; empty when the token is over
}{
	"attributes": {func(ctx context.Context, w *lab.Fixture, _ *lab.Browser) error {
		return w.People().SetAttributes(ctx, "alice", map[string]any{"fname": "Alicia"})
	}, `"Alicia"`},
	"status": {func(ctx context.Context, w *lab.Fixture, _ *lab.Browser) error {
		return w.People().SetStatus(ctx, "alice", provider.Status{Group: "military", Subgroups: []string{"Retiree"}, Verified: true})
	}, `"Retiree"`},
	"no status": {func(ctx context.Context, w *lab.Fixture, _ *lab.Browser) error {
		return w.People().DeleteStatus(ctx, "alice", "military")
	}, `"verified":false`},
	"address": {func(ctx context.Context, w *lab.Fixture, _ *lab.Browser) error {
		_, err := w.Accounts().Save(ctx, provider.Account{ID: "alice", Email: "alicia@example.com"})
		return err
	}, `"alicia@example.com"`},
	"password": {func(ctx context.Context, w *lab.Fixture, _ *lab.Browser) error {
		_, err := w.Accounts().Save(ctx, provider.Account{ID: "alice", Email: "alice@example.com", Password: "marble canyon at dawn"})
		return err
	}, ""},
	"account disabled": {func(ctx context.Context, w *lab.Fixture, _ *lab.Browser) error {
		return w.Accounts().SetDisabled(ctx, "alice", true)
	}, ""},
	"account deleted": {func(ctx context.Context, w *lab.Fixture, _ *lab.Browser) error {
		return w.Accounts().Delete(ctx, "alice")
	}, ""},
	"application deleted": {func(ctx context.Context, w *lab.Fixture, _ *lab.Browser) error {
		return w.Clients().Delete(ctx, "std", 0)
	}, ""},
	"everything revoked": {func(ctx context.Context, w *lab.Fixture, _ *lab.Browser) error {
		return w.People().RevokeIssuedBefore(ctx, w.Now().Add(time.Minute))
	}, ""},
	"application removed by the user": {func(_ context.Context, _ *lab.Fixture, b *lab.Browser) error {
		if p := b.SubmitOnce(b.Get("/account/apps/remove?client_id=std")); p.StatusCode != http.StatusSeeOther {
			return fmt.Errorf("answered %s", p.Status)
		}
		return nil
	}, ""},
}

func TestAChangeIsInForceAtOnceAndInEveryProcessWithinASecond(t *testing.T) {
	t.Parallel()
	for name, tt := range dataChanges {
		t.Run(name, func(t *testing.T) {
			w := lab.New(t).WithClients().WithUsers()
			b, elsewhere := w.Alice(), w.Twin().NewBrowser()
			token := lab.Member(t, b.StandardTokens("scope", "openid login military"), "access_token")
			for _, at := range []*lab.Browser{b, elsewhere} { // and keep the answer
				if p := at.Bearer(lab.AttributesPath, token); p.StatusCode != http.StatusOK || tt.want != "" && strings.Contains(p.Text, tt.want) {
					t.Fatalf("before the change: %s %s", p.Status, p.Text)
				}
			}
			testkit.OK(t, tt.change(t.Context(), w, b))
			for _, at := range []*lab.Browser{b, elsewhere} {
				p := at.Bearer(lab.AttributesPath, token)
				if tt.want == "" {
					lab.Refused(t, p, http.StatusUnauthorized, "invalid_token")
				} else if !strings.Contains(p.Text, tt.want) {
					t.Errorf("answered %s %s", p.Status, p.Text)
				}
				w.Advance(time.Second)
			}
		})
	}
}

func TestAStatusThatEndsIsNotToldOfAnyLonger(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	token := lab.Member(t, b.StandardTokens(), "access_token")
	w.Advance(w.Now().Truncate(time.Second).Add(time.Second).Sub(w.Now()))
	// It ends with the second in which it expires.
	status := provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true, ExpiresAt: w.Now().Add(2500 * time.Millisecond)}
	testkit.OK(t, w.People().SetStatus(t.Context(), "alice", status))
	for _, want := range []string{`"verified":true`, `"verified":true`, `"verified":true`, `"verified":true`, `"verified":false`} {
		if p := b.Bearer(lab.AttributesPath, token); !strings.Contains(p.Text, want) {
			t.Errorf("answered %s %s, want %s", p.Status, p.Text, want)
		}
		w.Advance(500 * time.Millisecond)
	}
}

// A signed answer is the same as long as it says the same, and for half its life.
func TestSignedUserinfoIsSignedAgainOnlyWhenItMust(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t, func(c *provider.Config) {
		c.Lifetimes.IDToken = 4 * time.Minute
		c.Lifetimes.AccessToken = time.Hour
	})
	tokens := b.V3Tokens("scope", "openid military")
	userinfo := func() string {
		t.Helper()
		p := b.Get(lab.UserinfoPath + "?access_token=" + lab.Member(t, tokens, "access_token"))
		if p.StatusCode != http.StatusOK {
			t.Fatalf("userinfo: %s %s", p.Status, p.Text)
		}
		return p.Text
	}
	first := userinfo()
	w.Advance(time.Minute)
	if userinfo() != first {
		t.Error("signed again although nothing had changed")
	}
	w.Advance(time.Minute)
	second := userinfo()
	if second == first {
		t.Error("less than half of its life was left")
	}
	testkit.OK(t, w.People().SetAttributes(t.Context(), "alice", map[string]any{"fname": "Alicia"}))
	if userinfo() == second {
		t.Error("the name has changed, the answer has not")
	}
}

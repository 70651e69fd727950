package operations

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// What this process has issued a moment ago it need not read.
func TestAFlowReadsNoTokenOfItsOwn(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	_, b := lab.WithAlice(t, lab.Faulty(&store))
	store.BreakBefore(func(_ context.Context, method string) error {
		if method == "Token" {
			return errors.New("read")
		}
		return nil
	})
	lab.Works(t, b, lab.Member(t, b.StandardTokens(), "access_token"), true)
}

func TestACodeRedeemedInAnotherProcessIsRefused(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b, elsewhere := w.Alice(), w.Twin().NewBrowser()
	code := b.Allow(lab.Ask()...).Get("code")
	p, tokens := elsewhere.Token(lab.Std("code", code)...)
	if p.StatusCode != http.StatusOK {
		t.Fatalf("token: %s %s", p.Status, p.Text)
	}
	p, _ = b.Token(lab.Std("code", code)...)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	w.Advance(time.Second)
	lab.Works(t, elsewhere, lab.Member(t, tokens, "access_token"), false)
}

func TestACodeWhoseGrantEndedInAnotherProcessIsRefused(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b, other := w.Alice(), w.Twin()
	code := b.Allow(lab.Ask()...).Get("code")
	if err := other.People().RevokeIssuedBefore(t.Context(), w.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	p, _ := b.Token(lab.Std("code", code)...)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
}

// A grant that ends between the write that issues a token and the answer takes the
// token with it.
func TestATokenIsNotRememberedBeyondARevocation(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w, b := lab.WithAlice(t, lab.Faulty(&store))
	code := b.Allow(lab.Ask()...).Get("code")
	store.BreakAfter(func(method string) error {
		if method != "Exchange" {
			return nil
		}
		return w.People().RevokeIssuedBefore(t.Context(), w.Now().Add(time.Minute))
	})
	p, tokens := b.Token(lab.Std("code", code)...)
	if p.StatusCode != http.StatusOK {
		t.Fatalf("token: %s %s", p.Status, p.Text)
	}
	lab.Works(t, b, lab.Member(t, tokens, "access_token"), false)
}

// The end of everything is recorded when it begins, and any process that runs carries it on.
func TestEndOfEverythingThatIsCutShortGoesOn(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
	b, twin := w.Alice(), w.Twin()
	token := lab.Member(t, b.StandardTokens(), "access_token")
	w.Advance(time.Minute)
	moment := w.Now()
	store.BreakBefore(func(_ context.Context, method string) error {
		if method == "EndGrants" {
			return storage.ErrUnavailable
		}
		return nil
	})
	if err := w.People().RevokeIssuedBefore(t.Context(), moment); !errors.Is(err, storage.ErrUnavailable) || !w.Saw(event.Revoked) {
		t.Fatalf("cut short: %v", err)
	}
	w.Advance(time.Minute)
	later := lab.Member(t, w.Alice().StandardTokens(), "access_token")
	lab.Works(t, b, token, true)
	twin.Runs()
	lab.Eventually(t, func() bool {
		kept, err := w.Store.Installation(t.Context())
		return err == nil && kept.EndBefore.IsZero()
	})
	w.Advance(time.Second)
	lab.Works(t, b, token, false)
	lab.Works(t, b, later, true)
}

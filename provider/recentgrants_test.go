package provider_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"
)

// What this process has issued a moment ago it need not read.
func TestAFlowReadsNoTokenOfItsOwn(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients().withUsers()
	b := w.alice()
	store.breakBefore(func(_ context.Context, method string) error {
		if method == "Token" {
			return errors.New("read")
		}
		return nil
	})
	works(t, b, text(t, b.standardTokens(), "access_token"), true)
}

func TestACodeRedeemedInAnotherProcessIsRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b, elsewhere := w.alice(), w.twin().newBrowser()
	code := b.allow(ask()...).Get("code")
	p, tokens := elsewhere.token(std("code", code)...)
	if p.StatusCode != http.StatusOK {
		t.Fatalf("token: %s %s", p.Status, p.body)
	}
	p, _ = b.token(std("code", code)...)
	refused(t, p, http.StatusBadRequest, "invalid_grant")
	w.advance(time.Second)
	works(t, elsewhere, text(t, tokens, "access_token"), false)
}

func TestACodeWhoseGrantEndedInAnotherProcessIsRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b, other := w.alice(), w.twin()
	code := b.allow(ask()...).Get("code")
	if err := other.RevokeIssuedBefore(t.Context(), w.now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	p, _ := b.token(std("code", code)...)
	refused(t, p, http.StatusBadRequest, "invalid_grant")
}

// A grant that ends between the write that issues a token and the answer takes the
// token with it.
func TestATokenIsNotRememberedBeyondARevocation(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients().withUsers()
	b := w.alice()
	code := b.allow(ask()...).Get("code")
	store.breakAfter(func(method string) error {
		if method != "Exchange" {
			return nil
		}
		return w.RevokeIssuedBefore(t.Context(), w.now().Add(time.Minute))
	})
	p, tokens := b.token(std("code", code)...)
	if p.StatusCode != http.StatusOK {
		t.Fatalf("token: %s %s", p.Status, p.body)
	}
	works(t, b, text(t, tokens, "access_token"), false)
}

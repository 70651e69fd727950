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
	var store *FaultyStore
	w := New(t, Faulty(&store)).WithClients().WithUsers()
	b := w.Alice()
	store.BreakBefore(func(_ context.Context, method string) error {
		if method == "Token" {
			return errors.New("read")
		}
		return nil
	})
	Works(t, b, Member(t, b.StandardTokens(), "access_token"), true)
}

func TestACodeRedeemedInAnotherProcessIsRefused(t *testing.T) {
	t.Parallel()
	w := New(t).WithClients().WithUsers()
	b, elsewhere := w.Alice(), w.Twin().NewBrowser()
	code := b.Allow(Ask()...).Get("code")
	p, tokens := elsewhere.Token(Std("code", code)...)
	if p.StatusCode != http.StatusOK {
		t.Fatalf("token: %s %s", p.Status, p.Text)
	}
	p, _ = b.Token(Std("code", code)...)
	Refused(t, p, http.StatusBadRequest, "invalid_grant")
	w.Advance(time.Second)
	Works(t, elsewhere, Member(t, tokens, "access_token"), false)
}

func TestACodeWhoseGrantEndedInAnotherProcessIsRefused(t *testing.T) {
	t.Parallel()
	w := New(t).WithClients().WithUsers()
	b, other := w.Alice(), w.Twin()
	code := b.Allow(Ask()...).Get("code")
	if err := other.RevokeIssuedBefore(t.Context(), w.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	p, _ := b.Token(Std("code", code)...)
	Refused(t, p, http.StatusBadRequest, "invalid_grant")
}

// A grant that ends between the write that issues a token and the answer takes the
// token with it.
func TestATokenIsNotRememberedBeyondARevocation(t *testing.T) {
	t.Parallel()
	var store *FaultyStore
	w := New(t, Faulty(&store)).WithClients().WithUsers()
	b := w.Alice()
	code := b.Allow(Ask()...).Get("code")
	store.BreakAfter(func(method string) error {
		if method != "Exchange" {
			return nil
		}
		return w.RevokeIssuedBefore(t.Context(), w.Now().Add(time.Minute))
	})
	p, tokens := b.Token(Std("code", code)...)
	if p.StatusCode != http.StatusOK {
		t.Fatalf("token: %s %s", p.Status, p.Text)
	}
	Works(t, b, Member(t, tokens, "access_token"), false)
}

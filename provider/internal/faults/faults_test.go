package faults

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/sandbox"
)

func with(fault sandbox.Fault) *Faults {
	return New(Options{
		Of:    func(context.Context, string) (sandbox.Fault, error) { return fault, nil },
		Clock: time.Now,
	})
}

func TestASlowTokenEndpointAnswersWithinItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), request.Timeout)
		defer cancel()
		begin := time.Now()
		if err := with(sandbox.TokenSlow).Token(ctx, "app"); err != nil || time.Since(begin) != slow {
			t.Errorf("waited %v: %v", time.Since(begin), err)
		}
	})
}

func TestASlowTokenEndpointStopsWhenTheClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		if err := with(sandbox.TokenSlow).Token(ctx, "app"); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("waited %v: %v", time.Since(begin), err)
		}
	})
}

func TestOutsideOfASandboxNothingFails(t *testing.T) {
	t.Parallel()
	var none *Faults
	if err := errors.Join(none.Authorize(t.Context(), "app"), none.Token(t.Context(), "app")); err != nil {
		t.Error(err)
	}
	sign := none.Sign(func(_ string, claims []byte) (string, error) { return string(claims), nil })
	if token, err := sign(t.Context(), keyring.RS256, []byte("as they are")); token != "as they are" || err != nil {
		t.Errorf("signed %q: %v", token, err)
	}
}

func TestOnlySoManyRotatedKeysArePublished(t *testing.T) {
	t.Parallel()
	var r rotatedKeys
	now := time.Now()
	first := testkit.Must(r.of(rotatedFor{"app", keyring.RS256}, now))(t)
	for i := range 2 {
		if again, err := r.of(rotatedFor{"app", keyring.RS256}, now.Add(time.Duration(i)*time.Second)); err != nil || again != first {
			t.Fatalf("another key within the minute: %v", err)
		}
	}
	later, err := r.of(rotatedFor{"app", keyring.RS256}, now.Add(rotateEvery))
	if err != nil || later == first || len(r.all) != 2 {
		t.Errorf("%d keys: %v", len(r.all), err)
	}
}

// Sixteen applications made the ID token of another organization one that has no key.
func TestRotatedKeysOfOthersPushNoneOut(t *testing.T) {
	t.Parallel()
	var r rotatedKeys
	now := time.Now()
	first := testkit.Must(r.of(rotatedFor{"app", keyring.RS256}, now))(t)
	for len(r.all) < maxRotated {
		r.all = append(r.all, rotatedKey{rotatedFor{"other", keyring.RS256}, now, first})
	}
	published := func() bool {
		return slices.ContainsFunc(r.all, func(k rotatedKey) bool { return k.clientID == "app" })
	}
	usual := func(string, []byte) (string, error) { return "as usual", nil }
	if token, err := r.sign(rotatedFor{"one more", keyring.RS256}, nil, now.Add(keepRotated-time.Second), usual); err != nil || token != "as usual" || !published() || len(r.all) != maxRotated {
		t.Errorf("signed %q with %d keys: %v", token, len(r.all), err)
	}
	if token, err := r.sign(rotatedFor{"one more", keyring.RS256}, []byte("{}"), now.Add(keepRotated), usual); err != nil || token == "as usual" || len(r.all) != 1 {
		t.Errorf("when the former keys are over: %q with %d keys: %v", token, len(r.all), err)
	}
}

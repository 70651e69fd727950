package faults

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/request"
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
	sign := none.Sign(func(claims []byte) (string, error) { return string(claims), nil })
	if token, err := sign(t.Context(), []byte("as they are")); token != "as they are" || err != nil {
		t.Errorf("signed %q: %v", token, err)
	}
}

func TestOnlySoManyRotatedKeysArePublished(t *testing.T) {
	t.Parallel()
	var r rotatedKeys
	now := time.Now()
	first, err := r.of("app", now)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if again, err := r.of("app", now.Add(time.Duration(i)*time.Second)); err != nil || again != first {
			t.Fatalf("another key within the minute: %v", err)
		}
	}
	for range maxRotated {
		r.all = append(r.all, rotatedKey{"other", now, first})
	}
	if next, err := r.of("app", now.Add(rotateEvery)); err != nil || next == first || len(r.all) != maxRotated {
		t.Errorf("%d keys: %v", len(r.all), err)
	}
}

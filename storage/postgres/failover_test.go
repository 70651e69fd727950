package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// TestDemotedPrimary tests that a server which goes on answering, when another one has
// taken its place behind the same address, is left.
func TestDemotedPrimary(t *testing.T) {
	primary, standby := pgtest.StartPair(t)
	url := primary.Schema(t)
	proxy := pgtest.NewProxy(t, url)
	store := openTest(t, proxy.URL)
	ok(t, store.SaveClient(t.Context(), client("before")))
	// Many connections, all of them to what is about to be the wrong server.
	read := func() error {
		errs := make([]error, 16)
		var reading sync.WaitGroup
		for i := range errs {
			reading.Go(func() { _, errs[i] = store.Client(t.Context(), "before") })
		}
		reading.Wait()
		return errors.Join(errs...)
	}
	ok(t, read())

	t.Run("PingSeesAStandby", func(t *testing.T) {
		applied := openTest(t, url+"&synchronous_commit=remote_apply") // and all that was before
		ok(t, applied.SaveClient(t.Context(), client("applied")))
		there := openTest(t, standby.At(url))
		if err := there.Ping(t.Context()); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("err = %v, want %v", err, storage.ErrUnavailable)
		}
		if _, err := there.Client(t.Context(), "before"); err != nil {
			t.Errorf("read: %v", err)
		}
	})
	t.Run("PingSeesThatNoCommitEnds", func(t *testing.T) {
		// A second standby would have to confirm, and there is none.
		primary.Set(t, "synchronous_standby_names", "'2 (*)'")
		try := func(do func(context.Context) error) error {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			return do(ctx)
		}
		here := openTest(t, url)
		write := func(ctx context.Context) error { return here.SaveClient(ctx, client("never")) }
		if err := try(write); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("write: err = %v, want %v", err, context.DeadlineExceeded)
		}
		if err := try(here.Ping); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ping: err = %v, want %v", err, context.DeadlineExceeded)
		}
		primary.Set(t, "synchronous_standby_names", "'*'")
		if err := here.Ping(t.Context()); err != nil {
			t.Errorf("with its standby again: %v", err)
		}
	})

	primary.Set(t, "default_transaction_read_only", "on")
	standby.Promote(t)
	proxy.Move(t, standby.At(url))
	if err := store.SaveClient(t.Context(), client("after")); err != nil {
		t.Errorf("write: %v", err)
	}
	for n := range 16 {
		if err := store.Ping(t.Context()); err != nil {
			t.Errorf("ping: %v", err)
		}
		if _, err := store.Client(t.Context(), "after"); err != nil {
			t.Errorf("read %d, of what the demoted server does not have: %v", n, err)
		}
	}
	if err := read(); err != nil {
		t.Error(err)
	}
}

// TestFailover tests that a store with two hosts reaches the one that takes writes, and
// that what was committed is there.
func TestFailover(t *testing.T) {
	primary, standby := pgtest.StartPair(t)
	url := primary.Schema(t)
	store := openTest(t, pgtest.Either(t, standby.At(url), url)) // the standby comes first
	for n := range 20 {
		ok(t, store.SaveClient(t.Context(), client(fmt.Sprint(n))))
	}
	primary.Kill(t)
	if err := store.SaveClient(t.Context(), client("nowhere")); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("err = %v, want %v", err, storage.ErrUnavailable)
	}
	if err := store.Ping(t.Context()); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("ping: err = %v, want %v", err, storage.ErrUnavailable)
	}
	standby.Promote(t)
	if err := store.SaveClient(t.Context(), client("after")); err != nil {
		t.Error(err)
	}
	if err := store.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
	found, err := store.Clients(t.Context(), storage.ClientFilter{}, "", 100)
	if err != nil || len(found) != 21 {
		t.Errorf("%d clients, %v", len(found), err)
	}
}

// TestSilentPrimary tests that a server is left which does not even close its connections, whether
// they are idle or wait for an answer, and that nobody waits for it again.
func TestSilentPrimary(t *testing.T) {
	primary, standby := pgtest.StartPair(t)
	url := primary.Schema(t)
	proxy := pgtest.NewProxy(t, url)
	store := openTest(t, pgtest.Either(t, proxy.URL, standby.At(url)))
	ok(t, store.SaveClient(t.Context(), client("before")))
	proxy.Silence(t)
	standby.Promote(t)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // of fifteen
	defer cancel()
	errs := make([]error, 16)
	var working sync.WaitGroup
	for i := range errs {
		working.Go(func() { _, errs[i] = store.Client(ctx, "before") })
	}
	working.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Errorf("read: %v", err)
	}
	if err := store.SaveClient(ctx, client("after")); err != nil {
		t.Errorf("write: %v", err)
	}
}

package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// TestFailover kills PostgreSQL under load, with commits that it has carried out and
// nobody has heard of, and makes its synchronous standby take its place a while later.
// What was acknowledged is in force on the standby, and who heard nothing is served
// with the refresh token that was in use: no application has to send anybody through a
// sign-in because of it.
func TestFailover(t *testing.T) {
	skipShort(t)
	for _, outage := range failovers {
		t.Run(fmt.Sprint(outage), func(t *testing.T) {
			t.Parallel()
			failOver(t, outage, func(primary *pgtest.Server, proxy *pgtest.Proxy) {
				primary.Kill(t)
				proxy.Cut()
				proxy.Delay(0)
			})
		})
	}
	if !long {
		return
	}
	// A machine that has lost its power says nothing, not even that it is gone.
	t.Run("WithoutAWord", func(t *testing.T) {
		t.Parallel()
		failOver(t, failovers[0], func(_ *pgtest.Server, proxy *pgtest.Proxy) { proxy.Silence(t) })
	})
}

// failOver breaks the primary under load, promotes its standby after the outage, and
// demands that everybody is served again.
func failOver(t *testing.T, outage time.Duration, end func(*pgtest.Server, *pgtest.Proxy)) {
	t.Helper()
	primary, standby := pgtest.StartPair(t)
	url := primary.Schema(t)
	const refreshing, working = 16, 6
	s := setup{Database: url}
	populate(t, s, refreshing+working)
	proxy := pgtest.NewProxy(t, url)
	s.Database = pgtest.Either(t, proxy.URL, standby.At(url))
	processes := []*process{s.run(t), s.run(t)}
	users := newUsers(s, refreshing+working, func() string { return processes[rand.IntN(2)].url })
	all(t, users, (*user).begin)

	ctx, cancel := context.WithCancel(t.Context())
	var load sync.WaitGroup
	errs := make([]error, len(users))
	tallies := make([]tally, refreshing)
	for i, u := range users {
		load.Go(func() {
			if i < refreshing {
				errs[i] = u.refreshUntil(ctx, &tallies[i])
			} else {
				errs[i] = u.work(ctx, func(bool) {})
			}
		})
	}
	stop := func() {
		cancel()
		load.Wait()
	}
	defer stop()

	<-time.After(failoverLoad)
	proxy.Delay(time.Hour) // answers, while commits go on
	<-time.After(500 * time.Millisecond)
	end(primary, proxy)
	<-time.After(outage)
	for _, p := range processes {
		newBrowser("", func() string { return p.url }).becomesReady(t, false)
	}
	each := func(what string, so func(*tally) bool) { // of those who refresh
		t.Helper()
		for i, deadline := 0, time.Now().Add(patience); i < refreshing; {
			if so(&tallies[i]) {
				i++
				continue
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s was not %s", users[i].email, what)
			}
			<-time.After(10 * time.Millisecond)
		}
	}
	each("refused", func(n *tally) bool { return n.refused.Load() > 0 })
	standby.Promote(t)
	promoted := time.Now()
	var acknowledged, refused int64
	for i := range tallies {
		acknowledged += tallies[i].served.Swap(0)
		refused += tallies[i].refused.Load()
	}
	each("served after the standby was promoted", func(n *tally) bool { return n.served.Load() > 0 })
	t.Logf("%d refreshes acknowledged before, %d refused meanwhile; all served %v after the promotion",
		acknowledged, refused, time.Since(promoted).Round(time.Millisecond))
	for _, p := range processes {
		newBrowser("", func() string { return p.url }).becomesReady(t, true)
	}
	stop()

	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	checkEverywhere(t, users)
}

// failoverLoad is how long there is load before.
const failoverLoad = 2 * time.Second

// tally counts what a user was told.
type tally struct{ served, refused atomic.Int64 }

// refreshUntil refreshes the user's token until ctx ends. Whoever gets no answer
// presents the same token again.
func (u *user) refreshUntil(ctx context.Context, n *tally) error {
	for ctx.Err() == nil {
		switch err := u.refresh(); {
		case err == nil:
			n.served.Add(1)
		case errors.Is(err, errUnavailable):
			n.refused.Add(1)
			<-time.After(rand.N(retryAfter / 4))
		default:
			return fmt.Errorf("%s: %w", u.email, err)
		}
	}
	return nil
}

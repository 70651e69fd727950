package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *suite) attempts(t *testing.T) {
	const (
		interval = 10 * time.Second
		burst    = 3
	)
	take := func(t *testing.T, store storage.Store, bucket string, at time.Time) time.Duration {
		t.Helper()
		return must(store.AllowAttempt(t.Context(), digest(bucket), at, interval, burst))(t)
	}
	drain := func(t *testing.T, store storage.Store, bucket string, at time.Time) {
		t.Helper()
		for range burst {
			equal(t, take(t, store, bucket, at), 0)
		}
	}
	s.test(t, "BurstThenWait", func(t *testing.T, store storage.Store) {
		drain(t, store, "bucket", t0)
		equal(t, take(t, store, "bucket", t0), interval)
		equal(t, take(t, store, "bucket", t0.Add(4*time.Second)), 6*time.Second)
	})
	s.test(t, "WaitIsExact", func(t *testing.T, store storage.Store) {
		drain(t, store, "bucket", t0)
		equal(t, take(t, store, "bucket", t0.Add(interval-time.Microsecond)), time.Microsecond)
		equal(t, take(t, store, "bucket", t0.Add(interval)), 0)
		equal(t, take(t, store, "bucket", t0.Add(interval)), interval)
	})
	s.test(t, "WaitingIsNotCounted", func(t *testing.T, store storage.Store) {
		drain(t, store, "bucket", t0)
		for range 10 {
			equal(t, take(t, store, "bucket", t0), interval)
		}
	})
	s.test(t, "FillsUpToTheBurst", func(t *testing.T, store storage.Store) {
		drain(t, store, "bucket", t0)
		later := t0.Add(24 * time.Hour)
		drain(t, store, "bucket", later)
		equal(t, take(t, store, "bucket", later), interval)
	})
	s.test(t, "AClockThatLagsGainsNothing", func(t *testing.T, store storage.Store) {
		drain(t, store, "bucket", t0)
		equal(t, take(t, store, "bucket", t0.Add(-30*time.Second)), 40*time.Second)
	})
	s.test(t, "AClockThatWasAheadHoldsNobodyUp", func(t *testing.T, store storage.Store) {
		drain(t, store, "bucket", t0.Add(24*time.Hour))
		equal(t, take(t, store, "bucket", t0), interval) // as of a full one
		equal(t, take(t, store, "bucket", t0.Add(interval-time.Second)), time.Second)
		equal(t, take(t, store, "bucket", t0.Add(interval)), 0)
		equal(t, take(t, store, "bucket", t0.Add(interval)), interval)
	})
	s.test(t, "AClockThatIsAheadByAMinuteIsNotWrong", func(t *testing.T, store storage.Store) {
		drain(t, store, "bucket", t0.Add(time.Minute))
		equal(t, take(t, store, "bucket", t0), time.Minute+interval)
		drain(t, store, "other", t0.Add(time.Minute+time.Microsecond))
		equal(t, take(t, store, "other", t0), interval)
	})
	s.test(t, "BucketsAreApart", func(t *testing.T, store storage.Store) {
		drain(t, store, "one", t0)
		drain(t, store, "two", t0)
	})
	s.test(t, "GivenBackIsAsIfNotTaken", func(t *testing.T, store storage.Store) {
		drain(t, store, "bucket", t0)
		drain(t, store, "other", t0)
		ok(t, store.GiveBackAttempt(t.Context(), digest("bucket"), interval))
		ok(t, store.GiveBackAttempt(t.Context(), digest("unknown"), interval))
		equal(t, take(t, store, "bucket", t0), 0)
		equal(t, take(t, store, "bucket", t0), interval)
		ok(t, store.GiveBackAttempt(t.Context(), digest("bucket"), time.Second))
		equal(t, take(t, store, "bucket", t0), interval-time.Second)
		equal(t, take(t, store, "other", t0), interval)
		drain(t, store, "unknown", t0)
		for _, nothing := range []time.Duration{0, -interval} {
			if store.GiveBackAttempt(t.Context(), digest("bucket"), nothing) == nil {
				t.Errorf("%v was given back", nothing)
			}
		}
	})
	s.test(t, "ForgottenStartsAnew", func(t *testing.T, store storage.Store) {
		drain(t, store, "bucket", t0)
		drain(t, store, "other", t0)
		ok(t, store.ResetAttempts(t.Context(), digest("bucket")))
		ok(t, store.ResetAttempts(t.Context(), digest("unknown")))
		drain(t, store, "bucket", t0)
		equal(t, take(t, store, "other", t0), interval)
	})
	s.test(t, "RefusesABucketThatHoldsNone", func(t *testing.T, store storage.Store) {
		for _, bucket := range []struct {
			interval time.Duration
			burst    int
		}{{interval, 0}, {interval, -1}, {0, burst}, {-interval, burst}} {
			if _, err := store.AllowAttempt(t.Context(), digest("bucket"), t0, bucket.interval, bucket.burst); err == nil {
				t.Errorf("an attempt of %d per %v was allowed", bucket.burst, bucket.interval)
			}
		}
	})
}

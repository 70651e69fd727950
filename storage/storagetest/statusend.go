package storagetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// endOf is the event of a status that has ended.
func endOf(subject, group string) storage.Event {
	return storage.Event{At: t0, Name: "status_ended", Subject: subject, Detail: group}
}

// endStatuses notes the ends of statuses, and returns whose.
func endStatuses(t *testing.T, store storage.Store, now time.Time) (ends []string) {
	t.Helper()
	for _, e := range must(store.EndStatuses(t.Context(), now, 9, endOf))(t) {
		ends = append(ends, e.Subject+" "+e.Detail)
	}
	slices.Sort(ends)
	return ends
}

func (s *suite) statusEnds(t *testing.T) {
	hour := t0.Add(time.Hour)
	until := func(group string, end time.Time) storage.Status {
		return storage.Status{Group: group, Verified: true, ExpiresAt: end}
	}
	s.test(t, "AreNotedAndRecordedOnce", func(t *testing.T, store storage.Store) {
		for _, status := range []storage.Status{
			until("student", hour), until("teacher", hour.Add(time.Microsecond)), until("nurse", time.Time{}),
			{Group: "pending", Pending: true, ExpiresAt: t0}, {Group: "refused", ExpiresAt: t0},
		} {
			ok(t, store.SetStatus(t.Context(), "ann", status, storage.NoStatus))
		}
		ok(t, store.SetStatus(t.Context(), "bob", until("student", t0), storage.NoStatus))
		equal(t, endStatuses(t, store, hour.Add(-time.Microsecond)), []string{"bob student"})
		equal(t, endStatuses(t, store, hour), []string{"ann student"})
		equal(t, endStatuses(t, store, hour), nil)
		var recorded []string
		for _, e := range must(store.Events(t.Context(), storage.EventFilter{Name: "status_ended"}))(t) {
			recorded = append(recorded, e.Subject+" "+e.Detail)
		}
		equal(t, recorded, []string{"ann student", "bob student"})
		equal(t, endStatuses(t, store, hour.Add(time.Hour)), []string{"ann teacher"})
	})
	s.test(t, "AreNotedAgainOfAnotherStatus", func(t *testing.T, store storage.Store) {
		ok(t, store.SetStatus(t.Context(), "ann", until("student", t0), storage.NoStatus))
		equal(t, endStatuses(t, store, hour), []string{"ann student"})
		ok(t, store.SetStatus(t.Context(), "ann", until("student", hour), storage.AnyRevision))
		equal(t, endStatuses(t, store, hour.Add(-time.Microsecond)), nil)
		equal(t, endStatuses(t, store, hour), []string{"ann student"})
	})
	s.test(t, "AreNotedAgainAfterTheTimeWasSetBack", func(t *testing.T, store storage.Store) {
		ok(t, store.SetStatus(t.Context(), "ann", until("student", t0), storage.NoStatus))
		equal(t, endStatuses(t, store, t0), []string{"ann student"})
		ok(t, store.Elapse(t.Context(), storage.Elapsed{UserPrefix: "a", By: time.Hour}))
		equal(t, endStatuses(t, store, t0), nil)
		ok(t, store.Elapse(t.Context(), storage.Elapsed{UserPrefix: "a", By: -2 * time.Hour}))
		equal(t, endStatuses(t, store, t0), nil)
		equal(t, endStatuses(t, store, hour), []string{"ann student"})
	})
	s.test(t, "AreSomeAtOnce", func(t *testing.T, store storage.Store) {
		for i := range 3 {
			ok(t, store.SetStatus(t.Context(), fmt.Sprint(i), until("student", t0.Add(time.Duration(-i)*time.Minute)), storage.NoStatus))
		}
		equal(t, len(must(store.EndStatuses(t.Context(), t0, 2, endOf))(t)), 2)
		equal(t, endStatuses(t, store, t0), []string{"0 student"}) // the last to end
		equal(t, len(must(store.EndStatuses(t.Context(), t0, 0, endOf))(t)), 0)
	})
}

package verification

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// appealWithin is how long a declined case can be appealed against.
const appealWithin = 30 * day

// remembered is how far a history reaches: nothing that it says holds for longer, by whatever
// clock.
const remembered = 2 * max(appealWithin, retryAfter)

// history are the cases of a person for a group, the latest first, as far back as they
// matter. A decline bars the person from another case, and can be appealed against, whatever
// comes after it: a case that is begun and withdrawn changes neither.
type history []storage.Case

func (s *core) history(ctx context.Context, userID, group string) (history, error) {
	f, since := storage.CaseFilter{Subject: userID, Group: group, Limit: sweepBatch}, s.Clock().Add(-remembered)
	var h history
	for {
		page, err := s.Store.Cases(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("list cases: %w", err)
		}
		h = append(h, page...)
		if len(page) < f.Limit || page[len(page)-1].EndedAt.Before(since) {
			return h, nil
		}
		f.BeforeID = page[len(page)-1].ID
	}
}

// inProgress returns the index of the case that has not ended, or -1.
func (h history) inProgress() int {
	return slices.IndexFunc(h, func(c storage.Case) bool { return !c.State.IsFinal() })
}

// latest returns the ID of the latest case, or "".
func (h history) latest() string {
	if len(h) == 0 {
		return ""
	}
	return h[0].ID
}

// next returns the time for the ID of the next case. A process whose clock is ahead may have
// begun an earlier one: the IDs are in the order of the cases all the same.
func (h history) next(now time.Time) time.Time {
	latest, _, _ := strings.Cut(strings.Replace(h.latest(), "-", "", 1), "-")
	ms, err := strconv.ParseInt(latest, 16, 64)
	if err != nil || ms < now.UnixMilli() {
		return now
	}
	return time.UnixMilli(ms + 1)
}

// isDecided reports whether a case was approved or declined.
func isDecided(c storage.Case) bool {
	return c.State == storage.CaseApproved || c.State == storage.CaseDeclined
}

// barredUntil returns the end of the time in which the person may begin no other case. A
// decline bars until its time, or until an appeal against it is decided: one that the person
// withdraws, or that expires, changes nothing.
func (s *core) barredUntil(ctx context.Context, h history, now time.Time) (until time.Time) {
	for _, c := range h {
		if c.State != storage.CaseDeclined || !now.Before(c.EndedAt.Add(retryAfter)) ||
			slices.ContainsFunc(h, func(o storage.Case) bool { return o.Appeals == c.ID && isDecided(o) }) {
			continue
		}
		k, err := s.open(c)
		if err != nil { // nobody knows that it does not bar, and it can be appealed against
			s.unreadable(ctx, c, err)
			k.Retry = c.EndedAt.Add(retryAfter)
		}
		if k.Retry.After(until) {
			until = k.Retry
		}
	}
	return until
}

// mayAppeal reports whether a case is one that can be appealed against.
func mayAppeal(c storage.Case, now time.Time) bool {
	return c.State == storage.CaseDeclined && c.Appeals == "" && now.Before(c.EndedAt.Add(appealWithin))
}

// canAppeal reports whether the person can appeal against a case: once, unless another one is
// in progress, or was decided since.
func (h history) canAppeal(id string, now time.Time) bool {
	return slices.ContainsFunc(h, func(c storage.Case) bool { return c.ID == id && mayAppeal(c, now) }) &&
		!slices.ContainsFunc(h, func(o storage.Case) bool {
			return !o.State.IsFinal() || o.Appeals == id || o.ID > id && isDecided(o)
		})
}

package plans

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/role"
	"github.com/bonafide-id/bonafide/storage"
)

// maxAttempts is how often one process tries a target that fails, before it is skipped.
const maxAttempts = 3

var operators = []role.Role{role.Operator}

// WhyNothing means that there was nothing to change.
const WhyNothing Why = "nothing"

// attempts counts what has failed in this process.
type attempts struct {
	mu     sync.Mutex
	failed map[storage.TargetID]int
}

// again counts a failure, and reports whether to try again.
func (a *attempts) again(t storage.TargetID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed[t]++
	if a.failed[t] < maxAttempts {
		return true
	}
	delete(a.failed, t)
	return false
}

// act does the action to one target: its write and the mark that it is done are one step, so that
// of any number of processes one does it, and whatever ends a process in between leaves it
// waiting. It reports whether the plan is no longer running. An error ends the round.
func (s *Service) act(ctx context.Context, a action.Action, o Opened, by []Member, t storage.PlanTarget) (over bool, err error) {
	revision, genuine := s.revision(o.ID, t)
	if !genuine {
		return s.skip(ctx, o, t, WhyGone)
	}
	why, err := s.bars(ctx, a, t.ID, by...)
	if err == nil && why == "" {
		why, err = s.approverIsBarred(ctx, a, o, by[1], t.ID)
	}
	if err != nil {
		return false, err
	}
	if why != "" {
		return s.skip(ctx, o, t, why)
	}
	target := storage.TargetID{Plan: o.ID, Number: t.Number}
	acting := provider.By(ctx, provider.Actor{Name: o.ProposedBy, Matter: matterOf(o.Plan, o.content), Target: target})
	_, err = a.Do(acting, order(a, t.ID, o.content.Values, "", by[0]), revision)
	if why, known := skipped(err); known {
		return s.skip(ctx, o, t, why)
	}
	switch {
	case err == nil:
		return s.skipUnlessDone(ctx, o, t)
	case errors.Is(err, provider.ErrTarget), errors.Is(err, storage.ErrSpent):
		return s.isOver(ctx, o) // another process has done it, or the plan was stopped
	case errors.Is(err, storage.ErrUnavailable), ctx.Err() != nil:
		return false, err
	}
	s.Frame.Logger.ErrorContext(ctx, "a target of a plan failed", slog.String("plan", o.ID), slog.Int("number", t.Number), slog.Any("error", err))
	if s.attempts.again(target) {
		return false, nil
	}
	return s.skip(ctx, o, t, WhyFailed)
}

// approverIsBarred returns why who approves may not act on a target, or the empty string: of an
// organization of theirs they decide as little as of themselves. The action knows for who gives
// the order, which is who has proposed it.
func (s *Service) approverIsBarred(ctx context.Context, a action.Action, o Opened, by Member, id string) (Why, error) {
	if a.Target != action.Application && a.Target != action.Organization {
		return "", nil
	}
	_, err := a.Check(ctx, order(a, id, o.content.Values, "", by))
	if errors.Is(err, action.ErrNoTarget) {
		return WhySelf, nil
	}
	return "", err
}

// skipped returns why a target is skipped after this error of an action, and false for any other.
func skipped(err error) (Why, bool) {
	var wrong *provider.FieldError
	switch {
	case errors.Is(err, provider.ErrChanged), errors.Is(err, storage.ErrChanged):
		return WhyChanged, true
	case errors.Is(err, action.ErrNoTarget), errors.Is(err, provider.ErrNoUser), errors.Is(err, storage.ErrNotFound):
		return WhyGone, true
	case errors.As(err, &wrong), errors.Is(err, storage.ErrForbidden), errors.Is(err, storage.ErrConflict):
		return WhyRefused, true
	}
	return "", false
}

// skipUnlessDone skips a target that an action has left waiting, because there was nothing to
// write.
func (s *Service) skipUnlessDone(ctx context.Context, o Opened, t storage.PlanTarget) (over bool, err error) {
	left, err := s.store.PlanTargets(ctx, o.ID, storage.TargetWaiting, t.Number-1, 1)
	if err != nil || len(left) == 0 || left[0].Number != t.Number {
		return false, err
	}
	return s.skip(ctx, o, t, WhyNothing)
}

// skip records that a target was not acted on.
func (s *Service) skip(ctx context.Context, o Opened, t storage.PlanTarget, why Why) (over bool, err error) {
	err = s.store.SkipTarget(ctx, storage.TargetID{Plan: o.ID, Number: t.Number}, string(why))
	if errors.Is(err, storage.ErrSpent) {
		return s.isOver(ctx, o)
	}
	return false, err
}

// isOver reports whether a plan is no longer running.
func (s *Service) isOver(ctx context.Context, o Opened) (bool, error) {
	p, err := s.store.Plan(ctx, o.ID)
	return p.State != storage.PlanRunning, err
}

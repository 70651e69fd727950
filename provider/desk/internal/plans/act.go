package plans

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
)

// maxAttempts is how often one process tries a target that fails, before it is skipped: in the
// rounds 1, 2, 4, 8, 16 and 32 since it did, which takes some five minutes.
const maxAttempts = 6

var operators = []action.Role{action.Operator}

// WhyNothing means that there was nothing to change.
const WhyNothing Why = "nothing"

// attempts are what has failed in this process, so that it is tried last.
type attempts struct {
	round  int
	failed map[storage.TargetID]attempt
}

// attempt is how often a target has failed, and from which round on it is tried again.
type attempt struct{ count, next int }

// again counts a failure, and reports whether to try again.
func (a *attempts) again(t storage.TargetID) bool {
	n := a.failed[t].count
	a.failed[t] = attempt{n + 1, a.round + 1<<min(n, maxAttempts-2)}
	return n+1 < maxAttempts
}

// act does the action to one target. It reports whether the plan is no longer running. Whatever
// fails leaves the target waiting, and is no matter of those behind it.
func (s *Service) act(ctx context.Context, a action.Action, o Opened, by []Member, t storage.PlanTarget) (over bool, err error) {
	target := storage.TargetID{Plan: o.ID, Number: t.Number}
	why, err := s.carryOut(ctx, a, o, by, t)
	if err == nil && why != "" {
		err = s.store.SkipTarget(ctx, target, string(why))
	}
	switch {
	case err == nil:
		delete(s.attempts.failed, target)
		return false, nil
	case errors.Is(err, audit.ErrTarget), errors.Is(err, storage.ErrSpent):
		return s.isOver(ctx, o) // another process has done it, or the plan was stopped
	case ctx.Err() != nil:
		return false, err
	}
	s.Frame.Logger.ErrorContext(ctx, "a target of a plan failed", slog.String("plan", o.ID), slog.Int("number", t.Number), slog.Any("error", err))
	if s.attempts.again(target) {
		return false, nil
	}
	if err = s.store.SkipTarget(ctx, target, string(WhyFailed)); errors.Is(err, storage.ErrSpent) {
		return s.isOver(ctx, o)
	}
	return false, err
}

// carryOut does the action to one target, or returns why it is skipped. Its first write and the
// mark that it is done, or begun, are one step, so that of any number of processes one does it, and
// whatever ends a process in between leaves it waiting. What was begun is done again.
func (s *Service) carryOut(ctx context.Context, a action.Action, o Opened, by []Member, t storage.PlanTarget) (Why, error) {
	revision, genuine := s.revision(o.ID, t)
	if !genuine {
		return WhyGone, nil
	}
	why, err := s.bars(ctx, a, t.ID, by...)
	if err == nil && why == "" {
		why, err = s.approverIsBarred(ctx, a, o, by[1], t.ID)
	}
	if err != nil || why != "" {
		return why, err
	}
	acting := storage.Actor{
		Name: o.ProposedBy, Matter: matterOf(o.Plan, o.content), On: storage.DeedBasis{At: s.Frame.Now()},
		Target: storage.TargetID{Plan: o.ID, Number: t.Number}, Again: t.BegunAt,
	}
	_, err = a.Carry(ctx, s.store, acting, order(a, t.ID, o.content.Values, "", by[0]), revision)
	if why, known := skipped(err); known {
		return why, nil
	}
	if err != nil {
		return "", err
	}
	return s.nothingDone(ctx, o, t)
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

// nothingDone returns why a target is skipped that an action has left waiting, because there was
// nothing to write.
func (s *Service) nothingDone(ctx context.Context, o Opened, t storage.PlanTarget) (Why, error) {
	left, err := s.store.PlanTargets(ctx, o.ID, storage.TargetWaiting, t.Number-1, 1)
	if err != nil || len(left) == 0 || left[0].Number != t.Number || !left[0].BegunAt.IsZero() {
		return "", err
	}
	return WhyNothing, nil
}

// isOver reports whether a plan is no longer running.
func (s *Service) isOver(ctx context.Context, o Opened) (bool, error) {
	p, err := storage.One(s.store.Plans(ctx, storage.PlanFilter{ID: new(o.ID)}))
	return p.State != storage.PlanRunning, err
}

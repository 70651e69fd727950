package storagetest_test

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// over is a write that takes no notice of what happened since the look.
func over(err, late error) error {
	if errors.Is(err, late) {
		return nil
	}
	return err
}

func (s lookingFirst) ProveCaller(ctx context.Context, matter, staff string, code storage.Digest, at, until time.Time) (proof storage.CallerProof, err error) {
	now, err := storage.One(s.Matters(ctx, storage.MatterFilter{ID: new(matter)}))
	return proof, s.write(is(err, now.Proof, storage.NoProof), storage.ErrProof, func() error {
		proof, err = s.Roles.ProveCaller(ctx, matter, staff, code, at, until)
		return over(err, storage.ErrProof)
	})
}

func (s lookingFirst) MovePlan(ctx context.Context, id string, m storage.PlanMove) error {
	if m.To != storage.PlanRunning {
		return s.Roles.MovePlan(ctx, id, m)
	}
	now, err := storage.One(s.Plans(ctx, storage.PlanFilter{ID: new(id)}))
	return s.write(is(err, now.State, storage.PlanProposed), storage.ErrSpent, func() error {
		return over(s.Roles.MovePlan(ctx, id, m), storage.ErrSpent)
	})
}

func (s lookingFirst) SkipTarget(ctx context.Context, target storage.TargetID, why string) error {
	now, err := s.PlanTargets(ctx, target.Plan, storage.TargetWaiting, target.Number-1, 1)
	held := err == nil && len(now) > 0 && now[0].Number == target.Number
	return s.write(held, storage.ErrSpent, func() error {
		return over(s.Roles.SkipTarget(ctx, target, why), storage.ErrSpent)
	})
}

func (s lookingFirst) MarkBreak(ctx context.Context, id string, m storage.BreakMark) error {
	now, err := storage.One(s.Breaks(ctx, storage.BreakFilter{ID: new(id)}))
	return s.write(is(err, now.SignedOffBy, ""), storage.ErrSpent, func() error {
		return over(s.Roles.MarkBreak(ctx, id, m), storage.ErrSpent)
	})
}

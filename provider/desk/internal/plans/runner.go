package plans

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	// round is the interval at which Run looks for what is due. What this process has approved
	// itself is not kept waiting.
	round = 10 * time.Second

	// targetPage is how many targets are acted on before the roles of those who planned it are
	// asked again.
	targetPage = 50

	// turn is how long a plan is carried out before it is the turn of the next.
	turn = 30 * time.Second

	// duePage is how many plans are read at a time.
	duePage = 20

	// sweepBatch is how many rows are removed in one step.
	sweepBatch = 250
)

// runnerName is who ends a plan whose people have lost their roles.
const runnerName = "host"

// Run carries out what is approved, and removes what is long over, until ctx ends. Any number of
// processes may run it: each target is done once.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(round)
	defer tick.Stop()
	for {
		if err := s.CarryOn(ctx); err != nil && ctx.Err() == nil {
			s.Frame.Logger.WarnContext(ctx, "some plans could not be carried on", slog.Any("error", err))
		}
		s.tellApprovers(ctx)
		s.tellAgain(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.wake:
		}
	}
}

// Wake has Run look for what is due now.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// CarryOn does what is due now. A plan that cannot be carried on holds up no other.
func (s *Service) CarryOn(ctx context.Context) error {
	s.working.Lock()
	defer s.working.Unlock()
	s.attempts.round++
	now, err := s.provider.Rooms().People.CertainTime(ctx)
	if err != nil {
		return err
	}
	due := map[string]bool{}
	_, err = batch.Over(ctx, nil, duePage, func(ctx context.Context, after string, limit int) ([]storage.Plan, error) {
		return s.store.Plans(ctx, storage.PlanFilter{DueAt: &now, AfterID: after, Limit: limit})
	}, func(p storage.Plan) string { return p.ID }, func(ctx context.Context, p storage.Plan) error {
		due[p.ID] = true
		return s.runPlan(ctx, p)
	})
	maps.DeleteFunc(s.attempts.failed, func(t storage.TargetID, _ attempt) bool { return !due[t.Plan] })
	return errors.Join(err, s.sweep(ctx, now.Add(-keep)))
}

// sweep removes plans that are long over.
func (s *Service) sweep(ctx context.Context, before time.Time) error {
	return batch.RemoveAll(ctx, sweepBatch, func(ctx context.Context, limit int) (int, error) {
		return s.store.Trim(ctx, storage.Trim{Kind: storage.OldPlans, Before: before}, limit)
	})
}

// runPlan carries out one plan, batch by batch, until none of its targets waits, it is stopped, or
// its turn is over. What has failed before comes last.
func (s *Service) runPlan(ctx context.Context, p storage.Plan) error {
	o, err := s.Open(ctx, p.ID)
	if errors.Is(err, ErrMoved) {
		s.Frame.Logger.ErrorContext(ctx, "a plan was altered in the database, and is stopped", slog.String("plan", p.ID))
		return s.stop(ctx, p)
	}
	if err != nil {
		return err
	}
	end := time.Now().Add(turn)
	var again []storage.PlanTarget
	for after := 0; ; {
		targets, err := s.store.PlanTargets(ctx, p.ID, storage.TargetWaiting, after, targetPage)
		if err != nil {
			return err
		}
		if len(targets) == 0 {
			break
		}
		after = targets[len(targets)-1].Number
		targets = slices.DeleteFunc(targets, func(t storage.PlanTarget) bool {
			before, failed := s.attempts.failed[storage.TargetID{Plan: p.ID, Number: t.Number}]
			if failed && before.next <= s.attempts.round {
				again = append(again, t)
			}
			return failed || s.isUnderway(t)
		})
		if over, err := s.actOn(ctx, o, targets, end); over || err != nil {
			return err
		}
	}
	for targets := range slices.Chunk(again, targetPage) {
		if over, err := s.actOn(ctx, o, targets, end); over || err != nil {
			return err
		}
	}
	return s.finish(ctx, o)
}

// underway is how long a process that has begun to act on a target is given to end that. What it
// has not ended by then another does again.
const underway = time.Minute

func (s *Service) isUnderway(t storage.PlanTarget) bool {
	return !t.BegunAt.IsZero() && s.Frame.Now().Sub(t.BegunAt).Abs() < underway
}

// actOn acts on some targets of a plan, as long as its people have their roles. It reports whether
// the plan is no longer running, or its turn has ended.
func (s *Service) actOn(ctx context.Context, o Opened, targets []storage.PlanTarget, end time.Time) (over bool, err error) {
	if len(targets) == 0 {
		return false, nil
	}
	by, held, err := s.stillHeld(ctx, o)
	if err != nil {
		return false, err
	}
	if !held {
		return true, s.stop(ctx, o.Plan)
	}
	a, _ := s.Book.Action(o.Action)
	for _, t := range targets {
		if over, err := s.act(ctx, a, o, by, t); over || err != nil {
			return over, err
		}
		if time.Now().After(end) {
			s.Wake()
			return true, nil
		}
	}
	return false, nil
}

// finish ends a plan of which nothing waits. What was left waiting, because it failed, comes again
// in the next round.
func (s *Service) finish(ctx context.Context, o Opened) error {
	ctx = provider.By(ctx, storage.Actor{Name: o.ApprovedBy, Matter: matterOf(o.Plan, o.content)})
	err := s.provider.Rooms().Events.WriteWith(ctx, func(ctx context.Context) error {
		return s.store.MovePlan(ctx, o.ID, storage.PlanMove{To: storage.PlanDone, At: s.Frame.Now()})
	}, s.event(event.PlanDone, o.Plan, o.Targets))
	if errors.Is(err, storage.ErrSpent) { // something waits, or another process was first, or Stop
		return nil
	}
	return err
}

// stop ends a plan that may not go on.
func (s *Service) stop(ctx context.Context, p storage.Plan) error {
	if err := s.end(ctx, runnerName, p); !errors.Is(err, ErrOver) {
		return err
	}
	return nil
}

// stillHeld returns who planned and who approved, and whether they still have the roles for it.
// An error says nothing about that: the host could not be asked.
func (s *Service) stillHeld(ctx context.Context, o Opened) (by []Member, held bool, err error) {
	a, ok := s.Book.Action(o.Action)
	if !ok {
		return nil, false, nil
	}
	proposer, err := s.member(ctx, o.ProposedBy, o.ProposedAs, a)
	if err != nil {
		return nil, false, err
	}
	approver, err := s.member(ctx, o.ApprovedBy, o.ApprovedAs, a)
	if err != nil {
		return nil, false, err
	}
	held = proposer.Staff.Is(a.Roles...) && approver.Staff.Operates() && approver.Name != proposer.Name
	return []Member{proposer, approver}, held, nil
}

// member asks again for the roles of somebody. Whom the host admits without a user of ours cannot
// be asked about: they hold the roles that they had. So does a client that may still propose.
func (s *Service) member(ctx context.Context, name, as string, a action.Action) (Member, error) {
	m := Member{Name: name, As: as}
	if client, ok := strings.CutPrefix(name, clientPrefix); ok {
		if s.Client != nil && s.Client(client) {
			m.Staff.Roles = a.Roles
		}
		return m, nil
	}
	if as == "" {
		m.Staff.Roles = operators
		return m, nil
	}
	staff, err := s.Frame.StaffOf(ctx, as)
	if err != nil {
		return m, err
	}
	if staff.ID == "" {
		staff.ID = as
	}
	if staff.ID == m.staffID() { // the account is still theirs
		m.Staff = staff
	}
	return m, nil
}

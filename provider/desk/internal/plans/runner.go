package plans

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	// round is the interval at which Run looks for what is due. What this process has approved
	// itself is not kept waiting.
	round = 10 * time.Second

	// batch is how many targets are acted on before the roles of those who planned it are asked
	// again.
	batch = 50

	// dueAtOnce is how many plans are taken up in one round.
	dueAtOnce = 20

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

// CarryOn does what is due now.
func (s *Service) CarryOn(ctx context.Context) error {
	due, err := s.store.DuePlans(ctx, s.Frame.Now(), dueAtOnce)
	if err != nil {
		return err
	}
	var wrong []error
	for _, p := range due {
		wrong = append(wrong, s.runPlan(ctx, p))
	}
	wrong = append(wrong, s.sweep(ctx))
	return errors.Join(wrong...)
}

// sweep removes plans that are long over.
func (s *Service) sweep(ctx context.Context) error {
	for {
		removed, err := s.store.RemovePlans(ctx, s.Frame.Now().Add(-keep), sweepBatch)
		if err != nil || removed < sweepBatch {
			return err
		}
	}
}

// runPlan carries out one plan, batch by batch, until none of its targets waits, it is stopped, or
// something fails that may be better in the next round.
func (s *Service) runPlan(ctx context.Context, p storage.Plan) error {
	o, err := s.Open(ctx, p.ID)
	if errors.Is(err, ErrMoved) {
		s.Frame.Logger.ErrorContext(ctx, "a plan was altered in the database, and is stopped", slog.String("plan", p.ID))
		return s.stop(ctx, p)
	}
	if err != nil {
		return err
	}
	for after := 0; ctx.Err() == nil; {
		by, held, err := s.stillHeld(ctx, o)
		if err != nil {
			return err
		}
		a, ok := s.Book.Action(o.Action)
		if !held || !ok {
			return s.stop(ctx, p)
		}
		targets, err := s.store.PlanTargets(ctx, p.ID, storage.TargetWaiting, after, batch)
		if err != nil {
			return err
		}
		if len(targets) == 0 {
			return s.finish(ctx, o, after)
		}
		for _, t := range targets {
			if over, err := s.act(ctx, a, o, by, t); over || err != nil {
				return err
			}
			after = t.Number
		}
	}
	return ctx.Err()
}

// finish ends a plan of which nothing waits. What was left waiting, because it failed, comes again
// in the next round.
func (s *Service) finish(ctx context.Context, o Opened, after int) error {
	if after > 0 {
		left, err := s.store.PlanTargets(ctx, o.ID, storage.TargetWaiting, 0, 1)
		if err != nil || len(left) > 0 {
			return err
		}
	}
	ctx = provider.By(ctx, provider.Actor{Name: o.ApprovedBy, Matter: matterOf(o.Plan, o.content)})
	err := s.provider.Events().WriteWith(ctx, func(ctx context.Context) error {
		return s.store.FinishPlan(ctx, o.ID, s.Frame.Now())
	}, s.event(eventDone, o.Plan, o.Targets))
	if errors.Is(err, storage.ErrSpent) { // another process, or Stop
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

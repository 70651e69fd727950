package plans

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
)

// Opened is a plan with what it says.
type Opened struct {
	storage.Plan
	Targets []storage.PlanTarget

	content content
}

// Values are the values of the action.
func (o Opened) Values() map[string]string { return o.content.Values }

// Open returns a plan with all its targets. ErrMoved if they are not those that were shown to who
// proposed it: somebody has changed the database. storage.ErrNotFound if there is none.
func (s *Service) Open(ctx context.Context, id string) (Opened, error) {
	p, err := storage.One(s.store.Plans(ctx, storage.PlanFilter{ID: new(id)}))
	if err != nil {
		return Opened{}, err
	}
	targets, err := s.store.PlanTargets(ctx, id, "", 0, MaxTargets)
	if err != nil {
		return Opened{}, err
	}
	c, err := s.open(id, p.Content)
	if err != nil {
		return Opened{}, errors.Join(ErrMoved, err)
	}
	o := Opened{p, targets, c}
	if s.digest(p, c, targets) != p.Digest {
		return o, ErrMoved
	}
	return o, nil
}

// mayDecide returns an error unless a member may approve a plan: another operator, who is none of
// its targets.
func (s *Service) mayDecide(ctx context.Context, by Member, o Opened) error {
	switch {
	case by.staffID() == "" || !by.Staff.Operates():
		return ErrForbidden
	case by.Name == o.ProposedBy, by.As != "" && by.As == o.ProposedAs:
		return ErrOwn
	}
	a, ok := s.Book.Action(o.Action)
	if !ok {
		return ErrForbidden
	}
	if o.Plan.Targets > 1 {
		return nil // of many those who decide are skipped, when their turn comes
	}
	for _, t := range o.Targets {
		why, err := s.bars(ctx, a, t.ID, by)
		if err == nil && why == "" {
			why, err = s.approverIsBarred(ctx, a, o, by, t.ID)
		}
		if err != nil {
			return err
		}
		if why != "" {
			return ErrOwn
		}
	}
	return nil
}

// Approve starts a plan that looks as it was shown: shown is its digest. It is one conditional
// write. ErrOwn if the member has proposed it or it is about them, ErrForbidden if they are no
// operator, ErrMoved if it is not what was shown, ErrOver if it no longer waits.
func (s *Service) Approve(ctx context.Context, by Member, id string, shown storage.Digest) (Opened, error) {
	o, err := s.Open(ctx, id)
	if err != nil {
		return o, err
	}
	if err := s.mayDecide(ctx, by, o); err != nil {
		return o, err
	}
	now := s.Frame.Now()
	a := storage.PlanMove{To: storage.PlanRunning, Digest: shown, Staff: by.Name, As: by.As, At: now, NotBefore: s.notBefore(o.Action, now)}
	ctx = provider.By(ctx, storage.Actor{Name: by.Name, Matter: matterOf(o.Plan, o.content)})
	err = s.provider.Rooms().Events.WriteWith(ctx, func(ctx context.Context) error {
		return s.store.MovePlan(ctx, id, a)
	}, s.event(event.PlanApproved, o.Plan, o.Targets))
	if err != nil {
		return o, fmt.Errorf("approve plan: %w", decided(err))
	}
	o.State, o.ApprovedBy, o.ApprovedAs, o.DecidedAt, o.NotBefore = storage.PlanRunning, by.Name, by.As, now, a.NotBefore
	s.tellPerson(ctx, o)
	s.Wake()
	return o, nil
}

// notBefore is when a plan may run that is approved now; zero for at once.
func (s *Service) notBefore(name string, now time.Time) time.Time {
	if a, ok := s.Book.Action(name); ok && a.Wait > 0 {
		return now.Add(a.Wait)
	}
	return time.Time{}
}

// End refuses a plan that waits, takes it back, or stops one that runs: what is done stays. Any
// operator may, and who has proposed it. ErrOver if it neither waits nor runs.
func (s *Service) End(ctx context.Context, by Member, id string) error {
	p, err := storage.One(s.store.Plans(ctx, storage.PlanFilter{ID: new(id)}))
	if err != nil {
		return err
	}
	if !by.Staff.Operates() && by.Name != p.ProposedBy {
		return ErrForbidden
	}
	return s.end(ctx, by.Name, p)
}

// end ends a plan by whoever has this name.
func (s *Service) end(ctx context.Context, name string, p storage.Plan) error {
	c, err := s.open(p.ID, p.Content)
	if err != nil {
		c = content{} // it is to end, whatever it says
	}
	targets, err := s.store.PlanTargets(ctx, p.ID, "", 0, 2)
	if err != nil {
		return err
	}
	ended := event.PlanStopped
	if p.State == storage.PlanProposed {
		ended = event.PlanRefused
	}
	ctx = provider.By(ctx, storage.Actor{Name: name, Matter: matterOf(p, c)})
	err = s.provider.Rooms().Events.WriteWith(ctx, func(ctx context.Context) error {
		return s.store.MovePlan(ctx, p.ID, storage.PlanMove{To: storage.PlanStopped, Staff: name, At: s.Frame.Now()})
	}, s.event(ended, p, targets))
	if err != nil {
		return fmt.Errorf("end plan: %w", decided(err))
	}
	return nil
}

package plans

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// Propose records a plan as it was drafted, to be approved by another within 24 hours, and tells
// those who may. A draft of one person rests on its matter and on what the caller has proved:
// audit.ErrMatter or audit.ErrProof if that is over. A draft without a target is a
// provider.FieldError of "targets".
func (s *Service) Propose(ctx context.Context, by Member, d Draft) (storage.Plan, error) {
	if len(d.Targets) == 0 {
		return storage.Plan{}, wrong("targets", "have none to act on")
	}
	now := s.Frame.Now()
	p := d.plan
	p.ID, p.State, p.ProposedAt, p.ExpiresAt = random.SortedUUID(now), storage.PlanProposed, now, now.Add(approval)
	sealed, err := s.seal(p.ID, d.content)
	if err != nil {
		return storage.Plan{}, err
	}
	targets := s.bind(p.ID, d.Targets)
	p.Content, p.Digest = sealed, s.digest(p, d.content, targets)
	actor := storage.Actor{Name: by.Name, Matter: matterOf(p, d.content), On: s.basis(by, d, now)}
	if d.Answer != nil {
		if actor.Answer, err = d.Answer(p); err != nil {
			return storage.Plan{}, err
		}
	}
	ctx = provider.By(ctx, actor)
	err = s.provider.Rooms().Events.WriteWith(ctx, func(ctx context.Context) error {
		return s.store.CreatePlan(ctx, p, targets)
	}, s.event(event.PlanProposed, p, d.Targets))
	if err != nil {
		return storage.Plan{}, fmt.Errorf("propose plan: %w", err)
	}
	s.announcer.announce()
	return p, nil
}

// basis is what a proposal about one person rests on. What a client proposes rests on its own
// matter alike.
func (s *Service) basis(by Member, d Draft, now time.Time) storage.DeedBasis {
	if d.Matter == "" {
		return storage.DeedBasis{}
	}
	staff := by.staffID()
	if staff == "" {
		staff = by.Name
	}
	return storage.DeedBasis{Matter: d.Matter, Staff: staff, Subject: d.Targets[0].ID, Proof: d.Proof, At: now}
}

// matterOf is what lines about a plan are found by: the matter that it belongs to, or else the
// plan.
func matterOf(p storage.Plan, c content) string {
	if c.Matter != "" {
		return c.Matter
	}
	return p.ID
}

// event is a line about a plan. Of a plan about one person it is a line about the person, too.
func (s *Service) event(name string, p storage.Plan, targets []storage.PlanTarget) provider.Event {
	e := provider.Event{Name: name, Detail: p.Action}
	if len(targets) == 1 && p.Targets == 1 {
		switch action.Kind(p.Kind) {
		case action.Person:
			e.UserID = targets[0].ID
		case action.Application:
			e.ClientID = targets[0].ID
		}
	}
	return e
}

// looked writes that a member is shown a plan, or what one would do: as Frame.Looked.
func (s *Service) looked(ctx context.Context, by Member, matter, what string, p storage.Plan, targets []storage.PlanTarget) error {
	e := s.event(event.StaffLooked, p, targets)
	e.Detail = what + ": " + p.Action
	return s.Frame.Looked(ctx, storage.Actor{Name: by.Name, Matter: matter}, e)
}

// decided turns an error of the store about a decision into one of this package.
func decided(err error) error {
	switch {
	case errors.Is(err, storage.ErrForbidden):
		return ErrOwn
	case errors.Is(err, storage.ErrChanged):
		return ErrMoved
	case errors.Is(err, storage.ErrSpent), errors.Is(err, storage.ErrEnded):
		return ErrOver
	}
	return err
}

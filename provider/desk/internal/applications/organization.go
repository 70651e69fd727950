package applications

import (
	"context"
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// organization is an organization with who answers for it.
type organization struct {
	storage.Organization
	members []storage.Member
}

// organization reads an organization. action.ErrNoTarget if there is none.
func (r *Room) organization(ctx context.Context, id string) (o organization, err error) {
	if r.Dashboard == nil {
		return organization{}, action.ErrNoTarget
	}
	if o.Organization, err = r.Dashboard.Store.Organization(ctx, id); errors.Is(err, storage.ErrNotFound) {
		return organization{}, action.ErrNoTarget
	}
	if err == nil {
		o.members, err = r.Dashboard.Store.Members(ctx, id)
	}
	if err != nil {
		return organization{}, fmt.Errorf("read organization: %w", err)
	}
	return o, nil
}

func (o organization) isSuspended() bool { return !o.Stopped.At.IsZero() }

// revision names the state of an organization that was looked at.
func (o organization) revision() string { return developer.OrganizationRevision(o.Organization) }

// maxCounted is the number of applications beyond which they are not counted.
const maxCounted = 1000

// checkOrganization returns what an order would do to an organization, which void judges.
func (r *Room) checkOrganization(ctx context.Context, o action.Order, void func(organization) string, more ...action.Fact) (action.Effect, error) {
	org, err := r.organization(ctx, o.Target)
	if err != nil {
		return action.Effect{}, err
	}
	apps, err := r.Dashboard.Store.Applications(ctx, storage.ApplicationFilter{OrganizationID: org.ID, Limit: maxCounted})
	if err != nil {
		return action.Effect{}, fmt.Errorf("read applications: %w", err)
	}
	e := action.Effect{Revision: org.revision(), Facts: append([]action.Fact{
		{Name: factName, Value: org.Name}, count(factOwners, owners(org.members)), count(factApplications, len(apps)),
	}, more...)}
	if e.Void = void(org); isOwn(o, org.members) {
		e.Void = voidOwn
	}
	return e, nil
}

func (r *Room) checkSuspend(ctx context.Context, o action.Order) (action.Effect, error) {
	if _, err := reason(o); err != nil {
		return action.Effect{}, err
	}
	return r.checkOrganization(ctx, o, func(org organization) string {
		if org.isSuspended() {
			return voidStopped
		}
		return ""
	})
}

func (r *Room) suspend(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	why, err := reason(o)
	if err == nil {
		err = r.stillOrganization(ctx, o, revision)
	}
	if err == nil {
		err = outcome(r.Dashboard.SuspendOrganization(ctx, by(o), o.Target, why, revision))
	}
	return action.Result{}, err
}

func (r *Room) checkReactivate(ctx context.Context, o action.Order) (action.Effect, error) {
	return r.checkOrganization(ctx, o, func(org organization) string {
		if !org.isSuspended() {
			return voidActive
		}
		return ""
	})
}

func (r *Room) reactivate(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	err := r.stillOrganization(ctx, o, revision)
	if err == nil {
		err = outcome(r.Dashboard.ReactivateOrganization(ctx, by(o), o.Target, revision))
	}
	return action.Result{}, err
}

func (r *Room) checkAppoint(ctx context.Context, o action.Order) (action.Effect, error) {
	email := o.Values[action.FieldEmail]
	if _, err := mailbox.EmailKey(email); err != nil {
		return action.Effect{}, wrong(action.FieldEmail, "is not an e-mail address")
	}
	return r.checkOrganization(ctx, o, func(org organization) string {
		if owners(org.members) > 0 {
			return voidOwned
		}
		return ""
	}, action.Fact{Name: factEmail, Value: email})
}

// appoint invites an owner. Without a mailer who gives the order gets the link.
func (r *Room) appoint(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	if err := r.stillOrganization(ctx, o, revision); err != nil {
		return action.Result{}, err
	}
	link, err := r.Dashboard.AppointOwner(ctx, by(o), o.Target, o.Values[action.FieldEmail], ui.MatchLocale(o.Locale, ""))
	return action.Result{Shown: link}, outcome(err)
}

// stillOrganization returns an error unless an organization has a revision, and is not that of
// who gives the order.
func (r *Room) stillOrganization(ctx context.Context, o action.Order, revision string) error {
	org, err := r.organization(ctx, o.Target)
	if err == nil && (org.revision() != revision || isOwn(o, org.members)) {
		err = provider.ErrChanged
	}
	return err
}

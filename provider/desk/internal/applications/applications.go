package applications

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

// Options are what the room is made with.
type Options struct {
	Provider *provider.Provider

	// Dashboard is where applications are registered: Provider is its production or its
	// sandbox. Nil for none: the provider's registrations are then all there is.
	Dashboard *developer.Dashboard
}

// Room serves the pages and carries out the actions.
type Room struct {
	Options
	environment string
}

// New returns a room.
func New(o Options) (*Room, error) {
	r := &Room{Options: o, environment: storage.Production}
	switch {
	case o.Dashboard == nil, o.Dashboard.Provider == o.Provider:
	case o.Dashboard.Sandbox == o.Provider:
		r.environment = storage.Sandbox
	default:
		return nil, errors.New("desk: Config.Dashboard is that of another provider")
	}
	return r, nil
}

// Actions returns what can be done to applications, to the hosts of those that nobody has registered
// and, with a dashboard, to organizations.
func (r *Room) Actions() []action.Action {
	named := func(name string, a act) action.Action {
		return action.Action{Rule: action.Rule{Name: name}, Check: a.check, Do: a.do}
	}
	scopes := named(action.TakeScopes, act{r.checkScopes, r.takeScopes})
	scopes.Offer = r.offerScopes
	actions := []action.Action{
		named(action.StopApplication, act{r.checkStop, r.stop}),
		named(action.StartApplication, act{r.checkStart, r.start}),
		scopes,
		named(action.DenyHost, act{r.checkDeny, r.deny}),
		named(action.AllowHost, act{r.checkAllow, r.allow}),
	}
	if r.Dashboard == nil {
		return actions
	}
	appoint := named(action.AppointOwner, act{r.checkAppoint, r.appoint})
	appoint.InParts = true // the invitation goes by mail
	return append(actions, appoint,
		named(action.MoveApplication, act{r.checkMove, r.move}),
		named(action.SuspendOrganization, act{r.checkSuspend, r.suspend}),
		named(action.ReactivateOrganization, act{r.checkReactivate, r.reactivate}),
	)
}

type act struct {
	check func(ctx context.Context, o action.Order) (action.Effect, error)
	do    func(ctx context.Context, o action.Order, revision string) (action.Result, error)
}

// by is who gives an order, as the dashboard knows them.
func by(o action.Order) developer.Operator { return developer.Operator{UserID: o.As, Name: o.Staff} }

// The reasons for which there is nothing to do.
const (
	voidStopped   = "stopped"
	voidRunning   = "not_stopped"
	voidSuspended = "organization_suspended"
	voidActive    = "not_suspended"
	voidOwn       = "own"
	voidOwned     = "has_owner"
	voidNone      = "no_such_scope"
	voidThere     = "same_organization"
	voidHost      = "of_the_host"
	voidDenied    = "host_denied"
	voidNotDenied = "host_not_denied"
	voidDevice    = "device_host"
)

// The facts of effects.
const (
	factName         = "name"
	factOrganization = "organization"
	factOwners       = "owners"
	factScopes       = "scopes"
	factLeft         = "scopes_left"
	factApplications = "applications"
	factEmail        = "email"
	factHost         = "client_host"
	factPeople       = "people"
	factDenied       = "denied_host"
	factReason       = "reason"
)

// application is one application: its registration and, if the dashboard knows it, who answers
// for it.
type application struct {
	client provider.Client

	// known reports that the dashboard knows it; the rest is then set.
	known   bool
	app     storage.Application
	org     storage.Organization
	members []storage.Member
}

// application reads an application. action.ErrNoTarget if there is none.
func (r *Room) application(ctx context.Context, id string) (a application, err error) {
	if a.client, err = r.Provider.Rooms().Clients.Listed(ctx, id); errors.Is(err, provider.ErrNoClient) {
		return application{}, action.ErrNoTarget
	}
	if err != nil || r.Dashboard == nil {
		return a, err
	}
	store := r.Dashboard.Store
	a.app, err = store.Application(ctx, r.environment, id)
	if errors.Is(err, storage.ErrNotFound) {
		return a, nil
	}
	if err != nil {
		return application{}, fmt.Errorf("read application: %w", err)
	}
	a.known = true
	if a.org, err = store.Organization(ctx, a.app.OrganizationID); err != nil && !errors.Is(err, storage.ErrNotFound) {
		return application{}, fmt.Errorf("read organization: %w", err)
	}
	if a.members, err = store.Members(ctx, a.app.OrganizationID); err != nil {
		return application{}, fmt.Errorf("read members: %w", err)
	}
	return a, nil
}

// revision names the state of an application that was looked at.
func (a application) revision() string { return developer.Revision(a.app, a.client) }

// isStopped reports whether an operator has stopped an application. The dashboard remembers
// that for those of production; any other is stopped as long as it is disabled.
func (a application) isStopped() bool {
	if a.remembers() {
		return a.app.Review == storage.ReviewRefused && a.client.Disabled
	}
	return a.client.Disabled
}

// remembers reports whether the dashboard remembers the stop of an application.
func (a application) remembers() bool { return a.known && a.app.Environment == storage.Production }

// isOwn reports whether who gives an order is a member of the organization: nobody acts on
// their own.
func isOwn(o action.Order, members []storage.Member) bool {
	return o.As != "" && slices.ContainsFunc(members, func(m storage.Member) bool { return m.UserID == o.As })
}

// facts are what every effect on an application begins with.
func (a application) facts() []action.Fact {
	facts := []action.Fact{{Name: factName, Value: a.client.Name}}
	if a.known {
		facts = append(facts, action.Fact{Name: factOrganization, Value: a.org.Name}, count(factOwners, owners(a.members)))
	}
	return facts
}

func owners(members []storage.Member) (n int) {
	for _, m := range members {
		if m.Role == storage.RoleOwner {
			n++
		}
	}
	return n
}

func count(name string, n int) action.Fact { return action.Fact{Name: name, Value: fmt.Sprint(n)} }

// wrong is the error of a value.
func wrong(field, problem string) error {
	return &provider.FieldError{Field: field, Err: errors.New(problem)}
}

// outcome is the error of an order that the dashboard has refused: what Check says of it, it
// says again.
func outcome(err error) error {
	switch {
	case errors.Is(err, developer.ErrNotThere), errors.Is(err, provider.ErrNoClient):
		return action.ErrNoTarget
	case errors.Is(err, developer.ErrOwn), errors.Is(err, developer.ErrSuspended), errors.Is(err, developer.ErrFull):
		return fmt.Errorf("%w: %w", provider.ErrChanged, err)
	}
	return err
}

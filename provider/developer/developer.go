package developer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer/internal/reference"
	"github.com/bonafide-id/bonafide/storage"
)

// Config says what a dashboard is. Provider and Store are required.
type Config struct {
	// Provider is where developers sign in, and where the applications of production
	// are registered. The dashboard is mounted at its base URL followed by /developer/.
	Provider *provider.Provider

	// Sandbox is the provider that applications are tried with.
	// Defaults to none: all applications are of production then.
	Sandbox *provider.Provider

	// Trials are what Sandbox was made with.
	// Defaults to none: the sandbox has no personas, faults and inbox then.
	Trials *Trials

	// Store keeps organizations, and which applications are theirs. The stores of this
	// module are one: that of Provider will do. The host closes it.
	Store storage.Developers

	// Review makes applications begin in the sandbox and ask for production, where an
	// operator decides. It needs a Sandbox and an Operator.
	// Defaults to false: developers register applications of production themselves,
	// and the consent screen says that nobody has reviewed them.
	Review bool

	// Operator reports whether a user runs this service, and decides about
	// applications.
	// Defaults to nobody.
	Operator func(ctx context.Context, userID string) (bool, error)

	// Operators returns the users who are mailed when something waits for an operator: once
	// an hour at most, in the language of their account.
	// Defaults to nobody.
	Operators func(ctx context.Context) ([]string, error)

	// Mailer sends invitations, what was decided about an application, and to the owners of
	// an organization what decides who gets the data of people.
	// Defaults to none: an invitation is a link to copy.
	Mailer provider.Mailer

	// OperatorScopes are scopes that developers cannot give their applications; the
	// host does, with Clients.Save.
	// Defaults to none.
	OperatorScopes []string

	// Quotas bound what one user or organization can make.
	Quotas Quotas

	// KeepLog is how long the lines of an application's log are kept, and KeepNumbers how
	// long its counts by day; negative for ever.
	// Defaults to 30 days and 400 days.
	KeepLog, KeepNumbers time.Duration

	// KeepActivity is how long the changes in the activity log of an organization are kept;
	// negative for as long as the organization.
	// Defaults to 365 days.
	KeepActivity time.Duration

	// Logger receives what went wrong.
	// Defaults to slog.Default().
	Logger *slog.Logger

	// Clock tells the time. It is meant for tests.
	// Defaults to time.Now.
	Clock func() time.Time
}

// Quotas bound what one user or organization can make.
type Quotas struct {
	// Organizations is how many one user can be a member of and still create or join one.
	// Defaults to 10.
	Organizations int

	// OrganizationsPerDay is how many one user can create in a day, whatever becomes of
	// them.
	// Defaults to 10.
	OrganizationsPerDay int

	// Applications is how many an organization can have in each environment.
	// Defaults to 100.
	Applications int

	// Invitations is how many of an organization can wait at once.
	// Defaults to 50.
	Invitations int

	// PictureBytes is how much the pictures of an organization's applications can take:
	// drafts, published and former ones, which are up to 2 MiB each. What an operator
	// approves is never refused for it.
	// Defaults to 64 MiB.
	PictureBytes int64
}

func (c Config) withDefaults() Config {
	c.Quotas.Organizations = cmp.Or(c.Quotas.Organizations, 10)
	c.Quotas.OrganizationsPerDay = cmp.Or(c.Quotas.OrganizationsPerDay, 10)
	c.Quotas.Applications = cmp.Or(c.Quotas.Applications, 100)
	c.Quotas.Invitations = cmp.Or(c.Quotas.Invitations, 50)
	c.Quotas.PictureBytes = cmp.Or(c.Quotas.PictureBytes, 64<<20)
	const day = 24 * time.Hour
	c.KeepLog = cmp.Or(c.KeepLog, 30*day)
	c.KeepNumbers = cmp.Or(c.KeepNumbers, 400*day)
	c.KeepActivity = cmp.Or(c.KeepActivity, 365*day)
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return c
}

func (c Config) validate() error {
	switch {
	case c.Provider == nil:
		return errors.New("Config.Provider is missing")
	case c.Store == nil:
		return errors.New("Config.Store is missing; the store of the provider will do")
	case c.Sandbox == c.Provider:
		return errors.New("Config.Sandbox must be another provider than Provider")
	case c.Trials != nil && c.Sandbox == nil:
		return errors.New("Config.Trials are those of a Sandbox, which is missing")
	case c.Review && (c.Sandbox == nil || c.Operator == nil):
		return errors.New("Config.Review needs a Sandbox to begin in, and an Operator who decides")
	}
	return nil
}

// Dashboard is the dashboard, an http.Handler for everything below the base URL of its
// provider followed by /developer/. Make one with New.
type Dashboard struct {
	Config
	base string // the path that the dashboard is mounted at, without a slash at its end
	mux  *http.ServeMux

	reference *reference.Document
	recorder  *recorder
	announcer announcer

	// watching holds what stops the watch that New has begun, for the first run to take.
	watching chan func()

	// mounted is who may look at the page of a path.
	mounted map[string]need
}

// New returns a dashboard, to be mounted with its full path. What goes on in the background,
// the log of applications, is a part of the provider's Run from now on.
func New(cfg Config) (*Dashboard, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("developer: %w", err)
	}
	base, err := url.Parse(cfg.Provider.Installation().BaseURL)
	if err != nil {
		return nil, fmt.Errorf("developer: %w", err)
	}
	d := &Dashboard{
		Config: cfg, base: base.Path + "/developer", mux: http.NewServeMux(), reference: newReference(cfg),
		mounted: map[string]need{}, watching: make(chan func(), 1),
	}
	if cfg.Trials != nil {
		cfg.Trials.dashboard.Store(d)
	}
	for _, r := range d.routes() {
		d.mount(r)
	}
	d.mountDocuments()
	d.mux.Handle("/", d.screen(func(*provider.Screen) error { return provider.ErrScreenNotFound }))
	d.recorder = newRecorder(d)
	d.watching <- d.watch()
	d.linkErrors()
	cfg.Provider.RunWith(d.run)
	cfg.Provider.People().KeepWith(companion{d})
	return d, nil
}

// ServeHTTP answers everything below the path of the dashboard.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.mux.ServeHTTP(w, r) }

// Must returns a dashboard, and panics when New has found a mistake in its Config: for
// programs that have no other use for the error.
func Must(d *Dashboard, err error) *Dashboard {
	if err != nil {
		panic(err)
	}
	return d
}

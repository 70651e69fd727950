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
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// Config configures a dashboard. Provider and Store are required.
type Config struct {
	// Provider is where developers sign in, and where production applications are
	// registered. The dashboard is mounted at its base URL followed by /developer/.
	Provider *provider.Provider

	// Sandbox is the provider for trying out applications.
	// Defaults to none: all applications are then in production.
	Sandbox *provider.Provider

	// Trials are those with which Sandbox was made.
	// Defaults to none: the sandbox then has no personas, faults and inbox.
	Trials *Trials

	// Store stores organizations and their applications. The stores of this module
	// implement it: that of Provider will do. The host closes it.
	Store storage.Developers

	// Review makes applications begin in the sandbox and request production, which an
	// operator decides. It requires a Sandbox and an Operator.
	// Defaults to false: developers register production applications themselves, and the
	// consent screen says that they are not reviewed.
	Review bool

	// Operator reports whether a user runs this service and reviews applications.
	// Defaults to nobody.
	Operator func(ctx context.Context, userID string) (bool, error)

	// Operators returns the users to mail about pending reviews, in the language of their
	// account, at most once an hour.
	// Defaults to nobody.
	Operators func(ctx context.Context) ([]string, error)

	// Mailer sends invitations, decisions about applications, and notices to owners about
	// changes that decide who gets personal data.
	// Defaults to none: an invitation is then a link to copy.
	Mailer provider.Mailer

	// OperatorScopes are scopes that only the host gives to applications, with
	// Clients.Save; developers cannot.
	// Defaults to none.
	OperatorScopes []string

	// Devices lets developers give their applications the grant of devices (RFC 8628), where the
	// provider has Config.DeviceAuthorization; in production under Review, an operator
	// approves it with the application. Whoever sends a stranger a code of such an application
	// can get into that stranger's account: docs/clients.md has the risk.
	// Defaults to false: only the host gives the grant, with Clients.Save.
	Devices bool

	// Quotas limit what one user or organization can create.
	Quotas Quotas

	// KeepLog is how long entries of the request log are kept, and KeepNumbers how long its
	// daily counts; negative for ever.
	// Defaults to 30 days and 400 days.
	KeepLog, KeepNumbers time.Duration

	// KeepActivity is how long entries of an organization's activity log are kept; negative
	// for as long as the organization.
	// Defaults to 365 days.
	KeepActivity time.Duration

	// Logger receives warnings and errors.
	// Defaults to slog.Default().
	Logger *slog.Logger

	// Clock returns the current time. It is meant for tests.
	// Defaults to time.Now.
	Clock func() time.Time
}

// Quotas limit what one user or organization can create.
type Quotas struct {
	// Organizations is the number of memberships beyond which a user cannot create or join
	// an organization.
	// Defaults to 10.
	Organizations int

	// OrganizationsPerDay is how many one user can create in a day, deleted ones included.
	// Defaults to 10.
	OrganizationsPerDay int

	// Applications is the maximum of an organization in each environment.
	// Defaults to 100.
	Applications int

	// Invitations is the maximum of an organization's pending ones.
	// Defaults to 50.
	Invitations int

	// RegistrationTokens is the maximum of an organization's initial access tokens that have
	// not expired.
	// Defaults to 20.
	RegistrationTokens int

	// PictureBytes is the maximum size of the pictures of an organization's applications:
	// drafts, published and former ones, up to 2 MiB each. It never prevents an operator's
	// approval.
	// Defaults to 64 MiB.
	PictureBytes int64
}

func (c Config) withDefaults() Config {
	c.Quotas.Organizations = cmp.Or(c.Quotas.Organizations, 10)
	c.Quotas.OrganizationsPerDay = cmp.Or(c.Quotas.OrganizationsPerDay, 10)
	c.Quotas.Applications = cmp.Or(c.Quotas.Applications, 100)
	c.Quotas.Invitations = cmp.Or(c.Quotas.Invitations, 50)
	c.Quotas.RegistrationTokens = cmp.Or(c.Quotas.RegistrationTokens, 20)
	c.Quotas.PictureBytes = cmp.Or(c.Quotas.PictureBytes, 64<<20)
	const day = 24 * time.Hour
	c.KeepLog = cmp.Or(c.KeepLog, 30*day)
	c.KeepNumbers = cmp.Or(c.KeepNumbers, 400*day)
	c.KeepActivity = cmp.Or(c.KeepActivity, 365*day)
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	c.Clock = clock.UTC(c.Clock)
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

// Dashboard is an http.Handler for everything below the base URL of its provider followed
// by /developer/. Create one with New.
type Dashboard struct {
	*frame
	mux       *http.ServeMux
	reference *reference.Document
	recorder  *recorder

	rooms

	// watching holds the function that stops the watch of New, for the first run to take.
	watching chan func()
}

// New returns a dashboard, to be mounted with its full path. The provider's Run then also
// does the dashboard's background work and writes the request log.
func New(cfg Config) (*Dashboard, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("developer: %w", err)
	}
	base, err := url.Parse(cfg.Provider.Rooms().Installation().BaseURL)
	if err != nil {
		return nil, fmt.Errorf("developer: %w", err)
	}
	if err := cfg.Provider.Rooms().Pages.AddAudience(screens.Audience()); err != nil {
		return nil, fmt.Errorf("developer: %w", err)
	}
	f := &frame{Config: cfg, base: base.Path + "/developer", mounted: map[string]need{}, woken: make(chan struct{}, 1)}
	d := &Dashboard{
		frame: f, mux: http.NewServeMux(), reference: newReference(cfg), recorder: newRecorder(f), rooms: furnish(f), watching: make(chan func(), 1),
	}
	for _, r := range d.routes() {
		d.mount(r)
	}
	d.mountDocuments()
	d.mux.Handle("/", d.screen(func(*provider.Screen) error { return provider.ErrScreenNotFound }))
	if cfg.Trials != nil {
		cfg.Trials.dashboard.Store(f)
	}
	d.watching <- d.watch()
	d.record.linkErrors()
	cfg.Provider.Rooms().RunWith(d.run)
	cfg.Provider.Rooms().LookAfterReceivers(d.hooks.failing(storage.Production), d.hooks.agreed(storage.Production))
	cfg.Provider.Rooms().People.KeepWith(companion{f})
	cfg.Provider.Rooms().Clients.RegisterWith(registrar{d.apps, storage.Production})
	if cfg.Sandbox != nil {
		cfg.Sandbox.Rooms().LookAfterReceivers(d.hooks.failing(storage.Sandbox), d.hooks.agreed(storage.Sandbox))
		cfg.Sandbox.Rooms().Clients.RegisterWith(registrar{d.apps, storage.Sandbox})
	}
	return d, nil
}

// ServeHTTP answers everything below the path of the dashboard.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.mux.ServeHTTP(w, r) }

// Must returns a dashboard, and panics if New returns an error, for programs that have no
// other use for it.
func Must(d *Dashboard, err error) *Dashboard {
	if err != nil {
		panic(err)
	}
	return d
}

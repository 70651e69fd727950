package verification

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
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/verification"
)

// Config configures a service. Provider, Store and Policies are required.
type Config struct {
	// Provider is where people sign in, and what releases their memberships. The service is
	// mounted at its base URL followed by /verification/.
	Provider *provider.Provider

	// Store stores cases. It is the database of the provider, because an approval records
	// the membership in the same step: the stores of this module implement both. The host
	// closes it.
	Store storage.Verification

	// Policies are how people become members, for each group.
	Policies Policies

	// Blobs keeps the encrypted content of evidence. It is required by verifiers that ask
	// for files.
	// Defaults to none.
	Blobs Blobs

	// Mailer tells people that there is news about a case, and sends codes to addresses
	// that they have to prove.
	// Defaults to none: verifiers that send codes are then refused.
	Mailer provider.Mailer

	// Record is told of each membership that the service records or ends, for a host with
	// its own users (provider.Users.Person) that keeps memberships itself. It may be called
	// more than once for one, and again after an error. Without it such a host releases
	// what the store has: the provider reads there each group that the host does not answer.
	// Defaults to none.
	Record func(ctx context.Context, userID string, s provider.Status) error

	// Keep is how long ended cases are kept without their evidence; negative for as long as
	// the account. A case whose membership is in force is kept in any event.
	// Defaults to 730 days.
	Keep time.Duration

	// Logger receives warnings and errors, never the content of a case.
	// Defaults to slog.Default().
	Logger *slog.Logger

	// Clock returns the current time. It is meant for tests.
	// Defaults to time.Now.
	Clock func() time.Time
}

func (c Config) withDefaults() Config {
	c.Keep = cmp.Or(c.Keep, 730*24*time.Hour)
	c.Policies = c.Policies.withDefaults()
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	c.Clock = clock.UTC(c.Clock)
	return c
}

func (c Config) validate() error {
	switch {
	case c.Provider == nil:
		return wrongField("Provider", "is missing")
	case c.Store == nil:
		return wrongField("Store", "is missing; the store of the provider will do")
	}
	if err := c.Policies.check(c.Provider.Rooms().Installation().Groups); err != nil {
		return err
	}
	if err := c.Policies.checkRosters(); err != nil {
		return err
	}
	for _, p := range c.Policies {
		for _, v := range p.Rule.verifiers() {
			if v.mails && c.Mailer == nil {
				return wrongField("Mailer", "is missing; verifier %q sends codes", v.Name)
			}
			if len(v.Upload) > 0 && c.Blobs == nil {
				return wrongField("Blobs", "is missing; verifier %q asks for files", v.Name)
			}
		}
	}
	return nil
}

// Service is an http.Handler for everything below the base URL of its provider followed by
// /verification/, and has the verbs by which cases begin, move and end. Create one with New.
type Service struct {
	*core
	*evidenceFiles
	*memberships
	*engine
	*caseSteps
	*rosterLists
	*inviteCodes
	*caseReviews
	*casePages

	endings hourly
}

// New returns a service, to be mounted with its full path. The provider's Run then also does
// the service's background work. An invalid field of the Config is a provider.FieldError.
func New(cfg Config) (*Service, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		var wrong *provider.FieldError
		if errors.As(err, &wrong) {
			return nil, fmt.Errorf("verification: Config.%w", wrong)
		}
		return nil, fmt.Errorf("verification: %w", err)
	}
	base, err := url.Parse(cfg.Provider.Rooms().Installation().BaseURL)
	if err != nil {
		return nil, fmt.Errorf("verification: %w", err)
	}
	installation := cfg.Provider.Rooms().Installation()
	s := furnish(&core{
		Config: cfg, base: base.Path + "/verification", policies: map[string]*Policy{}, groups: installation.Groups,
		name: installation.Name, baseURL: installation.BaseURL + "/verification", accounts: installation.HasAccounts,
	})
	for i := range cfg.Policies {
		s.policies[cfg.Policies[i].Group] = &cfg.Policies[i]
	}
	for _, r := range s.casePages.routes() {
		s.casePages.mount(r)
	}
	if err := cfg.Provider.Rooms().Pages.AddAudience(screens.Audience()); err != nil {
		return nil, fmt.Errorf("verification: %w", err)
	}
	var groups []string
	for _, p := range s.Policies {
		groups = append(groups, p.Group)
	}
	s.others = cfg.Provider.Rooms().Pages.LinkVerification(s.path(""), s.declined, groups...)
	cfg.Provider.Rooms().RunWith(s.run)
	cfg.Provider.Rooms().People.KeepWith(companion{s})
	return s, nil
}

// Must returns a service, and panics if New returns an error, for programs that have no
// other use for it.
func Must(s *Service, err error) *Service {
	if err != nil {
		panic(err)
	}
	return s
}

// ServeHTTP answers everything below the path of the service.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// wrongField returns the error of a field.
func wrongField(field, format string, args ...any) error {
	return &provider.FieldError{Field: field, Err: fmt.Errorf(format, args...)}
}

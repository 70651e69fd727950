package credential

import (
	"context"
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/storage"
)

// Config configures a service. Provider, Store and Kinds are required.
type Config struct {
	// Provider is where people sign in and wallets get access tokens. The service is mounted at
	// its base URL followed by /vci/.
	Provider *provider.Provider

	// Store stores what was issued. It is the database of the provider, because a credential
	// rests on a status and a grant there: the stores of this module implement both. The host
	// closes it.
	Store Store

	// Kinds are the credentials that there are: those of provider.Config.Credentials.
	Kinds Kinds

	// Signer replaces the service's own keys: a P-256 key, which the host rotates.
	// Defaults to keys of the provider's database, which it rotates.
	Signer crypto.Signer

	// Certificates are the chain of the Signer, its own first and without the anchor. Verifiers
	// then find the key in the credential, and not at the address of the issuer.
	// Defaults to none.
	Certificates []*x509.Certificate

	// AnyWallet is the ID of a public client that stands for all wallets that nobody has registered:
	// of the dialect provider.Standard, with the grant
	// urn:ietf:params:oauth:grant-type:pre-authorized_code. Users then can also add a credential by a
	// code: whoever scans it first, and enters the digits that its user is shown, has the credential.
	// Defaults to none: wallets are registered.
	AnyWallet string

	// Logger receives warnings and errors, never a credential, a key or a token.
	// Defaults to slog.Default().
	Logger *slog.Logger

	// Clock returns the current time. It is meant for tests.
	// Defaults to time.Now.
	Clock func() time.Time
}

// Store is what the service stores: what it has issued, and which nonces are used.
type Store interface {
	storage.Credentials
	storage.UsedIDs
}

func (c Config) withDefaults() Config {
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
	if err := c.Kinds.check(); err != nil {
		return err
	}
	for i, k := range c.Kinds {
		if !slices.Contains(c.Provider.Rooms().Installation().Credentials, k.scope()) {
			return wrongField(fmt.Sprintf("Kinds[%d]", i), "%q is not among the Credentials of the provider", k.Group)
		}
	}
	return nil
}

// Service is an http.Handler for everything below the base URL of its provider followed by /vci/, and
// for WellKnownPaths. Create one with New.
type Service struct {
	cfg Config

	// base is the path of the service, url its address, issuer that of the provider.
	base, url, issuer string

	keys   *keys
	lists  *lists
	nonces nonces
	mux    *http.ServeMux

	// anyWallet is of Config.AnyWallet, or nil.
	anyWallet anyWallet
}

// New returns a service, to be mounted with its full path. The provider's Run then also does the
// service's background work. An invalid field of the Config is a provider.FieldError.
func New(ctx context.Context, cfg Config) (*Service, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, configError(err)
	}
	installation := cfg.Provider.Rooms().Installation()
	base, err := url.Parse(installation.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("credential: %w", err)
	}
	s := &Service{
		cfg: cfg, base: base.Path + "/vci", url: installation.BaseURL + "/vci", issuer: installation.Issuer, mux: http.NewServeMux(),
		nonces: nonces{cfg.Provider.Keys().Seal, cfg.Provider.Keys().Open, "vci nonce " + installation.Issuer},
	}
	if s.keys, err = newKeys(ctx, cfg); err != nil {
		return nil, configError(err)
	}
	s.lists = newLists(cfg.Store, s.keys, s.url, cfg.Clock)
	if cfg.AnyWallet != "" {
		if s.anyWallet, err = cfg.Provider.Rooms().Clients.AnyWallet(cfg.AnyWallet); err != nil {
			return nil, fmt.Errorf("credential: %w", err)
		}
	}
	if err := s.mount(); err != nil {
		return nil, err
	}
	cfg.Provider.Rooms().RunWith(s.run)
	cfg.Provider.Rooms().People.KeepWith(companion{cfg.Store})
	return s, nil
}

// configError returns an error of New with its prefix.
func configError(err error) error {
	var wrong *provider.FieldError
	if errors.As(err, &wrong) {
		return fmt.Errorf("credential: Config.%w", wrong)
	}
	return fmt.Errorf("credential: %w", err)
}

// Must returns a service, and panics if New returns an error, for programs that have no other use for
// it.
func Must(s *Service, err error) *Service {
	if err != nil {
		panic(err)
	}
	return s
}

// ServeHTTP answers everything below the path of the service, and at WellKnownPaths.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// WellKnownPaths returns the paths of the host at which wallets and verifiers look for the issuer:
// with a base URL that has a path they lie beside it.
func (s *Service) WellKnownPaths() []string {
	return []string{s.wellKnown(issuerDocument), s.wellKnown(keysDocument)}
}

// The documents about an issuer.
const (
	issuerDocument = "openid-credential-issuer" // OpenID for Verifiable Credential Issuance 1.0 section 12.2.2
	keysDocument   = "jwt-vc-issuer"            // SD-JWT-based Verifiable Credentials section 4
)

// wellKnown returns the path of a document about the issuer: the well-known part comes before the path
// of the issuer.
func (s *Service) wellKnown(document string) string {
	return "/.well-known/" + document + strings.TrimSuffix(s.base, "/vci") + "/oidc"
}

// wrongField returns the error of a field.
func wrongField(field, format string, args ...any) error {
	return &provider.FieldError{Field: field, Err: fmt.Errorf(format, args...)}
}

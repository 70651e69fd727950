package provider

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/backchannel"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/clients"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/faults"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/memory"
	"github.com/bonafide-id/bonafide/provider/internal/oauth"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/recovery"
	"github.com/bonafide-id/bonafide/provider/internal/resource"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/security"
	"github.com/bonafide-id/bonafide/provider/internal/selfservice"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	hub "github.com/bonafide-id/bonafide/provider/internal/signals"
	"github.com/bonafide-id/bonafide/provider/internal/signin"
	"github.com/bonafide-id/bonafide/provider/internal/token"
	"github.com/bonafide-id/bonafide/provider/internal/trail"
	"github.com/bonafide-id/bonafide/provider/internal/unknown"
	"github.com/bonafide-id/bonafide/provider/internal/upkeep"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	securityui "github.com/bonafide-id/bonafide/ui/security"
	factors "github.com/bonafide-id/bonafide/ui/signin"
	"github.com/bonafide-id/bonafide/widget"
)

// Provider is an identity provider: an http.Handler for everything under its base URL.
// Create one with New. Any number can live in one process.
//
// Its own methods serve, run and describe it; all others belong to its nouns: Clients,
// Accounts, People, Keys, Events, Trail and Pages.
type Provider struct{ rooms }

// rooms are the parts of a provider. Each noun works with them.
type rooms struct {
	cfg       Config
	issuer    string
	store     *memory.Store
	vault     *vault.Vault
	trail     *trail.Keys
	catalogue *claims.Catalogue
	secrets   *keyring.Secrets
	keys      *keyring.KeySet
	rings     *keyRings
	calls     host.Calls
	faults    *faults.Faults
	engine    *engine.Engine
	protocol  *oauth.Endpoints
	audit     *audit.Log
	activity  *activity.Log
	accounts  *account.Accounts
	clients   *clients.Registry
	uses      *clients.Uses
	outbound  *outbound.Client
	objects   *outbound.Client // for request objects, or nil
	strangers *outbound.Client // for addresses of clients that nobody has registered
	unknown   *unknown.Clients
	notifier  *backchannel.Notifier
	signals   *hub.Hub
	flows     *authflow.Endpoint
	pages     *account.Pages
	own       *selfservice.Pages
	ways      *recovery.Pages
	callers   *account.CallerCodes
	button    *widget.Widget
	locales   *ui.LocaleSet
	server    *web.Server
	limits    audit.Limits

	errorLink        atomic.Pointer[func(room.FailedRequest) string] // see LinkErrors
	verifyLink       atomic.Pointer[verificationPages]               // see LinkVerification
	walletLink       atomic.Pointer[linkedWallets]                   // see LinkCredentials
	registrar        atomic.Pointer[room.Registrar[Client]]          // see RegisterWith
	mailed, unmailed atomic.Pointer[time.Time]                       // when the Mailer has last sent a mail, and failed to

	companions *host.Companions
	upkeep     *upkeep.Upkeep
	running    sync.WaitGroup
	closing    context.Context
	close      context.CancelFunc
}

// New returns a provider. It reads the signing keys and the data keys from the store,
// generates the first of each if there is none, and leaves no goroutine running; background
// work is for Run. An invalid field of the Config is a FieldError.
func New(ctx context.Context, cfg Config) (*Provider, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, configError(err)
	}
	p := &Provider{rooms{cfg: cfg, issuer: issuerOf(cfg.BaseURL), companions: &host.Companions{}, rings: &keyRings{}, calls: host.NewCalls()}}
	var err error
	if p.catalogue, err = claims.NewCatalogue(cfg.Scopes, cfg.Attributes, cfg.Groups); err != nil {
		return nil, configError(err)
	}
	if cfg.Credentials != nil {
		if err := p.catalogue.AddCredentials(cfg.Credentials); err != nil {
			return nil, configError(err)
		}
	}
	if err := cfg.validateResources(p.catalogue); err != nil {
		return nil, configError(err)
	}
	if err := cfg.checkVerifiers(p.catalogue); err != nil {
		return nil, configError(err)
	}
	if p.secrets, err = cfg.secrets(); err != nil {
		return nil, configError(err)
	}
	if p.locales, err = web.ReadTexts(cfg.Texts, cfg.Logger); err != nil {
		return nil, configError(&FieldError{"Texts", err})
	}
	look, err := cfg.Brand.look(cfg.FedCM.On)
	if err != nil {
		return nil, configError(err)
	}
	p.button = look.button
	if err := p.openStore(ctx); err != nil {
		return nil, configError(err)
	}
	if err := p.build(ctx, look); err != nil {
		return nil, configError(err)
	}
	if err := p.upkeep.ReportSealed(ctx); err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	return p, nil
}

// openStore puts the encryption of personal data and the short-lived cache in front of the
// host's store.
func (p *Provider) openStore(ctx context.Context) error {
	o := p.cfg.vault(p.secrets)
	o.FindText = p.catalogue.FindText
	opened, people, err := vault.OpenStore(ctx, o)
	if err != nil {
		return err
	}
	p.vault = people
	if p.trail, err = trail.NewKeys(p.issuer, people.Derive); err != nil {
		return err
	}
	p.store = memory.New(opened, p.cfg.Clock)
	return nil
}

// vault returns what opens personal data.
func (c Config) vault(secrets *keyring.Secrets) vault.Options {
	former := make([]string, len(c.PreviousBaseURLs))
	for i, base := range c.PreviousBaseURLs {
		former[i] = issuerOf(base)
	}
	return vault.Options{
		Store: c.Store, Secrets: secrets, Issuer: issuerOf(c.BaseURL), Former: former, Logger: c.Logger,
		RPID: c.rpID(), FormerRPIDs: c.SignIn.Passkeys.PreviousRPIDs,
	}
}

// CheckStore returns the error with which New would refuse the Store: its people are encrypted under
// another secret, or it belongs to another issuer. It changes nothing, for a host that
// looks at all its databases before it changes one. A new database passes.
func (c Config) CheckStore(ctx context.Context) error {
	c = c.withDefaults()
	secrets, err := c.secrets()
	if err == nil {
		err = vault.Check(ctx, c.vault(secrets))
	}
	if err != nil {
		return configError(err)
	}
	return nil
}

// build creates the parts. Each gets its dependencies, none of which leads back to it.
func (p *Provider) build(ctx context.Context, look look) error {
	cfg := p.cfg
	var err error
	if p.keys, err = openKeys(ctx, cfg, p.secrets, p.calls); err != nil {
		return err
	}
	site, err := p.newSite(look)
	if err != nil {
		return err
	}
	for _, a := range []ui.Audience{factors.Audience(), securityui.Audience()} {
		if err := site.AddAudience(a); err != nil {
			return &FieldError{"Texts", err}
		}
	}
	telemetry, err := web.NewTelemetry(web.TelemetryOptions{
		Base: site.Base, Tracers: cfg.TracerProvider, Meters: cfg.MeterProvider, Store: cfg.Store, Logger: cfg.Logger,
	})
	if err != nil {
		return err
	}
	p.audit = audit.New(audit.Options{
		Store: p.store, Count: telemetry.Count, Ring: func(name string) { p.signals.Recorded(name) }, OnEvent: cfg.onEvent(), Clock: cfg.Clock, Logger: cfg.Logger,
	})
	if p.signals, err = p.newSignals(); err != nil {
		return err
	}
	p.activity = activity.New(cfg.Clock, cfg.Logger)
	process, err := p.caseNames()
	if err != nil {
		return err
	}
	source := claims.NewSource(claims.Options{
		Catalogue: p.catalogue, Stored: p.store.Recent, Host: cfg.Users.person(), HasAccounts: cfg.hasAccounts(),
		Verified: cfg.VerifiedClaims, Process: process, Issuer: p.issuer, Clock: cfg.Clock, Logger: cfg.Logger,
	})
	p.faults = p.newFaults()
	p.uses = clients.NewUses(p.store, cfg.Clock, cfg.Logger)
	p.outbound = outbound.New(outbound.Options{AllowPrivate: cfg.AllowPrivateNetworks})
	tokens := token.NewCodec(p.secrets, p.issuer, cfg.Clock)
	p.limits = audit.Limits{Limiter: ratelimit.New(p.store, p.secrets, cfg.Clock), Log: p.audit}
	p.clients = &clients.Registry{
		Store: p.store, Deleted: make(chan struct{}, 1),
		RemoveSignals: p.signals.RemoveClient, Secrets: p.secrets, Audit: p.audit, Clock: cfg.Clock, Logger: cfg.Logger,
	}
	p.engine = p.newEngine(tokens, source)
	p.notifier = backchannel.New(backchannel.Options{
		Store: p.store, Issuer: p.issuer, Client: p.engine.Client, Sign: p.keys.SignAs, Refresh: p.keys.Refresh, Post: p.outbound.PostForm,
		Ring: p.signals.Ring, Activity: p.activity, Clock: cfg.Clock, AgreedTime: p.agreedTime, Logger: cfg.Logger,
	})
	sessions := &session.Manager{
		Store: p.store, Tokens: tokens, Cookies: site.Cookies, FedCM: p.secondCookie(),
		Idle: cfg.Lifetimes.SessionIdle, Life: cfg.Lifetimes.Session, Clock: cfg.Clock,
	}
	p.accounts = &account.Accounts{
		Store: p.store, Hasher: password.NewHasher(), MinLength: cfg.PasswordMinLength,
		Audit: p.audit, Clock: cfg.Clock, Logger: cfg.Logger,
	}
	p.flows = authflow.New(authflow.Options{
		Site: site, Engine: p.engine, Claims: source, Audit: p.audit, Activity: p.activity, Keys: p.keys, Store: p.store,
		Sessions: sessions, SignsUp: cfg.hasAccounts() && cfg.Mailer != nil, Personas: p.personas(), Faults: p.faults, Host: cfg.host(),
		Has: p.has, Classes: cfg.classes(), Require: cfg.SignIn.Require, FedCMAccount: p.fedCMAccount,
		Verifiers: cfg.verifiers(), Declined: p.declined, Forget: p.store.ForgetPerson,
		Life: cfg.Lifetimes.Flow, SessionLife: cfg.Lifetimes.Session, Clock: cfg.Clock,
		Limits: p.limits, Limit: ratelimit.Flow.PerAddress(cfg.Limits.Flow.or(ratelimit.Flow.ByAddress())),
	})
	p.pages = account.NewPages(account.Options{
		Site: site, Flows: p.flows, Engine: p.engine, Claims: source, Sessions: sessions, Accounts: p.accounts,
		Audit: p.audit, Activity: p.activity, Store: p.store, Limits: p.limits, Actions: cfg.Limits.actions(), SendMail: p.sendMail(),
		SignInURL: cfg.Users.SignInURL, SignOutURL: cfg.Users.SignOutURL, FlowLife: cfg.Lifetimes.Flow, Clock: cfg.Clock, CertainTime: p.Rooms().People.CertainTime,
	})
	checker, err := p.newChecker(site)
	if err != nil {
		return err
	}
	upstreams, err := p.newUpstreams(site)
	if err != nil {
		return err
	}
	protection := security.NewPages(p.pages, security.Options{
		Store: p.store, Party: checker.Party, Challenges: checker.Challenges, Apps: !cfg.SignIn.TOTP.Off,
		Upstreams: upstreams, Vouched: p.vouched(upstreams),
	})
	entrance := signin.NewPages(p.pages, signin.Options{
		Factors: checker, Store: p.store, TrustDevices: cfg.SignIn.TrustDevices, Upgrade: cfg.SignIn.Passkeys.Upgrade,
		TellPasskey: protection.TellPasskey, ShowCodes: protection.ShowCodes,
		Upstreams: upstreams, Connect: protection.Connect, Vouched: p.vouched(upstreams),
	})
	p.ways = recovery.NewPages(p.pages, recovery.Options{
		Factors: checker, Store: p.store, Wait: cfg.SignIn.Recovery.Wait, WithPassword: cfg.SignIn.Recovery.WithPassword,
	})
	p.callers = &account.CallerCodes{Store: p.store, Secrets: p.secrets, Issuer: p.issuer, Limits: p.limits, Audit: p.audit, Clock: cfg.Clock}
	p.own = selfservice.NewPages(p.pages, selfservice.Options{Store: p.store, Grace: cfg.Lifetimes.DeletionGrace, Companions: p.companions, Callers: p.callers, Verification: p.verification, Wallet: p.wallet, UpstreamTitle: upstreams.Title})
	p.upkeep = upkeep.New(upkeep.Options{
		Store: p.store, Keys: p.keys, Rings: p.rings.list, Secrets: p.secrets, Clients: p.clients, Unknown: p.unknown, Companions: p.companions, Audit: p.audit, Trail: p.trail, Vault: p.vault,
		Index:         vault.NewIndex(cfg.Store, p.vault, p.catalogue.IsFindable(), p.catalogue.FindText).Run,
		FormerSecrets: len(cfg.PreviousSecrets), OwnKeys: cfg.Signers == nil, KeepEvents: cfg.KeepEvents,
		TellDeleted: p.pages.TellDeleted, Deleting: p.deleting, EndStatuses: p.endStatuses, Clock: cfg.Clock, Logger: cfg.Logger,
	})
	p.upkeep.RunWith(p.tellOthers)
	p.protocol, err = oauth.New(oauth.Options{
		Site: site, Engine: p.engine, Catalogue: p.catalogue, Audit: p.audit, Activity: p.activity, Limits: p.limits,
		Classes: cfg.classes().Supported(), HasAccounts: cfg.hasAccounts(), Documents: cfg.UnknownClients.Documents, Register: p.registers(), Registrations: p.registrations(), Streams: p.newStreams(), Devices: cfg.DeviceAuthorization.On, RequestURI: cfg.RequestURI, Exchanges: cfg.engineResources().Exchanging(), Faults: p.faults, SigningAlgorithms: cfg.Algorithms, Keys: p.faults.Publish(p.keys),
		Verified: cfg.VerifiedClaims, Credentials: cfg.Credentials,
	})
	if err != nil {
		return err
	}
	resources := resource.New(resource.Options{
		Site: site, Engine: p.engine, Claims: source, Activity: p.activity, Keys: p.keys, IDTokenLife: cfg.Lifetimes.IDToken, Clock: cfg.Clock,
	})
	p.closing, p.close = context.WithCancel(context.WithoutCancel(ctx))
	routes := slices.Concat(p.flows.Routes(), p.pages.Routes(), entrance.Routes(), p.ways.Routes(), protection.Routes(), p.own.Routes(), p.devicePages(), p.fedCMRoutes(look), p.protocol.Routes(), p.protocol.OlderRoutes(), resources.Routes(), resources.OlderRoutes(), site.Assets(),
		p.Pages().ownWellKnown(), []web.Route{{Method: http.MethodGet, Path: "/widget/{name}", Handler: serveButton(p.button)}})
	p.server = web.NewServer(site, web.ServerOptions{
		Routes: routes, Calls: p.calls, TrustedProxies: cfg.TrustedProxies, Telemetry: telemetry, Closed: p.closing,
	})
	return nil
}

// newSite returns the parts that all pages share.
func (p *Provider) newSite(look look) (*web.Site, error) {
	brand := p.cfg.Brand
	base, err := url.Parse(p.cfg.BaseURL)
	if err != nil {
		return nil, &FieldError{"BaseURL", err}
	}
	site, err := web.New(web.Options{
		BaseURL: p.cfg.BaseURL, Issuer: p.issuer, Sandbox: p.cfg.Sandbox, PlainUpstreams: len(p.cfg.Upstreams) > 0 && base.Scheme == "http",
		Brand: ui.Brand{
			Name: brand.name(), HomeURL: brand.HomeURL,
			TermsURL: brand.TermsURL, PolicyURL: brand.PolicyURL, HelpURL: brand.HelpURL,
		},
		Pictures: look.pictures, Links: look.links, Theme: look.theme,
		Locales: p.locales, Screens: p.cfg.Screens.WithDefaults(), Images: clients.Images{Store: p.store, Logger: p.cfg.Logger},
		Secrets: p.secrets, Cookies: session.NewCookies(base, p.issuer), Clock: p.cfg.Clock, Logger: p.cfg.Logger,
		LinkError: p.Pages().linkError,
	})
	if err != nil {
		return nil, &FieldError{"BaseURL", err}
	}
	return site, nil
}

// ServeHTTP answers everything under the base URL. It may be mounted with its full path or
// behind http.StripPrefix.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.server.ServeHTTP(w, r) }

func (p *Provider) newEngine(tokens *token.Codec, source *claims.Source) *engine.Engine {
	l, policy := p.cfg.Lifetimes, p.cfg.unknownPolicy()
	policy.Denial = p.store.HostDenial
	rows := memory.Clients{Store: p.store, Admit: policy.Admit}
	p.unknown = p.newUnknown(policy, rows)
	return engine.New(engine.Options{
		Issuer:            p.issuer,
		Addresses:         policy.Addresses,
		Clients:           rows,
		Unknown:           p.unknown,
		Grants:            memory.Grants{Store: p.store},
		Tokens:            token.Stored{Codec: tokens},
		Sign:              p.faults.Sign(p.keys.Sign),
		SignAccessToken:   p.signAccessToken,
		VerifyAccessToken: p.verifyAccessToken,
		SignResponse:      p.signResponse,
		Signs:             p.keys.Signs,
		Resources:         p.cfg.engineResources(),
		OpenSecret:        func(sealed []byte) ([]byte, error) { return p.secrets.Open(clients.SealPurpose, sealed) },
		UnknownKeys:       clientkeys.NewSource(fetchKeys(p.strangers), p.cfg.Clock),
		ClientKeys:        clientkeys.NewSource(fetchKeys(p.outbound), p.cfg.Clock),
		FetchObject:       p.fetchObject(),
		UsedIDs:           p.store,
		Proofs:            p.proofs(),
		Audiences:         audiences(p.cfg.BaseURL, p.issuer),
		PushedRequests:    p.store,
		SealPushed: func(clientID string, request []byte) []byte {
			return p.secrets.Seal(pushedPurpose(p.issuer, clientID), request)
		},
		OpenPushed: func(clientID string, sealed []byte) ([]byte, error) {
			return p.secrets.Open(pushedPurpose(p.issuer, clientID), sealed)
		},
		Devices: p.devices(),
		Allowed: func(ctx context.Context, subject string, c *registry.Client, asked []string) (engine.Allowed, error) {
			return p.flows.AllowedBefore(ctx, subject, c, asked)
		},
		Classes: p.cfg.classes(),
		Requires: func(g storage.Grant, c *registry.Client, scopes []string) assurance.Requirement {
			return p.flows.RequiresNow(g, c, scopes)
		},
		Scopes:     p.catalogue.ScopeValues(),
		ScopeKnown: p.catalogue.Known,
		Verified:   p.cfg.VerifiedClaims,
		Details:    p.cfg.Credentials,
		Claims:     source.Claims,
		Admits: func(ctx context.Context, presented *engine.Issued, c *registry.Client, scopes []string) error {
			if presented.Token.Kind == storage.RefreshToken {
				if err := p.faults.Refresh(ctx, presented.Grant); err != nil {
					return err
				}
			}
			return p.flows.AdmitStill(ctx, presented.Grant, c, scopes)
		},
		RecordReuse:      Events{&p.rooms}.reuse,
		RecordRevocation: Events{&p.rooms}.revoke,
		RecordExchange:   Events{&p.rooms}.exchange,
		OnSecretUse:      p.uses.Note,
		Lifetimes: engine.Lifetimes{
			Code: l.Code, Access: l.AccessToken, ID: l.IDToken, Refresh: l.RefreshToken,
			Grant: l.Grant, RefreshGrace: l.RefreshGrace,
		},
		Clock: p.cfg.Clock,
	})
}

// fetchKeys returns a function that reads an application's key set at its own address.
func fetchKeys(client *outbound.Client) func(ctx context.Context, uri string) ([]byte, error) {
	return func(ctx context.Context, uri string) ([]byte, error) {
		body, err := client.Get(ctx, uri, "application/jwk-set+json, application/json")
		if outbound.IsLasting(err) {
			return nil, &clientkeys.RefusedError{Reason: err}
		}
		return body, err
	}
}

// pushedPurpose is the encryption purpose of a client's pushed requests.
func pushedPurpose(issuer, clientID string) string {
	return "pushed request " + issuer + " " + clientID
}

// audiences returns the audiences with which applications' assertions may address the
// provider.
func audiences(baseURL, issuer string) []string {
	names := []string{issuer}
	for _, path := range oauth.AssertionPaths {
		names = append(names, baseURL+path)
	}
	return names
}

func issuerOf(baseURL string) string { return baseURL + "/oidc" }

// Issuer returns the issuer identifier: the base URL followed by /oidc.
func (p *Provider) Issuer() string { return p.issuer }

package provider

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/opaque"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/recent"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/throttle"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/widget"
)

// Provider is an identity provider: an http.Handler for everything under its base
// URL. Make one with New. Any number of them can live in one process.
type Provider struct {
	cfg       Config
	base      *url.URL
	issuer    string
	catalogue *catalogue
	secrets   *keyring.Secrets
	keys      *keyring.Ring
	tokens    *opaque.Codec
	engine    *engine.Engine
	recent    *recentStore
	answers   *recent.Cache[answerSources, answer]
	userinfos *recent.Cache[[sha256.Size]byte, string] // signed, by their claims
	passwords *password.Hasher
	limits    *throttle.Limiter
	refusals  *recent.Cache[refused, struct{}]
	cookies   session.Cookies
	sessions  *session.Manager
	origin    *http.CrossOriginProtection
	brand     brand
	button    *widget.Widget
	discovery []byte
	routes    map[string]http.HandlerFunc
	trees     []tree
	telemetry *telemetry

	running sync.WaitGroup
	started time.Time
	closing context.Context
	close   context.CancelFunc
}

// New returns a provider. It reads the signing keys from the store, makes the first
// if there is none, and starts no goroutine; Run does what goes on in the
// background. The error names the field of the Config that cannot work.
func New(ctx context.Context, cfg Config) (*Provider, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("provider: Config.%w", err)
	}
	p := &Provider{cfg: cfg, issuer: cfg.BaseURL + "/oidc", started: cfg.Clock()}
	p.recent = newRecentStore(cfg.Store, cfg.Clock)
	p.cfg.Store = p.recent
	p.base, _ = url.Parse(cfg.BaseURL) // validated
	var err error
	if p.catalogue, err = newCatalogue(cfg.Scopes, cfg.Attributes, cfg.Groups); err != nil {
		return nil, fmt.Errorf("provider: Config.%w", err)
	}
	if p.secrets, err = keyring.NewSecrets(cfg.Secret, cfg.PreviousSecrets...); err != nil {
		return nil, fmt.Errorf("provider: Config.Secret: %w", err)
	}
	if p.keys, err = openKeys(ctx, cfg, p.secrets); err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	if p.brand, err = newBrand(cfg.Brand); err != nil {
		return nil, fmt.Errorf("provider: Config.Brand.%w", err)
	}
	if p.button, err = newButton(cfg); err != nil {
		return nil, fmt.Errorf("provider: Config.Brand: %w", err)
	}
	p.tokens = opaque.NewCodec(p.secrets, p.issuer, cfg.Clock)
	p.engine = p.newEngine()
	p.answers = recent.New[answerSources, answer](recentAge, maxAnswers, cfg.Clock)
	p.userinfos = recent.New[[sha256.Size]byte, string](cfg.Lifetimes.IDToken/2, maxSignedUserinfo, cfg.Clock)
	p.passwords = password.NewHasher()
	p.limits = throttle.New(cfg.Store, p.secrets, cfg.Clock)
	p.refusals = recent.New[refused, struct{}](refusalsEvery, maxRefusals, cfg.Clock)
	p.cookies = session.NewCookies(p.base, p.issuer)
	p.sessions = p.newSessions()
	p.origin = http.NewCrossOriginProtection()
	if err := p.origin.AddTrustedOrigin(p.base.Scheme + "://" + p.base.Host); err != nil {
		return nil, fmt.Errorf("provider: Config.BaseURL: %w", err)
	}
	if p.discovery, err = p.discoveryDocument(); err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	if p.telemetry, err = newTelemetry(cfg, p.base); err != nil {
		return nil, fmt.Errorf("provider: Config.%w", err)
	}
	p.closing, p.close = context.WithCancel(context.WithoutCancel(ctx))
	p.routes, p.trees = p.handlers()
	return p, nil
}

func openKeys(ctx context.Context, cfg Config, secrets *keyring.Secrets) (*keyring.Ring, error) {
	if cfg.Signer != nil {
		ring, err := keyring.Static(cfg.Signer)
		if err != nil {
			return nil, fmt.Errorf("Config.Signer: %w", err)
		}
		return ring, nil
	}
	ring, err := keyring.Open(ctx, cfg.Store, secrets, keyring.Options{
		RotateEvery: cfg.KeyRotation,
		KeepFor:     max(cfg.Lifetimes.IDToken, cfg.Lifetimes.AccessToken) + time.Hour,
		SignWith:    cfg.SignWith,
		Clock:       cfg.Clock,
	})
	if err != nil {
		return nil, fmt.Errorf("signing keys: %w", err)
	}
	return ring, nil
}

func (p *Provider) newEngine() *engine.Engine {
	l := p.cfg.Lifetimes
	return engine.New(engine.Options{
		Issuer:     p.issuer,
		Clients:    p.cfg.Store,
		Grants:     recentGrants{p.recent},
		Tokens:     engineTokens{p.tokens},
		Sign:       p.keys.Sign,
		OpenSecret: func(sealed []byte) ([]byte, error) { return p.secrets.Open(sealClientSecret, sealed) },
		ScopeKnown: p.catalogue.known,
		Claims:     p.claims,
		Reused:     p.tokenReused,
		Revoked:    p.tokenRevoked,
		Lifetimes: engine.Lifetimes{
			Code: l.Code, Access: l.AccessToken, ID: l.IDToken, Refresh: l.RefreshToken,
			Grant: l.Grant, RefreshGrace: l.RefreshGrace,
		},
		Clock: p.cfg.Clock,
	})
}

// engineTokens shows the codec to the engine in the engine's terms.
type engineTokens struct{ codec *opaque.Codec }

var tokenKinds = map[storage.TokenKind]opaque.Kind{
	storage.AuthorizationCode: opaque.Code,
	storage.AccessToken:       opaque.Access,
	storage.RefreshToken:      opaque.Refresh,
}

func (t engineTokens) New(kind storage.TokenKind) (string, storage.Digest) {
	return t.codec.New(tokenKinds[kind])
}

func (t engineTokens) Parse(kind storage.TokenKind, token string) (storage.Digest, bool) {
	return t.codec.Parse(tokenKinds[kind], token)
}

// Issuer returns the issuer identifier: the base URL followed by /oidc.
func (p *Provider) Issuer() string { return p.issuer }

// maintenance is how often Run looks whether there is something to do, and so how
// soon a key that another process has made is known here.
const maintenance = time.Minute

// A sweep must not hold up requests, however much it finds: sweepBatch bounds one
// transaction, and after each it rests sweepRest times as long as that took.
const (
	sweepBatch = 250
	sweepRest  = 4
)

// Run does what goes on in the background: it rotates signing keys and removes what
// has expired. It returns nil when ctx ends or the provider is closed. Every
// process of a provider should have one Run; a provider without one works, but
// its keys never change and its tables only grow.
func (p *Provider) Run(ctx context.Context) error {
	p.running.Add(1)
	defer p.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.closing, cancel)()
	tick := time.NewTicker(maintenance)
	defer tick.Stop()
	for {
		p.maintain(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// maintain does one round. What fails is logged and tried again in the next.
func (p *Provider) maintain(ctx context.Context) {
	added, err := p.keys.Maintain(ctx)
	if err != nil && ctx.Err() == nil {
		p.cfg.Logger.ErrorContext(ctx, "signing keys could not be maintained", slog.Any("error", err))
	}
	if added {
		p.record(ctx, Event{Name: EventKeyRotated})
	}
	// A long sweep goes on after the keys have been looked at again.
	ctx, cancel := context.WithTimeout(ctx, maintenance)
	defer cancel()
	p.removeAll(ctx, "expired records", func() (int, error) {
		return p.cfg.Store.Sweep(ctx, p.cfg.Clock(), sweepBatch)
	})
	if keep := p.cfg.KeepEvents; keep > 0 {
		p.removeAll(ctx, "old events", func() (int, error) {
			return p.cfg.Store.RemoveEvents(ctx, p.cfg.Clock().Add(-keep), sweepBatch)
		})
	}
}

// removeAll removes one batch after another until there is nothing left to remove, or
// ctx ends.
func (p *Provider) removeAll(ctx context.Context, what string, batch func() (removed int, err error)) {
	for ctx.Err() == nil {
		begin := time.Now()
		removed, err := batch()
		if err != nil && ctx.Err() == nil {
			p.cfg.Logger.ErrorContext(ctx, "what is over could not be removed", slog.String("what", what), slog.Any("error", err))
		}
		if err != nil || removed == 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(sweepRest * time.Since(begin)):
		}
	}
}

// Close ends Run, waits for it, and closes the store. Requests after it are
// answered with 503.
func (p *Provider) Close() error {
	p.close()
	p.running.Wait()
	if err := p.cfg.Store.Close(); err != nil {
		return fmt.Errorf("provider: close store: %w", err)
	}
	return nil
}

// RevokeIssuedBefore ends every grant, token and session that was made before a
// moment: what to do after a backup was restored or a secret has leaked.
func (p *Provider) RevokeIssuedBefore(ctx context.Context, moment time.Time) error {
	_, err1 := p.cfg.Store.RevokeGrants(ctx, storage.GrantFilter{CreatedBefore: moment}, p.cfg.Clock())
	_, err2 := p.cfg.Store.EndSessions(ctx, storage.SessionFilter{CreatedBefore: moment})
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("provider: revoke what was issued before: %w", err)
	}
	p.record(ctx, Event{Name: EventRevoked, Detail: "everything issued before a moment"})
	return nil
}

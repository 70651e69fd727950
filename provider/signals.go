package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	hub "github.com/bonafide-id/bonafide/provider/internal/signals"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// Signals returns who is told of changes: Save, List, Delete, Rotate, Test, Deliveries and Replay (go doc
// github.com/bonafide-id/bonafide/provider/signals.Signals).
func (p *Provider) Signals() signals.Signals { return p.signals }

// ErrEventsRemoved means that events were removed before somebody who follows them has read them.
var ErrEventsRemoved = errors.New("provider: events were removed that nobody has read for a month")

// Follow calls f with each event from its first call on, in order and at least once, until ctx ends: again
// after an error, and some again after the process was killed. How far it has come is kept under the
// name. Of several processes one calls, and another takes over within half a minute. ErrEventsRemoved
// after a month in which nobody has called; the next Follow goes on with new events.
func (p Events) Follow(ctx context.Context, name string, f func(ctx context.Context, e RecordedEvent) error) error {
	if p.signals.Store == nil {
		return errNoSignals
	}
	err := p.signals.Follow(ctx, name, func(ctx context.Context, e storage.Event) error {
		return f(ctx, RecordedEvent{e.ID, asEvent(e)})
	})
	if errors.Is(err, storage.ErrEnded) {
		return ErrEventsRemoved
	}
	return err
}

// errNoSignals is the error of a store that cannot keep who is told.
var errNoSignals = errors.New("provider: the store does not keep who is told of changes (storage.Signals)")

// newSignals returns the hub of all who are told.
func (p *rooms) newSignals() (*hub.Hub, error) {
	cfg := p.cfg
	store, _ := cfg.Store.(storage.Signals)
	h := hub.New(hub.Options{
		Config: cfg.Signals, Store: store, Vault: p.vault, Audit: p.audit, Sandbox: cfg.Sandbox,
		Outbound: outbound.New(outbound.Options{
			AllowPrivate: cfg.AllowPrivateNetworks, Timeout: hub.CallTime, MaxCalls: hub.MaxCalls, MaxBody: 1 << 10, MaxIdle: hub.MaxIdle,
		}),
		CheckAddress: func(address string) error { return outbound.ValidateURL(address, cfg.AllowPrivateNetworks) },
		PublicError:  asFieldError, Clock: cfg.Clock, AgreedTime: p.agreedTime, Logger: cfg.Logger,
	})
	if h.IsOn() && store == nil {
		return nil, &FieldError{"Signals", errNoSignals}
	}
	err := h.CheckConfig()
	return h, err
}

// endStatuses records that statuses have ended by their time, by the clock by which they are no longer
// released.
func (p *rooms) endStatuses(ctx context.Context) (more bool, err error) {
	const atOnce = 256 // of which the store makes one statement
	ended, err := p.store.EndStatuses(ctx, p.cfg.Clock(), atOnce, func(subject, group string) storage.Event {
		return storage.Event{At: p.cfg.Clock(), Name: event.StatusEnded, Subject: subject, Detail: group}
	})
	p.audit.Tell(ctx, ended)
	return len(ended) == atOnce, err
}

// sources are what a provider looks for each second.
func (p *rooms) sources() []hub.Source {
	all := []hub.Source{{What: "send logout tokens", Do: p.notifier.Begin}, {What: "record the ends of statuses", Do: func(ctx context.Context) (bool, error) {
		if !p.signals.IsHeard() {
			return false, nil // a round of Run does
		}
		return p.endStatuses(ctx)
	}}}
	if p.signals.IsOn() {
		all = append(all, p.signals.Sources()...)
	}
	return all
}

// tellOthers does the work of the sources until ctx ends, and waits for what they have begun.
func (p *rooms) tellOthers(ctx context.Context) {
	defer p.signals.Wait()
	defer p.notifier.Wait()
	hub.Loop(ctx, &p.signals.Bell, p.cfg.Logger, p.sources())
}

// deleting returns a context in which a deletion tells who could see data of the user.
func (p *rooms) deleting(ctx context.Context, userID, pseudonym string) (context.Context, error) {
	if !p.signals.IsOn() {
		return ctx, nil
	}
	c := hub.Change{Signal: signals.AccountDeleted, Event: storage.Event{At: p.cfg.Clock(), Name: event.AccountDeleted, Subject: userID}}
	deliveries, err := p.signals.Deleting(ctx, c, pseudonym)
	if err != nil {
		return ctx, fmt.Errorf("find who is told of the deletion: %w", err)
	}
	return audit.Telling(ctx, deliveries), nil
}

// agreedTime is that of upkeep, which is made later.
func (p *rooms) agreedTime() time.Time { return p.upkeep.AgreedTime() }

// LookAfterReceivers is LookAfter of the hub, for those who answer for applications.
func (p roomsOf) LookAfterReceivers(tell func(ctx context.Context, r signals.Receiver), agreed func(ctx context.Context, clientID, address string) (bool, error)) {
	p.signals.LookAfter(tell, agreed)
}

// newStreams returns the streams of Shared Signals; nil if there are none.
func (p *rooms) newStreams() *hub.Streams {
	if p.cfg.Signals.SharedSignals {
		p.signals.Streams = &hub.Streams{
			Hub: p.signals, Issuer: p.issuer, PollURL: p.cfg.BaseURL + hub.PollPath,
			Sign: p.keys.SignAs, Refresh: p.keys.Refresh, Verified: p.isVerified,
		}
	}
	return p.signals.Streams
}

// isVerified reports whether a user is a verified member of a group; nobody is who is no user any
// more.
func (p *rooms) isVerified(ctx context.Context, userID, group string) (bool, error) {
	statuses, err := People{p}.Statuses(ctx, userID, group)
	if errors.Is(err, host.ErrNoUser) {
		return false, nil
	}
	return len(statuses) > 0 && statuses[0].Verified, err
}

// transmitterRoute serves the metadata of Shared Signals: the well-known part comes before the path of the
// issuer (SSF 1.0 sections 7.1 and 7.2).
func (p *rooms) transmitterRoute() web.Route {
	at := func(path string) string { return p.cfg.BaseURL + path }
	_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(p.issuer, "https://"), "http://"), "/")
	return web.Route{
		Method: http.MethodGet, Path: "/.well-known/ssf-configuration/" + path, Kind: web.Program,
		Handler: serveJSON(map[string]any{
			"spec_version": "1_0", "issuer": p.issuer, "jwks_uri": at("/oidc/.well-known/jwks"), "delivery_methods_supported": hub.DeliveryMethods,
			"configuration_endpoint": at(hub.StreamPath), "status_endpoint": at(hub.StatusPath), "verification_endpoint": at(hub.VerifyPath),
			"authorization_schemes": []map[string]string{{"spec_urn": "urn:ietf:rfc:6749"}}, // an access token of OAuth 2.0
			"default_subjects":      "ALL",
		}),
	}
}

package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/storage"
)

// Event is an entry of the audit log. It never holds a secret.
type Event struct {
	At   time.Time `json:"at"`
	Name string    `json:"name"`

	// UserID and ClientID name the user and the application; either may be empty.
	UserID   string `json:"user_id,omitempty"`
	ClientID string `json:"client_id,omitempty"`

	// Address is the network of the caller, if any: 24 bits of an IPv4 address, as in
	// 192.0.2.0/24, or 48 of IPv6.
	Address string `json:"address,omitempty"`

	// Detail is a fixed phrase.
	Detail string `json:"detail,omitempty"`

	// Actor is who acted, if not the user or the host: "staff:", "client:" or "command:" with
	// a name, or "host". Matter is the ID of the matter in which a member of the staff acted
	// (By).
	Actor  string `json:"actor,omitempty"`
	Matter string `json:"matter,omitempty"`
}

// asEvent converts an event to its public form.
func asEvent(e storage.Event) Event {
	return Event{
		At: e.At, Name: e.Name, UserID: e.Subject, ClientID: e.ClientID, Address: e.Address, Detail: e.Detail,
		Actor: e.Actor, Matter: e.Matter,
	}
}

// onEvent returns Config.OnEvent in the form of the audit log, or nil.
func (c Config) onEvent() func(storage.Event) {
	if c.OnEvent == nil {
		return nil
	}
	return func(e storage.Event) { c.OnEvent(asEvent(e)) }
}

// reuse revokes a grant of which a code or a token was presented twice, and records it: each time.
func (p Events) reuse(ctx context.Context, g storage.Grant, kind storage.TokenKind, revoke func(context.Context) error) error {
	return p.audit.Step(ctx, revoke, storage.Event{Name: event.Reuse, Subject: issue.UserOf(g), ClientID: g.ClientID, Detail: tokenName[kind]})
}

// revoke ends what an application has revoked, and records it if it was not over.
func (p Events) revoke(ctx context.Context, g storage.Grant, kind storage.TokenKind, end func(context.Context) (bool, error)) error {
	detail := tokenName[kind] + ", by the application"
	_, err := audit.StepIf(ctx, p.audit, end, storage.Event{Name: event.Revoked, Subject: issue.UserOf(g), ClientID: g.ClientID, Detail: detail})
	return err
}

// exchange makes the write by which an API exchanges a user's token, and records it.
func (p Events) exchange(ctx context.Context, g storage.Grant, clientID, resource string, write func(context.Context) error) error {
	return p.audit.StepOnce(ctx, write, storage.Event{
		Name: event.Exchanged, Subject: issue.UserOf(g), ClientID: clientID, Detail: resource + ", for " + g.ClientID,
	})
}

var tokenName = map[storage.TokenKind]string{
	storage.AuthorizationCode: "authorization code",
	storage.AccessToken:       "access token",
	storage.RefreshToken:      "refresh token",
}

// Note is Record for what has happened anyway: a failure is logged.
func (p eventsRoom) Note(ctx context.Context, e Event) { p.audit.Record(ctx, e.record()) }

// EventFilter selects events. All fields that are set must match.
type EventFilter struct {
	Name             string
	UserID, ClientID string

	// Actor and Matter are as in the Event.
	Actor, Matter string

	// Names selects events with one of these names.
	Names []string

	// Network selects the events of one Event.Address. Without a UserID, ClientID, Actor or
	// Matter it needs a From: years of events have no index of it.
	Network string

	// From and Until limit the time: at From or later, and before Until. Zero is no limit.
	From, Until time.Time

	// Before is the ID of the last event of the previous page; zero for the first page.
	Before int64

	// Limit is the maximum number of events; 100 if zero.
	Limit int
}

// RecordedEvent is an event of the audit log with its ID, for EventFilter.Before.
type RecordedEvent struct {
	ID int64 `json:"id"`
	Event
}

// List returns events of the audit log, the latest first.
func (p Events) List(ctx context.Context, match EventFilter) ([]RecordedEvent, error) {
	stored, err := p.store.Events(ctx, storage.EventFilter{
		Actor: match.Actor, Matter: match.Matter, Names: match.Names, Address: match.Network,
		Name: match.Name, Subject: match.UserID, ClientID: match.ClientID,
		From: match.From, Until: match.Until, BeforeID: match.Before, Limit: match.Limit,
	})
	if err != nil {
		return nil, fmt.Errorf("provider: read events: %w", err)
	}
	events := make([]RecordedEvent, len(stored))
	for i, e := range stored {
		events[i] = RecordedEvent{e.ID, asEvent(e)}
	}
	return events, nil
}

// WatchActivity calls f with each new activity of applications, one after the other and
// outside of the requests, until stop is called or the provider is closed. Applications
// take turns. A slow function gets only the number of activities of an application with
// more than 64 waiting. Of successes at userinfo, attributes and introspection, f gets
// twenty of one application and event, and within a minute the number of further ones. A
// function that panics or hangs harms no request. stop waits until f has received earlier
// activities, for five seconds at most.
func (p eventsRoom) WatchActivity(f func(activity.Activity)) (stop func()) {
	return p.activity.Watch(f)
}

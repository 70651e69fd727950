package provider

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Event is an entry of the audit trail. It never holds a secret.
type Event struct {
	At   time.Time
	Name EventName

	// UserID and ClientID tell whom it concerns; either may be empty.
	UserID, ClientID string

	// Address is the network address of the caller, when there is one.
	Address string

	// Detail is a fixed phrase.
	Detail string
}

// EventName tells what happened.
type EventName string

// The events of the audit trail.
const (
	EventSignedIn        EventName = "sign_in"
	EventSignInFailed    EventName = "sign_in_failed"
	EventThrottled       EventName = "throttled"
	EventSignedUp        EventName = "sign_up"
	EventSignedOut       EventName = "sign_out"
	EventPasswordChanged EventName = "password_changed"
	EventEmailVerified   EventName = "email_verified"
	EventConsent         EventName = "consent"
	EventDenied          EventName = "consent_denied"
	EventRevoked         EventName = "revoked"
	EventReuse           EventName = "reuse_detected"
	EventSecretShown     EventName = "client_secret_shown"
	EventSecretChanged   EventName = "client_secret_changed"
	EventKeyRotated      EventName = "key_rotated"
)

// recordTimeout bounds the writing of an event, which goes on when the request ends.
const recordTimeout = 5 * time.Second

// record writes an event to the audit trail, with its time and the address of the
// request that ctx belongs to. A trail that cannot be written is an alarm in the
// log, not a reason to undo what has happened.
func (p *Provider) record(ctx context.Context, e Event) {
	e.At, e.Address = p.cfg.Clock(), callerAddress(ctx)
	p.telemetry.count(ctx, e.Name)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	err := p.cfg.Store.AppendEvent(ctx, storage.Event{
		At: e.At, Name: string(e.Name), Subject: e.UserID, ClientID: e.ClientID, Address: e.Address, Detail: e.Detail,
	})
	if err != nil {
		p.cfg.Logger.ErrorContext(ctx, "audit event could not be stored",
			slog.String("event", string(e.Name)), slog.Any("error", err))
	}
	if p.cfg.OnEvent == nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			p.cfg.Logger.ErrorContext(ctx, "OnEvent panicked", slog.Any("panic", r))
		}
	}()
	p.cfg.OnEvent(e)
}

func (p *Provider) tokenReused(ctx context.Context, g storage.Grant, kind storage.TokenKind) {
	detail := "authorization code"
	if kind == storage.RefreshToken {
		detail = "refresh token"
	}
	p.record(ctx, Event{Name: EventReuse, UserID: g.Subject, ClientID: g.ClientID, Detail: detail})
}

// EventFilter selects events. All fields that are not empty must match.
type EventFilter struct {
	Name             EventName
	UserID, ClientID string

	// Before is the ID of the last event of the page before; zero for the first
	// page.
	Before int64

	// Limit is the most events that are returned; 100 when zero.
	Limit int
}

// RecordedEvent is an event of the audit trail with the ID that the next page is
// asked for by.
type RecordedEvent struct {
	ID int64
	Event
}

// Events returns events of the audit trail, the latest first.
func (p *Provider) Events(ctx context.Context, match EventFilter) ([]RecordedEvent, error) {
	stored, err := p.cfg.Store.Events(ctx, storage.EventFilter{
		Name: string(match.Name), Subject: match.UserID, ClientID: match.ClientID, BeforeID: match.Before, Limit: match.Limit,
	})
	if err != nil {
		return nil, fmt.Errorf("provider: read events: %w", err)
	}
	events := make([]RecordedEvent, len(stored))
	for i, e := range stored {
		events[i] = RecordedEvent{e.ID, Event{
			At: e.At, Name: EventName(e.Name), UserID: e.Subject, ClientID: e.ClientID, Address: e.Address, Detail: e.Detail,
		}}
	}
	return events, nil
}

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

// The events of the audit trail. What the host records about people (SetAttributes,
// SetStatus), and who signs in at a host with users of its own, is the host's to tell.
const (
	EventSignedIn     EventName = "sign_in"        // by password, at the provider's own screens
	EventSignInFailed EventName = "sign_in_failed" // with the UserID when there is such an account
	EventSignedOut    EventName = "sign_out"       // here, on another device, or to change the account
	EventSignedUp     EventName = "sign_up"

	// EventThrottled says that an address tries something too often. While it
	// goes on, every process tells so once a minute.
	EventThrottled EventName = "throttled"

	// EventAccountCreated is of the host's doing: users sign up.
	EventAccountCreated  EventName = "account_created"
	EventAccountDisabled EventName = "account_disabled"
	EventAccountEnabled  EventName = "account_enabled"
	EventAccountDeleted  EventName = "account_deleted"
	EventEmailChanged    EventName = "email_changed"
	EventEmailVerified   EventName = "email_verified"
	EventPasswordChanged EventName = "password_changed"

	EventConsent EventName = "consent"
	EventDenied  EventName = "consent_denied"

	// EventRevoked says that tokens were ended before their time: by the user,
	// who took back what an application was allowed, by the application, or by
	// the host (RevokeIssuedBefore).
	EventRevoked EventName = "revoked"

	// EventReuse says that a code or a refresh token came a second time, as a
	// stolen one does. Its grant has been ended.
	EventReuse EventName = "reuse_detected"

	// EventClientCreated, like those that follow, is about a registration.
	EventClientCreated EventName = "client_created"
	EventClientChanged EventName = "client_changed"
	EventClientDeleted EventName = "client_deleted"
	EventSecretShown   EventName = "client_secret_shown"
	EventSecretChanged EventName = "client_secret_changed"

	// EventClientRefused says that someone named an application and did not know
	// its secret.
	EventClientRefused EventName = "client_refused"

	EventKeyRotated EventName = "key_rotated"
)

// Writing an event takes what time is left for the request, within these bounds: an
// answer is not held up for long by its trail, and a request that has used up its
// time is told of all the same.
const (
	recordAtLeast = 250 * time.Millisecond
	recordAtMost  = 2 * time.Second
)

// recording returns the context to write an event in. It does not end when the caller
// leaves: nobody keeps out of the trail by hanging up.
func recording(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := recordAtMost
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(max(time.Until(deadline), recordAtLeast), recordAtMost)
	}
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// record writes an event to the audit trail, with its time and the address of the
// request that ctx belongs to. A trail that cannot be written is an alarm in the
// log, with the event, and not a reason to undo what has happened.
func (p *Provider) record(ctx context.Context, e Event) {
	e.At, e.Address = p.cfg.Clock(), callerAddress(ctx)
	p.telemetry.count(ctx, e.Name)
	ctx, cancel := recording(ctx)
	defer cancel()
	err := p.cfg.Store.AppendEvent(ctx, storage.Event{
		At: e.At, Name: string(e.Name), Subject: e.UserID, ClientID: e.ClientID, Address: e.Address, Detail: e.Detail,
	})
	if err != nil {
		p.cfg.Logger.ErrorContext(ctx, "audit event could not be stored",
			slog.String("event", string(e.Name)), slog.String("user", e.UserID), slog.String("client", e.ClientID),
			slog.String("address", e.Address), slog.String("detail", e.Detail), slog.Any("error", err))
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
	p.record(ctx, Event{Name: EventReuse, UserID: g.Subject, ClientID: g.ClientID, Detail: tokenName[kind]})
}

func (p *Provider) tokenRevoked(ctx context.Context, g storage.Grant, kind storage.TokenKind) {
	detail := tokenName[kind] + ", by the application"
	p.record(ctx, Event{Name: EventRevoked, UserID: g.Subject, ClientID: g.ClientID, Detail: detail})
}

var tokenName = map[storage.TokenKind]string{
	storage.AuthorizationCode: "authorization code",
	storage.AccessToken:       "access token",
	storage.RefreshToken:      "refresh token",
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

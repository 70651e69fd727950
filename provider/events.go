package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/storage"
)

// Event is an entry of the audit log. It never holds a secret.
type Event struct {
	At   time.Time `json:"at"`
	Name EventName `json:"name"`

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

// EventName is the type of an event.
type EventName string

// The events of the audit log. The host itself records its changes to users
// (People.SetAttributes, People.SetStatus), and sign-ins of its own users.
const (
	// EventSignedIn means that a user has signed in at the provider's own screens, or presented
	// more factors while signed in. Its Detail names the factors, as in "password, app code".
	EventSignedIn  EventName = audit.SignedIn
	EventSignedOut EventName = audit.SignedOut // here, on another device, or to change the account
	EventSignedUp  EventName = audit.SignedUp

	// EventSignInFailed has the UserID of an existing account. Without one, every process
	// records each network once a minute.
	EventSignInFailed EventName = audit.SignInFailed

	// EventPasskeyAdded has a Detail that says where: on the account page, after a sign-in, or
	// at the sign-up.
	EventPasskeyAdded EventName = audit.PasskeyAdded

	// EventPasskeyCounter means that the signature counter of a passkey has not grown with its
	// use: a sign, and no proof, that somebody has a copy of it.
	EventPasskeyCounter EventName = audit.PasskeyCounter

	// EventThrottled means that an address tries something too often. While that lasts,
	// every process records it once a minute.
	EventThrottled EventName = audit.Throttled

	// EventAccountCreated means that the host has created an account; users sign up.
	EventAccountCreated  EventName = audit.AccountCreated
	EventAccountDisabled EventName = audit.AccountDisabled
	EventAccountEnabled  EventName = audit.AccountEnabled
	EventAccountDeleted  EventName = audit.AccountDeleted
	EventEmailChanged    EventName = audit.EmailChanged
	EventEmailVerified   EventName = audit.EmailVerified
	EventPasswordChanged EventName = audit.PasswordChanged

	// EventPasskeyRemoved and the next mean that a user has changed how to sign in: has
	// removed a passkey, connected or disconnected an account at an upstream provider (the
	// Detail names the Upstream), added or removed an authenticator app, made recovery codes in place
	// of the old ones, turned the second step on or off, removed the password, or forgotten
	// devices in which the second step was left out.
	EventPasskeyRemoved    EventName = audit.PasskeyRemoved
	EventLinkAdded         EventName = audit.LinkAdded
	EventLinkRemoved       EventName = audit.LinkRemoved
	EventTOTPAdded         EventName = audit.TOTPAdded
	EventTOTPRemoved       EventName = audit.TOTPRemoved
	EventRecoveryCodesMade EventName = audit.CodesMade
	EventSecondStepOn      EventName = audit.SecondStepOn
	EventSecondStepOff     EventName = audit.SecondStepOff
	EventPasswordRemoved   EventName = audit.PasswordRemoved
	EventDevicesForgotten  EventName = audit.DevicesForgotten

	// EventEmailReturned means that the reader of an account's former address has taken
	// back its change and set a password.
	EventEmailReturned EventName = audit.EmailReturned

	// EventRecoveryStarted means that the reader of an account's mailbox waits to get in
	// without its passkeys or app (SignIn.Recovery), EventRecoveryStopped that the wait has
	// ended for nothing: the owner has signed in with one of them, or has stopped it.
	EventRecoveryStarted EventName = audit.RecoveryStarted
	EventRecoveryStopped EventName = audit.RecoveryStopped

	// EventRecoveryApproved means that the host has ended the wait (Accounts.ApproveRecovery).
	EventRecoveryApproved EventName = audit.RecoveryApproved

	// EventRecovered means that an account has a new password and nothing beside it, by a
	// recovery code or after the wait; Detail says which.
	EventRecovered EventName = audit.Recovered

	// EventAuthenticatorsReset means that the host has removed what an account has beside its
	// password (Accounts.ResetAuthenticators).
	EventAuthenticatorsReset EventName = audit.AuthenticatorsReset

	// EventVerificationStarted means that a user was sent to one of Config.Verifiers; its
	// Detail is the name of the group.
	EventVerificationStarted EventName = audit.VerificationStarted

	// EventVerificationEnded means that a case of package verification has ended; its
	// Detail is the name of the group and the state. EventStatusEnded means that a
	// membership that it recorded has ended before its time; Detail is the group.
	EventVerificationEnded EventName = audit.VerificationEnded
	EventStatusEnded       EventName = audit.StatusEnded

	// EventRosterStaged means that a list of members was checked, EventRosterImported that one
	// was replaced, or put back, EventCodesIssued that invitation codes were made or released, and
	// EventCodesEnded that those of a batch were ended; Detail is the roster or the group, and
	// Matter the roster or the batch.
	// EventRosterCanary means that a user has entered a row of a roster that is nobody's:
	// the list is known elsewhere, or is being guessed.
	EventRosterStaged   EventName = audit.RosterStaged
	EventRosterImported EventName = audit.RosterImported
	EventRosterCanary   EventName = audit.RosterCanary
	EventCodesIssued    EventName = audit.CodesIssued
	EventCodesEnded     EventName = audit.CodesEnded

	// EventEvidenceHeld means that the evidence of a user's case is kept longer, or no
	// longer; Detail is the group.
	EventEvidenceHeld EventName = audit.EvidenceHeld

	// EventAttributesChanged and EventStatusChanged mean that somebody who is named (By) has
	// changed the data of a user, or a status; Detail has the handles, or the group.
	EventAttributesChanged EventName = audit.AttributesChanged
	EventStatusChanged     EventName = audit.StatusChanged

	// EventDeletionRequested means that a user has requested the deletion of the account
	// after Lifetimes.DeletionGrace, EventDeletionWithdrawn that the user has withdrawn the
	// request.
	EventDeletionRequested EventName = audit.DeletionRequested
	EventDeletionWithdrawn EventName = audit.DeletionWithdrawn

	// EventDataExported means that a user has downloaded a copy of their data.
	EventDataExported EventName = audit.DataExported

	EventConsent EventName = audit.Consent
	EventDenied  EventName = audit.Denied

	// EventDeviceAllowed means that a user has allowed an application on a device (RFC 8628),
	// EventDeviceReported that a user has reported a request of one that somebody else had
	// started. A plain refusal is EventDenied.
	EventDeviceAllowed  EventName = audit.DeviceAllowed
	EventDeviceReported EventName = audit.DeviceReported

	// EventExchanged means that an API, whose ClientID it has, has exchanged a user's access token
	// for one for another API; Detail is the URI of that, and the application that the user has
	// allowed both. Every process records the same once a day.
	EventExchanged EventName = audit.Exchanged

	// EventRevoked means that tokens were revoked: by the user, who withdrew consent from
	// an application, by the application, or by the host (People.RevokeIssuedBefore).
	EventRevoked EventName = audit.Revoked

	// EventReuse means that a code or a refresh token was used twice, as a stolen one is.
	// Its grant is revoked.
	EventReuse EventName = audit.Reuse

	// EventClientCreated and the next are about registrations.
	EventClientCreated EventName = audit.ClientCreated
	EventClientChanged EventName = audit.ClientChanged
	EventClientDeleted EventName = audit.ClientDeleted
	EventSecretShown   EventName = audit.SecretShown
	EventSecretChanged EventName = audit.SecretChanged

	// EventClientRefused means that a client authenticated with a wrong secret, once a
	// minute for each network.
	EventClientRefused EventName = audit.ClientRefused

	// EventDocumentRefused means that the metadata document of a client that nobody has
	// registered was not accepted (Config.UnknownClients); Detail is its host and the reason,
	// once a minute for each network.
	EventDocumentRefused EventName = audit.DocumentRefused

	EventKeyRotated EventName = audit.KeyRotated

	// EventKeysRevoked means that the host has revoked all signing keys, and a new one
	// signs (Keys.Revoke).
	EventKeysRevoked EventName = audit.KeysRevoked
)

// The events of the staff of the host, at the desk and beside it (By). All have an Actor.
const (
	// EventMatterOpened and the next two mean that somebody had a reason to look at a user,
	// that the matter was closed, and that the user may read of it.
	EventMatterOpened   EventName = audit.MatterOpened
	EventMatterClosed   EventName = audit.MatterClosed
	EventMatterReleased EventName = audit.MatterReleased

	// EventSupportLooked means that a part of a user's data was shown, once for each matter
	// and part; Detail is the part. EventValueShown means that one value was shown that is
	// masked otherwise; Detail is its handle.
	EventSupportLooked EventName = audit.SupportLooked
	EventValueShown    EventName = audit.ValueShown

	// EventCallerProved means that a caller has read out a code; Detail is what it proves.
	EventCallerProved EventName = audit.CallerProved

	// EventPersonFound and EventPersonNotFound mean that a user was looked for; only the
	// first names one.
	EventPersonFound    EventName = audit.PersonFound
	EventPersonNotFound EventName = audit.PersonNotFound

	// EventDeskRefused means that a member of the staff has tried what they may not; Detail
	// is the action.
	EventDeskRefused EventName = audit.DeskRefused

	// EventResetSent means that a user was sent the mail that leads to a new password,
	// EventExportSent the one that leads to the download of the user's data, and
	// EventSessionEnded that one session of a user was ended.
	EventResetSent    EventName = audit.ResetSent
	EventExportSent   EventName = audit.ExportSent
	EventSessionEnded EventName = audit.SessionEnded

	// EventCallerCodeMade means that somebody who is signed in was shown a code to read out,
	// or got one in the mailbox; Detail is session or mailbox.
	EventCallerCodeMade EventName = audit.CallerCodeMade

	// EventPlanProposed and the next are about plans, which another approves, and
	// EventBreakMade and EventBreakSignedOff about what one did alone; Detail is the action.
	EventPlanProposed   EventName = audit.PlanProposed
	EventPlanApproved   EventName = audit.PlanApproved
	EventPlanRefused    EventName = audit.PlanRefused
	EventPlanStopped    EventName = audit.PlanStopped
	EventPlanDone       EventName = audit.PlanDone
	EventBreakMade      EventName = audit.BreakMade
	EventBreakSignedOff EventName = audit.BreakSignedOff

	// EventCaseTaken and the next are about cases of package verification, whose ID is the
	// Matter: a reviewer has taken one, given it back, decided, or taken back the decision, or has
	// opened a file. Detail is the group and, of a decision, its kind; of a file it is its ID. A
	// file has one line a day for each case and reviewer.
	EventCaseTaken      EventName = audit.CaseTaken
	EventCaseReturned   EventName = audit.CaseReturned
	EventCaseDecided    EventName = audit.CaseDecided
	EventDecisionUndone EventName = audit.DecisionUndone
	EventEvidenceOpened EventName = audit.EvidenceOpened

	// EventStaffLooked means that somebody of the staff was shown what is about users elsewhere
	// than in a matter about one: in a case, a plan, a list, the audit log itself; once a day for
	// each of them. Detail is what was looked at, Matter the case or the plan.
	EventStaffLooked EventName = audit.StaffLooked

	// EventReviewApproved and EventReviewRefused mean that an operator has decided about an
	// application, or changes of it, that waited; Detail is the environment. EventOwnerWithdrawn
	// means that the invitation of an EventOwnerAppointed was withdrawn; Detail is the organization.
	EventReviewApproved EventName = audit.ReviewApproved
	EventReviewRefused  EventName = audit.ReviewRefused
	EventOwnerWithdrawn EventName = audit.OwnerWithdrawn

	// EventClientStopped and the next are about applications (Clients.SetDisabled records the
	// first two), and the organizations that answer for them.
	EventClientStopped           EventName = audit.ClientStopped
	EventClientStarted           EventName = audit.ClientStarted
	EventClientMoved             EventName = audit.ClientMoved
	EventHostDenied              EventName = audit.HostDenied // its Detail is the host, as that of the next
	EventHostAllowed             EventName = audit.HostAllowed
	EventScopesTaken             EventName = audit.ScopesTaken
	EventOwnerAppointed          EventName = audit.OwnerAppointed
	EventOrganizationSuspended   EventName = audit.OrganizationSuspended
	EventOrganizationReactivated EventName = audit.OrganizationReactivated

	// EventTrailExported means that somebody has downloaded a part of the audit log.
	EventTrailExported EventName = audit.TrailExported
)

// The events of the audit log about itself.
const (
	// EventEventsRemoved means that events older than Config.KeepEvents were removed; Detail
	// has the moment before which they are from.
	EventEventsRemoved EventName = audit.EventsRemoved

	// EventTrailVerified means that the audit log was found to be what was sealed
	// (Trail.Verify), EventTrailBroken that it was not; Detail has the first block and line
	// that differ.
	EventTrailVerified EventName = audit.TrailVerified
	EventTrailBroken   EventName = audit.TrailBroken
)

// EventNames returns the names of all events of this module, in order: those that a host
// records itself (Events.Record) are not among them.
func EventNames() []EventName {
	names := audit.Names()
	all := make([]EventName, len(names))
	for i, name := range names {
		all[i] = EventName(name)
	}
	return all
}

// asEvent converts an event to its public form.
func asEvent(e storage.Event) Event {
	return Event{
		At: e.At, Name: EventName(e.Name), UserID: e.Subject, ClientID: e.ClientID, Address: e.Address, Detail: e.Detail,
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
	return p.audit.Step(ctx, revoke, storage.Event{Name: audit.Reuse, Subject: issue.UserOf(g), ClientID: g.ClientID, Detail: tokenName[kind]})
}

// revoke ends what an application has revoked, and records it if it was not over.
func (p Events) revoke(ctx context.Context, g storage.Grant, kind storage.TokenKind, end func(context.Context) (bool, error)) error {
	detail := tokenName[kind] + ", by the application"
	_, err := audit.StepIf(ctx, p.audit, end, storage.Event{Name: audit.Revoked, Subject: issue.UserOf(g), ClientID: g.ClientID, Detail: detail})
	return err
}

// exchange makes the write by which an API exchanges a user's token, and records it.
func (p Events) exchange(ctx context.Context, g storage.Grant, clientID, resource string, write func(context.Context) error) error {
	return p.audit.StepOnce(ctx, write, storage.Event{
		Name: audit.Exchanged, Subject: issue.UserOf(g), ClientID: clientID, Detail: resource + ", for " + g.ClientID,
	})
}

var tokenName = map[storage.TokenKind]string{
	storage.AuthorizationCode: "authorization code",
	storage.AccessToken:       "access token",
	storage.RefreshToken:      "refresh token",
}

// Record adds an event of the host's own, or of a handler beside the provider, with the
// present time and the network of the request that ctx belongs to. Name is 1 to 64 of a-z,
// 0-9 and _; Detail is a fixed phrase, and neither holds personal data. At, Address, Actor and
// Matter are ignored: By says who acts.
func (p Events) Record(ctx context.Context, e Event) {
	p.audit.Record(ctx, e.record())
}

// EventFilter selects events. All fields that are set must match.
type EventFilter struct {
	Name             EventName
	UserID, ClientID string

	// Actor and Matter are as in the Event.
	Actor, Matter string

	// Names selects events with one of these names.
	Names []EventName

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
	names := make([]string, len(match.Names))
	for i, name := range match.Names {
		names[i] = string(name)
	}
	stored, err := p.store.Events(ctx, storage.EventFilter{
		Actor: match.Actor, Matter: match.Matter, Names: names, Address: match.Network,
		Name: string(match.Name), Subject: match.UserID, ClientID: match.ClientID,
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

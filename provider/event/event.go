// Package event has the names of the events of the audit log: what provider.Event.Name and
// provider.EventFilter compare with. Hosts add names of their own (provider.Events.Record).
package event

// The events of the audit log. The host itself records sign-ins of its own users.
const (
	// SignedIn means that a user has signed in at the provider's own screens, or presented
	// more factors while signed in. Its Detail names the factors, as in "password, app code".
	SignedIn  = "sign_in"
	SignedOut = "sign_out" // here, on another device, or to change the account
	SignedUp  = "sign_up"

	// SignInFailed has the UserID of an existing account. Without one, every process
	// records each network once a minute.
	SignInFailed = "sign_in_failed"

	// PasskeyAdded has a Detail that says where: on the account page, after a sign-in, or
	// at the sign-up.
	PasskeyAdded = "passkey_added"

	// PasskeyCounter means that the signature counter of a passkey has not grown with its
	// use: a sign, and no proof, that somebody has a copy of it.
	PasskeyCounter = "passkey_counter"

	// Throttled means that an address tries something too often. While that lasts,
	// every process records it once a minute.
	Throttled = "throttled"

	// AccountCreated means that the host has created an account; users sign up.
	AccountCreated  = "account_created"
	AccountDisabled = "account_disabled"
	AccountEnabled  = "account_enabled"
	AccountDeleted  = "account_deleted"
	EmailChanged    = "email_changed"
	EmailVerified   = "email_verified"
	PasswordChanged = "password_changed"

	// PasskeyRemoved and the next mean that a user has changed how to sign in: has
	// removed a passkey, connected or disconnected an account at an upstream provider (the
	// Detail names the Upstream), added or removed an authenticator app, made recovery codes in place
	// of the old ones, turned the second step on or off, removed the password, or forgotten
	// devices in which the second step was left out.
	PasskeyRemoved    = "passkey_removed"
	LinkAdded         = "link_added"
	LinkRemoved       = "link_removed"
	TOTPAdded         = "totp_added"
	TOTPRemoved       = "totp_removed"
	RecoveryCodesMade = "recovery_codes_made"
	SecondStepOn      = "second_step_on"
	SecondStepOff     = "second_step_off"
	PasswordRemoved   = "password_removed"
	DevicesForgotten  = "devices_forgotten"

	// EmailReturned means that the reader of an account's former address has taken
	// back its change and set a password.
	EmailReturned = "email_returned"

	// RecoveryStarted means that the reader of an account's mailbox waits to get in
	// without its passkeys or app (SignIn.Recovery), RecoveryStopped that the wait has
	// ended for nothing: the owner has signed in with one of them, or has stopped it.
	RecoveryStarted = "recovery_started"
	RecoveryStopped = "recovery_stopped"

	// RecoveryApproved means that the host has ended the wait (Accounts.ApproveRecovery).
	RecoveryApproved = "recovery_approved"

	// Recovered means that an account has a new password and nothing beside it, by a
	// recovery code or after the wait; Detail says which.
	Recovered = "recovered"

	// AuthenticatorsReset means that the host has removed what an account has beside its
	// password (Accounts.ResetAuthenticators).
	AuthenticatorsReset = "authenticators_reset"

	// VerificationStarted means that a user was sent to one of Config.Verifiers; its
	// Detail is the name of the group.
	VerificationStarted = "verification_started"

	// VerificationEnded means that a case of package verification has ended; its
	// Detail is the name of the group and the state. StatusEnded means that a
	// membership has ended, by its time or before; Detail is the group.
	VerificationEnded = "verification_ended"
	StatusEnded       = "status_ended"

	// RosterStaged means that a list of members was checked, RosterImported that one
	// was replaced, or put back, CodesIssued that invitation codes were made or released, and
	// CodesEnded that those of a batch were ended; Detail is the roster or the group, and
	// Matter the roster or the batch.
	// RosterCanary means that a user has entered a row of a roster that is nobody's:
	// the list is known elsewhere, or is being guessed.
	RosterStaged   = "roster_staged"
	RosterImported = "roster_imported"
	RosterCanary   = "roster_canary"
	CodesIssued    = "codes_issued"
	CodesEnded     = "codes_ended"

	// EvidenceHeld means that the evidence of a user's case is kept longer, or no
	// longer; Detail is the group.
	EvidenceHeld = "evidence_held"

	// AttributesChanged and StatusChanged mean that the data of a user, or a status, has
	// changed: by the host, somebody who is named (By), an upstream or verification. Detail has
	// the handles, or the group.
	AttributesChanged = "attributes_changed"
	StatusChanged     = "status_changed"

	// DeletionRequested means that a user has requested the deletion of the account
	// after Lifetimes.DeletionGrace, DeletionWithdrawn that the user has withdrawn the
	// request.
	DeletionRequested = "deletion_requested"
	DeletionWithdrawn = "deletion_withdrawn"

	// DataExported means that a user has downloaded a copy of their data.
	DataExported = "data_exported"

	Consent = "consent"
	Denied  = "consent_denied"

	// DeviceAllowed means that a user has allowed an application on a device (RFC 8628),
	// DeviceReported that a user has reported a request of one that somebody else had
	// started. A plain refusal is Denied.
	DeviceAllowed  = "device_allowed"
	DeviceReported = "device_reported"

	// Exchanged means that an API, whose ClientID it has, has exchanged a user's access token
	// for one for another API; Detail is the URI of that, and the application that the user has
	// allowed both. Every process records the same once a day.
	Exchanged = "token_exchanged"

	// Revoked means that tokens were revoked: by the user, who withdrew consent from
	// an application, by the application, or by the host (People.RevokeIssuedBefore, which
	// records one more for each user).
	Revoked = "revoked"

	// Reuse means that a code or a refresh token was used twice, as a stolen one is.
	// Its grant is revoked.
	Reuse = "reuse_detected"

	// ClientCreated and the next are about registrations.
	ClientCreated = "client_created"
	ClientChanged = "client_changed"
	ClientDeleted = "client_deleted"
	SecretShown   = "client_secret_shown"
	SecretChanged = "client_secret_changed"

	// ClientRefused means that a client authenticated with a wrong secret, once a
	// minute for each network.
	ClientRefused = "client_refused"

	// DocumentRefused means that the metadata document of a client that nobody has
	// registered was not accepted (Config.UnknownClients); Detail is its host and the reason,
	// once a minute for each network.
	DocumentRefused = "document_refused"

	// ReceiverChanged means that who is told of changes (Config.Signals) was added, changed or
	// removed, or a message sent once more; Detail says which.
	ReceiverChanged = "receiver_changed"

	// CredentialIssued means that a user has put a verified membership into a wallet, whose
	// ClientID it has; Detail is the group. CredentialEnded means that it has ended before its
	// time; Detail is the group and why: owner, wallet, staff, status, grant or account.
	CredentialIssued = "credential_issued"
	CredentialEnded  = "credential_ended"

	// KeyRotated means that a next key was made: a signing key, by Run or by Keys.Rotate, or a
	// data key (Keys.RotateData). Detail says which.
	KeyRotated = "key_rotated"

	// KeysRevoked means that the host has revoked all signing keys, and a new one
	// signs (Keys.Revoke).
	KeysRevoked = "keys_revoked"
)

// The events of the staff of the host, at the desk and beside it (By). All have an Actor.
const (
	// MatterOpened and the next two mean that somebody had a reason to look at a user,
	// that the matter was closed, and that the user may read of it.
	MatterOpened   = "matter_opened"
	MatterClosed   = "matter_closed"
	MatterReleased = "matter_released"

	// SupportLooked means that a part of a user's data was shown, once for each matter
	// and part; Detail is the part. ValueShown means that one value was shown that is
	// masked otherwise; Detail is its handle.
	SupportLooked = "support_looked"
	ValueShown    = "value_shown"

	// CallerProved means that a caller has read out a code; Detail is what it proves.
	CallerProved = "caller_proved"

	// PersonFound and PersonNotFound mean that a user was looked for; only the
	// first names one.
	PersonFound    = "person_found"
	PersonNotFound = "person_not_found"

	// DeskRefused means that a member of the staff has tried what they may not; Detail
	// is the action.
	DeskRefused = "desk_refused"

	// ResetSent means that a user was sent the mail that leads to a new password,
	// ExportSent the one that leads to the download of the user's data, and
	// SessionEnded that one session of a user was ended.
	ResetSent    = "reset_sent"
	ExportSent   = "export_sent"
	SessionEnded = "session_ended"

	// CallerCodeMade means that somebody who is signed in was shown a code to read out,
	// or got one in the mailbox; Detail is session or mailbox.
	CallerCodeMade = "caller_code_made"

	// PlanProposed and the next are about plans, which another approves, and
	// BreakMade and BreakSignedOff about what one did alone; Detail is the action.
	PlanProposed   = "plan_proposed"
	PlanApproved   = "plan_approved"
	PlanRefused    = "plan_refused"
	PlanStopped    = "plan_stopped"
	PlanDone       = "plan_done"
	BreakMade      = "break_made"
	BreakSignedOff = "break_signed_off"

	// CaseTaken and the next are about cases of package verification, whose ID is the
	// Matter: a reviewer has taken one, given it back, decided, or taken back the decision, or has
	// opened a file. Detail is the group and, of a decision, its kind; of a file it is its ID. A
	// file has one line a day for each case and reviewer.
	CaseTaken      = "case_taken"
	CaseReturned   = "case_returned"
	CaseDecided    = "case_decided"
	DecisionUndone = "decision_undone"
	EvidenceOpened = "evidence_opened"

	// StaffLooked means that somebody of the staff was shown what is about users elsewhere
	// than in a matter about one: in a case, a plan, a list, the audit log itself; once a day for
	// each of them. Detail is what was looked at, Matter the case or the plan.
	StaffLooked = "staff_looked"

	// ReviewApproved and ReviewRefused mean that an operator has decided about an
	// application, or changes of it, that waited; Detail is the environment. OwnerWithdrawn
	// means that the invitation of an OwnerAppointed was withdrawn; Detail is the organization.
	ReviewApproved = "review_approved"
	ReviewRefused  = "review_refused"
	OwnerWithdrawn = "owner_withdrawn"

	// ClientStopped and the next are about applications (Clients.SetDisabled records the
	// first two), and the organizations that answer for them.
	ClientStopped           = "client_stopped"
	ClientStarted           = "client_started"
	ClientMoved             = "client_moved"
	HostDenied              = "host_denied" // its Detail is the host, as that of the next
	HostAllowed             = "host_allowed"
	ScopesTaken             = "scopes_taken"
	OwnerAppointed          = "owner_appointed"
	OrganizationSuspended   = "organization_suspended"
	OrganizationReactivated = "organization_reactivated"

	// TrailExported means that somebody has downloaded a part of the audit log.
	TrailExported = "trail_exported"
)

// The events of the audit log about itself.
const (
	// EventsRemoved means that events older than Config.KeepEvents were removed; Detail
	// has the moment before which they are from.
	EventsRemoved = "events_removed"

	// TrailVerified means that the audit log was found to be what was sealed
	// (Trail.Verify), TrailBroken that it was not; Detail has the first block and line
	// that differ.
	TrailVerified = "trail_verified"
	TrailBroken   = "trail_broken"
)

// Names returns the names of all events of this module, in order: those that a host
// records itself are not among them.
func Names() []string {
	return []string{
		AccountCreated, AccountDeleted, AccountDisabled, AccountEnabled, AttributesChanged, AuthenticatorsReset,
		BreakMade, BreakSignedOff, CallerCodeMade, CallerProved, CaseDecided, CaseReturned, CaseTaken,
		ClientChanged, ClientCreated, ClientDeleted, ClientMoved, ClientRefused, SecretChanged, SecretShown,
		ClientStarted, ClientStopped, CodesEnded, CodesIssued, Consent, Denied, CredentialEnded, CredentialIssued, DataExported, DecisionUndone,
		DeletionRequested, DeletionWithdrawn, DeskRefused, DeviceAllowed, DeviceReported, DevicesForgotten,
		DocumentRefused, EmailChanged, EmailReturned, EmailVerified, EventsRemoved, EvidenceHeld, EvidenceOpened,
		ExportSent, HostAllowed, HostDenied, KeyRotated, KeysRevoked, LinkAdded, LinkRemoved, MatterClosed,
		MatterOpened, MatterReleased, OrganizationReactivated, OrganizationSuspended, OwnerAppointed,
		OwnerWithdrawn, PasskeyAdded, PasskeyCounter, PasskeyRemoved, PasswordChanged, PasswordRemoved, PersonFound,
		PersonNotFound, PlanApproved, PlanDone, PlanProposed, PlanRefused, PlanStopped, ReceiverChanged, Recovered, RecoveryApproved,
		RecoveryCodesMade, RecoveryStarted, RecoveryStopped, ResetSent, Reuse, ReviewApproved, ReviewRefused,
		Revoked, RosterCanary, RosterImported, RosterStaged, ScopesTaken, SecondStepOff, SecondStepOn, SessionEnded,
		SignedIn, SignInFailed, SignedOut, SignedUp, StaffLooked, StatusChanged, StatusEnded, SupportLooked,
		Throttled, Exchanged, TOTPAdded, TOTPRemoved, TrailBroken, TrailExported, TrailVerified, ValueShown,
		VerificationEnded, VerificationStarted,
	}
}

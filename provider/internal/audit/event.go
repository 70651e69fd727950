package audit

// The names of events. Package provider documents them.
const (
	SignedIn     = "sign_in"
	SignedOut    = "sign_out"
	SignedUp     = "sign_up"
	SignInFailed = "sign_in_failed"
	Throttled    = "throttled"

	PasskeyAdded   = "passkey_added"
	PasskeyCounter = "passkey_counter"

	AccountCreated  = "account_created"
	AccountDisabled = "account_disabled"
	AccountEnabled  = "account_enabled"
	AccountDeleted  = "account_deleted"
	EmailChanged    = "email_changed"
	EmailReturned   = "email_returned"
	EmailVerified   = "email_verified"
	PasswordChanged = "password_changed"
	PasswordRemoved = "password_removed"

	PasskeyRemoved   = "passkey_removed"
	LinkAdded        = "link_added"
	LinkRemoved      = "link_removed"
	TOTPAdded        = "totp_added"
	TOTPRemoved      = "totp_removed"
	CodesMade        = "recovery_codes_made"
	SecondStepOn     = "second_step_on"
	SecondStepOff    = "second_step_off"
	DevicesForgotten = "devices_forgotten"

	RecoveryStarted     = "recovery_started"
	RecoveryStopped     = "recovery_stopped"
	RecoveryApproved    = "recovery_approved"
	Recovered           = "recovered"
	AuthenticatorsReset = "authenticators_reset"

	VerificationStarted = "verification_started"
	VerificationEnded   = "verification_ended"
	StatusEnded         = "status_ended"
	RosterImported      = "roster_imported"
	RosterCanary        = "roster_canary"
	RosterStaged        = "roster_staged"
	CodesIssued         = "codes_issued"
	CodesEnded          = "codes_ended"
	EvidenceHeld        = "evidence_held"
	AttributesChanged   = "attributes_changed"
	StatusChanged       = "status_changed"
	DeletionRequested   = "deletion_requested"
	DeletionWithdrawn   = "deletion_withdrawn"
	DataExported        = "data_exported"

	Consent = "consent"
	Denied  = "consent_denied"

	DeviceAllowed  = "device_allowed"
	DeviceReported = "device_reported"

	Exchanged = "token_exchanged"

	Revoked = "revoked"
	Reuse   = "reuse_detected"

	ClientCreated = "client_created"
	ClientChanged = "client_changed"
	ClientDeleted = "client_deleted"
	SecretShown   = "client_secret_shown"
	SecretChanged = "client_secret_changed"
	ClientRefused = "client_refused"

	DocumentRefused = "document_refused"

	KeyRotated  = "key_rotated"
	KeysRevoked = "keys_revoked"
)

// The names of what the staff of the host does.
const (
	MatterOpened   = "matter_opened"
	MatterClosed   = "matter_closed"
	MatterReleased = "matter_released"
	SupportLooked  = "support_looked"
	ValueShown     = "value_shown"
	CallerProved   = "caller_proved"
	PersonFound    = "person_found"
	PersonNotFound = "person_not_found"
	DeskRefused    = "desk_refused"

	CallerCodeMade = "caller_code_made"
	ResetSent      = "reset_sent"
	ExportSent     = "export_sent"
	SessionEnded   = "session_ended"

	PlanProposed   = "plan_proposed"
	PlanApproved   = "plan_approved"
	PlanRefused    = "plan_refused"
	PlanStopped    = "plan_stopped"
	PlanDone       = "plan_done"
	BreakMade      = "break_made"
	BreakSignedOff = "break_signed_off"

	CaseTaken      = "case_taken"
	CaseReturned   = "case_returned"
	CaseDecided    = "case_decided"
	DecisionUndone = "decision_undone"
	EvidenceOpened = "evidence_opened"
	StaffLooked    = "staff_looked"

	ReviewApproved = "review_approved"
	ReviewRefused  = "review_refused"
	OwnerWithdrawn = "owner_withdrawn"

	ClientStopped           = "client_stopped"
	ClientStarted           = "client_started"
	ClientMoved             = "client_moved"
	HostDenied              = "host_denied"
	HostAllowed             = "host_allowed"
	ScopesTaken             = "scopes_taken"
	OwnerAppointed          = "owner_appointed"
	OrganizationSuspended   = "organization_suspended"
	OrganizationReactivated = "organization_reactivated"

	TrailExported = "trail_exported"
	EventsRemoved = "events_removed"
	TrailVerified = "trail_verified"
	TrailBroken   = "trail_broken"
)

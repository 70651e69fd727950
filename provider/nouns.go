package provider

import (
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// Each noun is a pointer to the internals of its provider. It costs no allocation, may be
// kept and copied, and lives as long as the provider.

// Accounts are the embedded accounts: Save, Get, GetByEmail, List, SetDisabled and Delete.
// Authenticators returns what one has beside its password, ResetAuthenticators removes it, and
// StartRecovery and ApproveRecovery begin and end the wait of an owner who has lost it.
// SendReset, SendCallerCode, AnnounceEmail and ChangeEmail are for the host's staff, and so are
// ScheduleDeletion, KeepAccount and Duties.
type Accounts struct{ *rooms }

// Accounts returns the embedded accounts. A host with its own users has none, and uses
// Accounts.Delete to remove a user's data.
func (p *Provider) Accounts() Accounts { return Accounts{&p.rooms} }

// Clients are the registered applications: Save, Get, List, Listed, OfHost, SetDisabled, TakeScopes, Delete, Deleting
// and Validate. Pinned says what a profile makes of a registration, TryDocument what becomes of the
// document of a client that nobody has registered. Secret, ListSecrets, RotateSecret and EndSecret are for their secrets,
// ValidateRedirectURI and ValidateOrigin for single addresses of a registration. Bearer is
// for an API of the host's, to which they present an access token of their own. RegisterWith has
// a Registrar decide about what programs register, RevokeRegistrationToken takes a registration
// from its program.
type Clients struct{ *rooms }

// Clients returns the registered applications.
func (p *Provider) Clients() Clients { return Clients{&p.rooms} }

// Events are the audit log (List and Record, and Config.OnEvent as it grows) and the
// activity of applications (WatchActivity). Write records an act that is nothing but its event,
// and WriteWith events in the step of a change by a handler beside the provider.
type Events struct{ *rooms }

// Events returns the audit log and the activity of applications.
func (p *Provider) Events() Events { return Events{&p.rooms} }

// Hosts are those of applications that nobody has registered (Config.UnknownClients): List, Get,
// ListClients, and Client for one of these. Deny keeps those of a host out, if it CanDeny, Allow lets
// them in again. Off tells whether any are let in.
type Hosts struct{ *rooms }

// Hosts returns the hosts of applications that nobody has registered.
func (p *Provider) Hosts() Hosts { return Hosts{&p.rooms} }

// Keys are the signing keys (List, Rotate and Revoke) and Config.Secret, with which Seal, Open
// and Pseudonym protect the host's own values.
type Keys struct{ *rooms }

// Keys returns the signing keys and the secret.
func (p *Provider) Keys() Keys { return Keys{&p.rooms} }

// Pages are helpers for the host's own pages. Screen serves a page in the provider's frame,
// Upload one that receives files, Program one for programs, Allow limits its posts, ScopeWords, GroupWords and
// ButtonScript give it content, and SignedIn returns its user. LinkErrors links error pages to
// it, LinkVerification the account page to the pages of a Verifier. IsReturnTo is for the
// host's sign-in page, VerificationReturn for a Verifier's, BrandPreview for its operators.
// DressMail is for mails, AddAudience for screens of a package such as ui/developer, and
// WellKnown for the root of the host. ScreensAt serves screens at another host, and Files what
// they load there; those of Patient have more time.
type Pages struct {
	*rooms
	elsewhere *web.Server // of ScreensAt; nil at the base URL
	patience  time.Duration
}

// Pages returns helpers for the host's own pages.
func (p *Provider) Pages() Pages { return Pages{rooms: &p.rooms} }

// People are the users, with embedded accounts or of the host. Get reads a user's data, and
// Statuses what is released of it about groups; SetAttributes, SetStatus and DeleteStatus
// change it. Find and Value find and show them, EndSession, RevokeConsent, SendExport, ProveCaller and Tell are for the host's
// staff, Revision and AtRevision for acts that must not meet a user who has changed.
// VerifiedEmail, View and Locale are for the host's pages and mails. SignedIn asks for a session, EndSessions,
// Revoke and RevokeIssuedBefore end sessions and tokens. KeepWith registers a Companion,
// which forgets deleted users; Seal, Open, Digest, SealReason, Refresh and CertainTime are for one that
// keeps its own records in the store.
type People struct{ *rooms }

// People returns the users.
func (p *Provider) People() People { return People{&p.rooms} }

// Trail is the audit log as it is sealed: in blocks whose lines nobody can change unseen.
// Checkpoint is the signed head of them all, Open reads one, VerifierKey is its public key, and
// AnchorWith takes it elsewhere. Verify compares the log with what was sealed, State tells when
// that was done. Blocks, and OpenEvents for what is in none, give numbers by day.
type Trail struct{ *rooms }

// Trail returns the seals of the audit log.
func (p *Provider) Trail() Trail { return Trail{&p.rooms} }

// Sandbox is for a provider with Config.Sandbox: Elapse moves its clock, and CheckPersonas
// checks the answers of Testing.Personas.
type Sandbox struct{ *rooms }

// Sandbox returns the operations of a sandbox.
func (p *Provider) Sandbox() Sandbox { return Sandbox{&p.rooms} }

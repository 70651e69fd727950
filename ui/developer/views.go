package developer

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// Page is what every page of the dashboard shows around its own content.
type Page struct {
	ui.Page

	// Within is what is around the page where another room shows it; nil for the dashboard.
	Within *ui.Wide

	// HomeURL is the list of organizations, DocsURL the documentation.
	HomeURL, DocsURL string

	// Account is who is signed in; AccountURL leads to the account. Empty for a page
	// that is open to all.
	Account    ui.Account
	AccountURL string

	// Trail leads from the home of the dashboard to this page, which is not in it.
	Trail []Link

	// Environment is the one that is shown; empty on pages that belong to neither. The
	// URLs lead to the same in each; one that is empty is not there.
	Environment               Environment
	SandboxURL, ProductionURL string

	// Sections are the pages beside this one.
	Sections []SectionLink

	// Notice is what has just happened.
	Notice Notice

	// ConfirmURL is where the user confirms who is there, before what was entered is
	// accepted; empty when there is no need.
	ConfirmURL string

	// Suspension is that of the organization; nil when there is none.
	Suspension *Suspension

	// WaitingURL leads to what waits for an operator of the application; empty when nothing
	// does.
	WaitingURL string
}

// Suspension is since when an organization is suspended, and why.
type Suspension struct {
	Since  time.Time
	Reason string
}

// Environment is where an application lives.
type Environment string

// The environments.
const (
	Sandbox    Environment = "sandbox"
	Production Environment = "production"
)

// Link leads to another page of the dashboard, by the name that somebody gave to
// what it is about.
type Link struct{ Label, URL string }

// SectionLink leads to a page beside this one.
type SectionLink struct {
	Section Section
	URL     string
	// Current marks the page that is shown.
	Current bool
}

// Section is a page of an organization or of an application.
type Section string

// The sections, those of an organization first.
const (
	SectionApplications Section = "applications"
	SectionMembers      Section = "members"
	SectionPersonas     Section = "personas"
	SectionInbox        Section = "inbox"
	SectionClock        Section = "clock"
	SectionActivity     Section = "activity"
	SectionOrganization Section = "organization"

	SectionOverview Section = "overview"
	SectionSettings Section = "settings"
	SectionSecrets  Section = "secrets"
	SectionBranding Section = "branding"
	SectionSamples  Section = "samples"
	SectionTry      Section = "try"
	SectionLog      Section = "log"
	SectionNumbers  Section = "numbers"
	SectionWebhooks Section = "webhooks"
	SectionFaults   Section = "faults"
	SectionAccess   Section = "access"
)

// Notice says what has just happened on the dashboard.
type Notice string

// The notices of the dashboard.
const (
	NoticeSaved        Notice = "saved"
	NoticeInvited      Notice = "invited"
	NoticeWithdrawn    Notice = "withdrawn"
	NoticeRoleChanged  Notice = "role_changed"
	NoticeMemberGone   Notice = "member_gone"
	NoticeJoined       Notice = "joined"
	NoticeDeleted      Notice = "deleted"
	NoticeSomebodyElse Notice = "somebody_else"

	NoticeRegistered  Notice = "registered"
	NoticeCopied      Notice = "application_copied"
	NoticeEnabled     Notice = "enabled"
	NoticeDisabled    Notice = "disabled"
	NoticeSecretEnded Notice = "secret_ended"
	// NoticeTokenRevoked is for a token with which programs register, or manage what they have
	// registered.
	NoticeTokenRevoked Notice = "token_revoked"
	// NoticeSecretsGone and NoticeSecretMade are for an application that signs with
	// a key of its own from now on, and for one that does so no more.
	NoticeSecretsGone Notice = "secrets_gone"
	NoticeSecretMade  Notice = "secret_made"
	NoticeConfirmed   Notice = "confirmed"

	NoticeAsked            Notice = "asked"
	NoticeRequestWithdrawn Notice = "request_withdrawn"
	NoticeApproved         Notice = "approved"
	NoticeRefused          Notice = "refused"
	NoticeStopped          Notice = "stopped"
	NoticeStarted          Notice = "started"
	// NoticeChangesWait and NoticeChangesApproved are for what people see of an
	// application that is in production.
	NoticeChangesWait     Notice = "changes_wait"
	NoticeChangesApproved Notice = "changes_approved"

	// NoticeSuspended and NoticeReactivated are for an organization, and
	// NoticeNothingWhileSuspended for a form that was not accepted.
	NoticeSuspended             Notice = "organization_suspended"
	NoticeReactivated           Notice = "organization_reactivated"
	NoticeNothingWhileSuspended Notice = "nothing_while_suspended"
	NoticeBeingDeleted          Notice = "being_deleted"

	NoticeDraftSaved Notice = "draft_saved"
	NoticePublished  Notice = "published"
	NoticeDiscarded  Notice = "discarded"
	NoticeUndone     Notice = "undone"

	NoticeWebhookTested Notice = "webhook_tested"
	NoticeSentAgain     Notice = "sent_again"
	NoticeWebhookOff    Notice = "webhook_off"
)

// WelcomeView is the first page of the dashboard for who is not signed in.
type WelcomeView struct {
	Page
	// StartURL leads to the dashboard by way of the sign-in.
	StartURL string
	// Personas says that the sandbox has test people.
	Personas bool
}

// HomeView lists the organizations of a user.
type HomeView struct {
	Page
	Organizations []Organization
	// CreateURL leads to the form for a new one; empty shows no link.
	CreateURL string
	// ReviewsURL leads an operator to what waits; empty for everybody else.
	ReviewsURL string
	// Live says that there is no sandbox.
	Live bool
}

// Organization is an organization that a user is a member of.
type Organization struct {
	Name, URL string
	Role      Role
	Suspended bool
}

// Role is what a member may do.
type Role string

// The roles of members.
const (
	RoleOwner     Role = "owner"
	RoleDeveloper Role = "developer"
	RoleViewer    Role = "viewer"
)

// The names under which the pages of the dashboard post what was entered.
const (
	FieldContact = "contact"
	FieldRole    = "role"
	FieldUser    = "user"
	FieldVersion = "version"
	FieldSearch  = "q"
)

// The values of [ui.FieldAction] on pages of the dashboard.
const (
	ActionSave     = "save"
	ActionDelete   = "delete"
	ActionInvite   = "invite"
	ActionWithdraw = "withdraw"
	ActionRole     = "role"
	ActionRemove   = "remove"
)

// OrganizationView is the form of an organization: a new one, or its settings. It
// posts [ui.FieldName], [FieldContact] and [FieldVersion] with [ActionSave], and
// [ui.FieldConfirm] with [ActionDelete].
type OrganizationView struct {
	Page
	ui.Form
	// New is for the form of a new organization.
	New bool
	// Name and Contact are what the fields show.
	Name, Contact string
	// Version is what was read.
	Version string
	// MayChange shows the form, MayDelete the part that deletes.
	MayChange, MayDelete bool
	// Kept is the name that has to be typed to delete the organization.
	Kept string
}

// MembersView lists members and invitations. It posts [ui.FieldAction] with
// [ActionInvite] ([ui.FieldEmail], [FieldRole]), [ActionWithdraw] ([ui.FieldCode]), [ActionRole]
// ([FieldUser], [FieldRole]) or [ActionRemove] ([FieldUser]).
type MembersView struct {
	Page
	ui.Form
	Members     []Member
	Invitations []Invitation
	// MayChange shows what only owners may do.
	MayChange bool
	// NoOwner says that nobody decides about members any more, and NoOwnerKnown that there are
	// operators who see it.
	NoOwner, NoOwnerKnown bool
	// Email and Role are what the form for an invitation shows.
	Email string
	Role  Role
	// Link is that of an invitation that was just made, to be copied; it is shown once.
	// LinkFor is who can use it; empty for anybody.
	Link, LinkFor string
}

// Member is a member of an organization.
type Member struct {
	UserID string
	ui.Account
	Role  Role
	Since time.Time
	// You marks the user who looks at the list.
	You bool
}

// Invitation is one that waits.
type Invitation struct {
	// ID is posted to withdraw it.
	ID string
	// Email is who can use it; empty for whoever has the link.
	Email string
	// By is the address of the member who invites; empty for one who is gone.
	By      string
	Role    Role
	Expires time.Time
}

// InvitationView asks an invited user whether to join. It posts nothing but
// [Form.Hidden].
type InvitationView struct {
	Page
	ui.Form
	Organization string
	Role         Role
	// Gone says that the invitation has been used, withdrawn, or has expired, and Other
	// that it is for another address than the user has proved to own.
	Gone, Other bool
}

// ActivityView is the activity log of an organization or application.
type ActivityView struct {
	Page
	Changes []Change
	// EarlierURL leads to the next page; empty on the last.
	EarlierURL string
}

// Change is a line of the activity log.
type Change struct {
	At time.Time
	// Who is the e-mail address of a user; empty for one who is gone. Program says that it was
	// the program of the application.
	Who     string
	Program bool
	// Act names what was done; Application is its object, or empty.
	Act         string
	Application string
	Fields      []ChangedField
}

// ChangedField is a field that was changed: a value before and after, or what was
// added to a list and taken away from it.
type ChangedField struct {
	Name, Before, After string
	Added, Removed      []string
	// Cut is how many more values were added or taken away than are shown.
	Cut int
}

// ApplicationsView lists the applications of an organization in one environment.
// It sends [FieldSearch] to its own address.
type ApplicationsView struct {
	Page
	Applications []Application
	// Search is what was searched for, and SearchURL where the form leads.
	Search, SearchURL string
	// RegisterURL leads to the form for a new one, TokensURL to the registration tokens; empty
	// for who may not. DocumentURL leads to the trial of a document, where there are clients
	// that nobody has registered.
	RegisterURL, TokensURL, DocumentURL string
	// MoreURL leads to the next page; empty on the last.
	MoreURL string
}

// Application is an application in a list.
type Application struct {
	Name, LogoURL, URL string
	ClientID           string
	// Kind is web, spa, native or machine; Dialect is what it speaks.
	Kind, Dialect        string
	Disabled, Unreviewed bool
	// Incomplete says that there is no registration: it has to be deleted.
	Incomplete bool
	// Deleting says that it is being deleted.
	Deleting bool
}

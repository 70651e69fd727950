package ui

import "time"

// DeveloperPage is what every page of the dashboard shows around its own content.
type DeveloperPage struct {
	Page

	// HomeURL is the list of organizations, DocsURL the documentation.
	HomeURL, DocsURL string

	// Account is who is signed in; AccountURL leads to the account. Empty for a page
	// that is open to all.
	Account    Account
	AccountURL string

	// Trail leads from the home of the dashboard to this page, which is not in it.
	Trail []DeveloperLink

	// Environment is the one that is shown; empty on pages that belong to neither. The
	// URLs lead to the same in each; one that is empty is not there.
	Environment               DeveloperEnvironment
	SandboxURL, ProductionURL string

	// Sections are the pages beside this one.
	Sections []DeveloperSectionLink

	// Notice is what has just happened.
	Notice DeveloperNotice

	// ConfirmURL is where the user confirms who is there, before what was entered is
	// accepted; empty when there is no need.
	ConfirmURL string

	// Suspension is that of the organization; nil when there is none.
	Suspension *DeveloperSuspension

	// WaitingURL leads to what waits for an operator of the application; empty when nothing
	// does.
	WaitingURL string
}

// DeveloperSuspension is since when an organization is suspended, and why.
type DeveloperSuspension struct {
	Since  time.Time
	Reason string
}

// DeveloperEnvironment is where an application lives.
type DeveloperEnvironment string

// The environments.
const (
	DeveloperSandbox    DeveloperEnvironment = "sandbox"
	DeveloperProduction DeveloperEnvironment = "production"
)

// DeveloperLink leads to another page of the dashboard, by the name that somebody gave to
// what it is about.
type DeveloperLink struct{ Label, URL string }

// DeveloperSectionLink leads to a page beside this one.
type DeveloperSectionLink struct {
	Section DeveloperSection
	URL     string
	// Current marks the page that is shown.
	Current bool
}

// DeveloperSection is a page of an organization or of an application.
type DeveloperSection string

// The sections, those of an organization first.
const (
	SectionApplications DeveloperSection = "applications"
	SectionMembers      DeveloperSection = "members"
	SectionPersonas     DeveloperSection = "personas"
	SectionInbox        DeveloperSection = "inbox"
	SectionClock        DeveloperSection = "clock"
	SectionActivity     DeveloperSection = "activity"
	SectionOrganization DeveloperSection = "organization"

	SectionOverview DeveloperSection = "overview"
	SectionSettings DeveloperSection = "settings"
	SectionSecrets  DeveloperSection = "secrets"
	SectionBranding DeveloperSection = "branding"
	SectionSamples  DeveloperSection = "samples"
	SectionTry      DeveloperSection = "try"
	SectionLog      DeveloperSection = "log"
	SectionNumbers  DeveloperSection = "numbers"
	SectionFaults   DeveloperSection = "faults"
	SectionAccess   DeveloperSection = "access"
)

// DeveloperNotice says what has just happened on the dashboard.
type DeveloperNotice string

// The notices of the dashboard.
const (
	DeveloperSaved        DeveloperNotice = "saved"
	DeveloperInvited      DeveloperNotice = "invited"
	DeveloperWithdrawn    DeveloperNotice = "withdrawn"
	DeveloperRoleChanged  DeveloperNotice = "role_changed"
	DeveloperMemberGone   DeveloperNotice = "member_gone"
	DeveloperJoined       DeveloperNotice = "joined"
	DeveloperDeleted      DeveloperNotice = "deleted"
	DeveloperSomebodyElse DeveloperNotice = "somebody_else"

	DeveloperRegistered  DeveloperNotice = "registered"
	DeveloperCopied      DeveloperNotice = "application_copied"
	DeveloperEnabled     DeveloperNotice = "enabled"
	DeveloperDisabled    DeveloperNotice = "disabled"
	DeveloperSecretEnded DeveloperNotice = "secret_ended"
	// DeveloperSecretsGone and DeveloperSecretMade are for an application that signs with
	// a key of its own from now on, and for one that does so no more.
	DeveloperSecretsGone DeveloperNotice = "secrets_gone"
	DeveloperSecretMade  DeveloperNotice = "secret_made"
	DeveloperConfirmed   DeveloperNotice = "confirmed"

	DeveloperAsked            DeveloperNotice = "asked"
	DeveloperRequestWithdrawn DeveloperNotice = "request_withdrawn"
	DeveloperApproved         DeveloperNotice = "approved"
	DeveloperRefused          DeveloperNotice = "refused"
	DeveloperStopped          DeveloperNotice = "stopped"
	DeveloperStarted          DeveloperNotice = "started"
	// DeveloperChangesWait and DeveloperChangesApproved are for what people see of an
	// application that is in production.
	DeveloperChangesWait     DeveloperNotice = "changes_wait"
	DeveloperChangesApproved DeveloperNotice = "changes_approved"

	// DeveloperSuspended and DeveloperReactivated are for an organization, and
	// DeveloperNothingWhileSuspended for a form that was not accepted.
	DeveloperSuspended             DeveloperNotice = "organization_suspended"
	DeveloperReactivated           DeveloperNotice = "organization_reactivated"
	DeveloperNothingWhileSuspended DeveloperNotice = "nothing_while_suspended"
	DeveloperBeingDeleted          DeveloperNotice = "being_deleted"

	DeveloperDraftSaved DeveloperNotice = "draft_saved"
	DeveloperPublished  DeveloperNotice = "published"
	DeveloperDiscarded  DeveloperNotice = "discarded"
	DeveloperUndone     DeveloperNotice = "undone"
)

// DeveloperWelcomeView is the first page of the dashboard for who is not signed in.
type DeveloperWelcomeView struct {
	DeveloperPage
	// StartURL leads to the dashboard by way of the sign-in.
	StartURL string
	// Personas says that the sandbox has test people.
	Personas bool
}

// DeveloperHomeView lists the organizations of a user.
type DeveloperHomeView struct {
	DeveloperPage
	Organizations []DeveloperOrganization
	// CreateURL leads to the form for a new one; empty shows no link.
	CreateURL string
	// ReviewsURL leads an operator to what waits; empty for everybody else.
	ReviewsURL string
}

// DeveloperOrganization is an organization that a user is a member of.
type DeveloperOrganization struct {
	Name, URL string
	Role      DeveloperRole
	Suspended bool
}

// DeveloperRole is what a member may do.
type DeveloperRole string

// The roles of members.
const (
	DeveloperOwner     DeveloperRole = "owner"
	DeveloperDeveloper DeveloperRole = "developer"
	DeveloperViewer    DeveloperRole = "viewer"
)

// The names under which the pages of the dashboard post what was entered.
const (
	FieldName    = "name"
	FieldContact = "contact"
	FieldRole    = "role"
	FieldUser    = "user"
	FieldVersion = "version"
	FieldConfirm = "confirm"
	FieldSearch  = "q"
)

// The values of [FieldAction] on pages of the dashboard.
const (
	ActionSave     = "save"
	ActionDelete   = "delete"
	ActionInvite   = "invite"
	ActionWithdraw = "withdraw"
	ActionRole     = "role"
	ActionRemove   = "remove"
)

// DeveloperOrganizationView is the form of an organization: a new one, or its settings. It
// posts [FieldName], [FieldContact] and [FieldVersion] with [ActionSave], and
// [FieldConfirm] with [ActionDelete].
type DeveloperOrganizationView struct {
	DeveloperPage
	Form
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

// DeveloperMembersView lists members and invitations. It posts [FieldAction] with
// [ActionInvite] ([FieldEmail], [FieldRole]), [ActionWithdraw] ([FieldCode]), [ActionRole]
// ([FieldUser], [FieldRole]) or [ActionRemove] ([FieldUser]).
type DeveloperMembersView struct {
	DeveloperPage
	Form
	Members     []DeveloperMember
	Invitations []DeveloperInvitation
	// MayChange shows what only owners may do.
	MayChange bool
	// NoOwner says that nobody decides about members any more, and NoOwnerKnown that there are
	// operators who see it.
	NoOwner, NoOwnerKnown bool
	// Email and Role are what the form for an invitation shows.
	Email string
	Role  DeveloperRole
	// Link is that of an invitation that was just made, to be copied; it is shown once.
	// LinkFor is who can use it; empty for anybody.
	Link, LinkFor string
}

// DeveloperMember is a member of an organization.
type DeveloperMember struct {
	UserID string
	Account
	Role  DeveloperRole
	Since time.Time
	// You marks the user who looks at the list.
	You bool
}

// DeveloperInvitation is one that waits.
type DeveloperInvitation struct {
	// ID is posted to withdraw it.
	ID string
	// Email is who can use it; empty for whoever has the link.
	Email string
	// By is the address of the member who invites; empty for one who is gone.
	By      string
	Role    DeveloperRole
	Expires time.Time
}

// DeveloperInvitationView asks an invited user whether to join. It posts nothing but
// [Form.Hidden].
type DeveloperInvitationView struct {
	DeveloperPage
	Form
	Organization string
	Role         DeveloperRole
	// Gone says that the invitation has been used, withdrawn, or has expired, and Other
	// that it is for another address than the user has proved to own.
	Gone, Other bool
}

// DeveloperActivityView is the activity log of an organization or application.
type DeveloperActivityView struct {
	DeveloperPage
	Changes []DeveloperChange
	// EarlierURL leads to the next page; empty on the last.
	EarlierURL string
}

// DeveloperChange is a line of the activity log.
type DeveloperChange struct {
	At time.Time
	// Who is the e-mail address of a user; empty for one who is gone.
	Who string
	// Act names what was done; Application is its object, or empty.
	Act         string
	Application string
	Fields      []DeveloperChangedField
}

// DeveloperChangedField is a field that was changed: a value before and after, or what was
// added to a list and taken away from it.
type DeveloperChangedField struct {
	Name, Before, After string
	Added, Removed      []string
	// Cut is how many more values were added or taken away than are shown.
	Cut int
}

// DeveloperApplicationsView lists the applications of an organization in one environment.
// It sends [FieldSearch] to its own address.
type DeveloperApplicationsView struct {
	DeveloperPage
	Applications []DeveloperApplication
	// Search is what was searched for, and SearchURL where the form leads.
	Search, SearchURL string
	// RegisterURL leads to the form for a new one; empty for who may not.
	RegisterURL string
	// MoreURL leads to the next page; empty on the last.
	MoreURL string
}

// DeveloperApplication is an application in a list.
type DeveloperApplication struct {
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

package storage

import (
	"context"
	"time"
)

// Organization owns applications, which its members manage.
type Organization struct {
	ID   string
	Name string

	// Contact is the encrypted e-mail address of a contact person, or empty.
	Contact []byte

	CreatedAt time.Time

	// Stopped is the stop of its applications, or zero.
	Stopped Stop

	// Version is unique to each saved organization; the store assigns it.
	Version int64
}

// Ownerless is an organization without an owner.
type Ownerless struct {
	Organization
	// Members and Applications are their numbers.
	Members, Applications int
}

// Role is what a member may do.
type Role string

// The roles. Each includes the rights of the next.
const (
	// RoleOwner manages members and the organization.
	RoleOwner Role = "owner"
	// RoleDeveloper changes applications.
	RoleDeveloper Role = "developer"
	// RoleViewer reads.
	RoleViewer Role = "viewer"
)

// Member is a user in an organization.
type Member struct {
	OrganizationID string
	UserID         string
	Role           Role
	JoinedAt       time.Time
}

// Membership is an organization with a user's role in it.
type Membership struct {
	Organization
	Role Role
}

// Invitation lets one person become a member: anybody who opens its link, as far as the
// store knows. It is valid as long as its maker may invite.
type Invitation struct {
	// Token is the digest of the token in the link.
	Token          Digest
	OrganizationID string
	Role           Role

	// Email is the encrypted address of the invited person; empty for anybody with the
	// link.
	Email []byte

	// InvitedBy is the owner who made it or, if it Appoints, an operator: such an
	// invitation is valid as long as the organization has no owner.
	InvitedBy string
	Appoints  bool

	CreatedAt time.Time
	ExpiresAt time.Time
}

// TokenFilter selects what an organization has at Now or, unless it is zero, the one with Token.
type TokenFilter struct {
	Token          Digest
	OrganizationID string
	Now            time.Time
}

// Change is an entry of an organization's activity log.
type Change struct {
	// The store assigns ID, which grows with time within one process.
	ID             int64
	OrganizationID string
	At             time.Time

	// UserID is the user who made the change.
	UserID string

	// Environment and ClientID identify the changed application; both are empty for a
	// change of the organization.
	Environment string
	ClientID    string

	// What is the name of the act, and Fields are its changes, none of which is a secret.
	What   string
	Fields []ChangedField
}

// ChangedField is a changed field: its value before and after, or the values added to a
// list and removed from it.
type ChangedField struct {
	Name    string   `json:"name"`
	Before  string   `json:"before,omitempty"`
	After   string   `json:"after,omitempty"`
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	// Cut is the number of values added or removed beyond those listed.
	Cut int `json:"cut,omitempty"`
}

// ChangeFilter selects changes of an organization. All nonzero fields must match.
type ChangeFilter struct {
	OrganizationID string // required
	Environment    string
	ClientID       string
	// BeforeID selects changes with a lower ID: the next page.
	BeforeID int64
	// Limit is the maximum number of changes; 100 if zero.
	Limit int
}

// OrganizationFilter selects organizations. All nonzero fields must match.
type OrganizationFilter struct {
	// Search is a part of the name, or a whole ID. The case of letters from A to Z makes no
	// difference. More than 200 bytes match no name.
	Search string

	// Stopped selects those that are stopped.
	Stopped bool
}

// Organizations stores who manages which applications. It is not a part of [Store]: a
// provider without a dashboard does not use it.
//
// An organization has an owner until its last owner is deleted (EndMemberships): every
// other step that would remove the last owner is ErrConflict, also when two such steps
// meet.
type Organizations interface {
	// CreateOrganization creates an organization, which is not stopped, with its first
	// owner, whose OrganizationID and Role are implied. ErrConflict if the ID exists,
	// ErrLimit if the owner is a member of most organizations or more,
	// ErrOrganizationStopped if the user owns a stopped one, so that a new one cannot get
	// around a stop.
	CreateOrganization(ctx context.Context, o Organization, owner Member, most int) error

	// Organization returns the organization with this ID.
	Organization(ctx context.Context, id string) (Organization, error)

	// Ownerless returns organizations without an owner, by ID: at most limit with an ID
	// after this one.
	Ownerless(ctx context.Context, after string, limit int) ([]Ownerless, error)

	// StopOrganization stops an organization and requests the halt of all its applications:
	// HaltOver becomes HaltBegun. The organization and its applications get new versions,
	// so that changes based on an earlier read fail. ErrChanged if it is already stopped,
	// ErrNotFound if there is none.
	StopOrganization(ctx context.Context, id string, s Stop) error

	// StartOrganization ends the stop of this moment on behalf of a user. Applications that
	// the stop has disabled, or was about to, become HaltOver, all others HaltNone.
	// ErrChanged if the organization is not stopped, or was stopped at another moment,
	// ErrConflict if the user is a member of it, ErrNotFound if there is none.
	StartOrganization(ctx context.Context, id string, at time.Time, userID string) error

	// Organizations returns up to limit matching organizations with IDs after the given one, by ID.
	Organizations(ctx context.Context, match OrganizationFilter, after string, limit int) ([]Organization, error)

	// SaveOrganization replaces name and contact of the organization with this Version.
	// ErrChanged if it has another, or is gone.
	SaveOrganization(ctx context.Context, o Organization) error

	// DeleteOrganization removes an organization with its members, invitations, registration
	// tokens and settings. Its changes become unreadable, even if another organization gets
	// its ID; Trim removes them. ErrConflict if it has applications,
	// ErrOrganizationStopped if it is stopped, ErrNotFound if there is none.
	DeleteOrganization(ctx context.Context, id string) error

	// Memberships returns a user's organizations, by name in any case.
	Memberships(ctx context.Context, userID string) ([]Membership, error)

	// Members returns the members of an organization, the earliest first; with a user only that
	// one, if it is a member.
	Members(ctx context.Context, organizationID string, user ...string) ([]Member, error)

	// SetRole changes a member's role, and withdraws the invitations and registration tokens of
	// a member who is no longer an owner. ErrNotFound if the user is not a member, ErrConflict
	// for the last owner.
	SetRole(ctx context.Context, organizationID, userID string, role Role) error

	// RemoveMember ends a membership and withdraws the member's invitations and registration
	// tokens. No invitation from before makes the user a member again. It returns nil if there
	// is none, and ErrConflict for the last owner.
	RemoveMember(ctx context.Context, organizationID, userID string) error

	// EndMemberships ends all memberships of a deleted user, even that of a last owner,
	// withdraws the user's invitations and registration tokens, and replaces the user by the
	// pseudonym in changes and stops and as the maker of applications. It returns nil if there
	// is nothing of the user.
	EndMemberships(ctx context.Context, userID, pseudonym string) error

	// CreateInvitation records an invitation. ErrLimit if the organization has most or more
	// that have not expired by CreatedAt, ErrNotFound if it is gone or InvitedBy is not, or
	// no longer, its owner, ErrConflict if the token exists, ErrOrganizationStopped unless
	// the invitation Appoints.
	CreateInvitation(ctx context.Context, i Invitation, most int) error

	// Invitations returns an organization's invitations that have not expired at now, the
	// latest first, or the one with a token: expired ones are included for a month and more,
	// until they are swept.
	Invitations(ctx context.Context, of TokenFilter) ([]Invitation, error)

	// AcceptInvitation spends an invitation and makes the user a member with its role. An
	// existing member spends it, too, but keeps the role unless it Appoints. Of any number
	// of concurrent calls one succeeds. ErrNotFound if it is spent, removed or expired at
	// now, its maker may no longer invite, or the user was removed since it was made.
	// ErrLimit if the user is a member of most other organizations, or more, and
	// ErrOrganizationStopped unless it Appoints; these two do not spend it.
	AcceptInvitation(ctx context.Context, token Digest, userID string, now time.Time, most int) (Member, error)

	// RemoveInvitation withdraws an invitation of an organization. It returns nil if there
	// is none.
	RemoveInvitation(ctx context.Context, organizationID string, token Digest) error

	// AppendChange records a change; its ID is ignored. ErrNotFound if there is no such
	// organization.
	AppendChange(ctx context.Context, c Change) error

	// Changes returns the matching changes, the latest first.
	Changes(ctx context.Context, match ChangeFilter) ([]Change, error)
}

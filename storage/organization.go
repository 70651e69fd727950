package storage

import (
	"context"
	"time"
)

// Organization owns applications. Its members look after them.
type Organization struct {
	ID   string
	Name string

	// Contact is the sealed e-mail address of somebody to ask, or empty.
	Contact []byte

	CreatedAt time.Time

	// Stopped is why none of its applications may run.
	Stopped Stop

	// Version differs for every organization that is saved; the store gives it.
	Version int64
}

// Ownerless is an organization that nobody answers for.
type Ownerless struct {
	Organization
	// Members and Applications are how many it has.
	Members, Applications int
}

// Role says what a member may do.
type Role string

// The roles, each of which may do what the next one may.
const (
	// RoleOwner decides about members, and about the organization.
	RoleOwner Role = "owner"
	// RoleDeveloper changes applications.
	RoleDeveloper Role = "developer"
	// RoleViewer sees.
	RoleViewer Role = "viewer"
)

// Member is a user who belongs to an organization.
type Member struct {
	OrganizationID string
	UserID         string
	Role           Role
	JoinedAt       time.Time
}

// Membership is an organization with the role that a user has in it.
type Membership struct {
	Organization
	Role Role
}

// Invitation lets one person become a member: whoever opens its link, as far as the store
// knows. It holds as long as the one who has made it may invite.
type Invitation struct {
	// Token is the digest of what the link has.
	Token          Digest
	OrganizationID string
	Role           Role

	// Email is the sealed address that the invitation is for; empty for whoever has the
	// link.
	Email []byte

	// InvitedBy is the owner who has made it or, where it Appoints, an operator: such a one
	// holds as long as the organization has no owner.
	InvitedBy string
	Appoints  bool

	CreatedAt time.Time
	ExpiresAt time.Time
}

// Change is a line of the activity log of an organization.
type Change struct {
	// ID is given by the store and grows with time within one process.
	ID             int64
	OrganizationID string
	At             time.Time

	// UserID is who made the change.
	UserID string

	// Environment and ClientID name the application that was changed; both are empty
	// for a change of the organization.
	Environment string
	ClientID    string

	// What is the name of an act, and Fields what it has changed, none of which is a
	// secret.
	What   string
	Fields []ChangedField
}

// ChangedField is a field that was changed: a value before and after, or what was added to
// a list and taken away from it.
type ChangedField struct {
	Name    string   `json:"name"`
	Before  string   `json:"before,omitempty"`
	After   string   `json:"after,omitempty"`
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	// Cut is how many more values were added or taken away than are named.
	Cut int `json:"cut,omitempty"`
}

// ChangeFilter selects changes of an organization. All fields that are not zero must match.
type ChangeFilter struct {
	OrganizationID string // required
	Environment    string
	ClientID       string
	// BeforeID selects changes with a lower ID: the next page.
	BeforeID int64
	// Limit is the most changes that are returned; 100 when zero.
	Limit int
}

// Organizations keeps who may look after which applications. It is not a part of [Store]:
// a provider without a dashboard has no use for it.
//
// An organization has an owner until the user is gone who was the last one (EndMemberships):
// each other step that would take the last one away is ErrConflict, also when two of them
// meet.
type Organizations interface {
	// CreateOrganization records an organization, which is not stopped, with its first
	// owner, whose OrganizationID and Role go without saying. ErrConflict when there is one with its
	// ID, ErrLimit when the owner is a member of most organizations or more,
	// ErrOrganizationStopped when the user owns one that is stopped: nobody walks round that.
	CreateOrganization(ctx context.Context, o Organization, owner Member, most int) error

	// Organization returns the organization with this ID.
	Organization(ctx context.Context, id string) (Organization, error)

	// Ownerless returns organizations without an owner, by ID: at most limit of those
	// with an ID after this one.
	Ownerless(ctx context.Context, after string, limit int) ([]Ownerless, error)

	// StopOrganization stops an organization, and asks for the halt of all its applications:
	// of those that HaltOver is about it is HaltBegun. Whoever has read the organization or one
	// of its applications before saves nothing of that: they have other versions. ErrChanged
	// when it is stopped already, ErrNotFound when there is none.
	StopOrganization(ctx context.Context, id string, s Stop) error

	// StartOrganization ends the stop of this moment for a user who decides about that.
	// Applications that it has disabled, or was about to, are HaltOver from then on, all
	// others HaltNone. ErrChanged when the organization is not stopped, or was stopped at another moment,
	// ErrConflict when the user is a member of it, ErrNotFound when there is none.
	StartOrganization(ctx context.Context, id string, at time.Time, userID string) error

	// Stopped returns organizations that are stopped, by ID: at most limit of those with an
	// ID after this one.
	Stopped(ctx context.Context, after string, limit int) ([]Organization, error)

	// FindOrganizations returns organizations with a part of this in their name, or with this
	// ID, by ID: at most limit of those with an ID after this one. The case of a letter from A
	// to Z makes no difference. A search of more than 200 bytes is in no name.
	FindOrganizations(ctx context.Context, search, after string, limit int) ([]Organization, error)

	// SaveOrganization replaces name and contact of the organization that has this
	// Version. ErrChanged when it has another, or is gone.
	SaveOrganization(ctx context.Context, o Organization) error

	// DeleteOrganization removes an organization with its members, invitations and
	// settings. Its changes cannot be read from then on, also where another gets its ID;
	// RemoveChanges removes them. ErrConflict when it has applications,
	// ErrOrganizationStopped when it is stopped, ErrNotFound when there is none.
	DeleteOrganization(ctx context.Context, id string) error

	// Memberships returns the organizations of a user, by name in any case.
	Memberships(ctx context.Context, userID string) ([]Membership, error)

	// Member returns a member. ErrNotFound when the user is none.
	Member(ctx context.Context, organizationID, userID string) (Member, error)

	// Members returns the members of an organization, those who joined first first.
	Members(ctx context.Context, organizationID string) ([]Member, error)

	// SetRole gives a member a role, and withdraws what somebody has invited who is an
	// owner no more. ErrNotFound when the user is no member,
	// ErrConflict when it is the last owner.
	SetRole(ctx context.Context, organizationID, userID string, role Role) error

	// RemoveMember ends a membership, and with it the invitations that the member has made.
	// No invitation that waits by then makes the user a member again. It returns nil when
	// there is none, and ErrConflict when it is that of the last owner.
	RemoveMember(ctx context.Context, organizationID, userID string) error

	// EndMemberships ends all memberships of a user who is gone, also that of a last owner,
	// with the invitations that the user has made, and puts the pseudonym in the place of
	// the user in changes and stops and as the maker of applications. It returns nil when there is
	// nothing of the user.
	EndMemberships(ctx context.Context, userID, pseudonym string) error

	// CreateInvitation records an invitation. ErrLimit when the organization has most
	// of them, or more, that have not expired by CreatedAt, ErrNotFound when it is gone
	// or InvitedBy is no owner of it (any more), ErrConflict when the token exists,
	// ErrOrganizationStopped unless the invitation Appoints.
	CreateInvitation(ctx context.Context, i Invitation, most int) error

	// Invitation returns an invitation. Expired ones are included for a month and more,
	// until they are swept.
	Invitation(ctx context.Context, token Digest) (Invitation, error)

	// Invitations returns those of an organization that have not expired by now, the
	// latest first.
	Invitations(ctx context.Context, organizationID string, now time.Time) ([]Invitation, error)

	// AcceptInvitation spends an invitation and makes the user a member with its role;
	// a user who is one already keeps the role, unless the invitation Appoints, and it is
	// spent all the same. Of any number of concurrent calls one succeeds. ErrNotFound when it is
	// spent, removed, expired by now, when its maker may not invite any more, or the user
	// was removed since it was made. ErrLimit when the user is a member of most other
	// organizations, or more, and ErrOrganizationStopped unless the invitation Appoints; it
	// is not spent then.
	AcceptInvitation(ctx context.Context, token Digest, userID string, now time.Time, most int) (Member, error)

	// RemoveInvitation withdraws an invitation of an organization. It returns nil when
	// there is none.
	RemoveInvitation(ctx context.Context, organizationID string, token Digest) error

	// AppendChange records a change; its ID is ignored. It returns ErrNotFound when there is
	// no such organization.
	AppendChange(ctx context.Context, c Change) error

	// Changes returns the changes that match, the latest first.
	Changes(ctx context.Context, match ChangeFilter) ([]Change, error)

	// RemoveChanges removes changes from before a moment, and those of organizations that
	// have been deleted: at most limit of each and fewer when that takes long. It reports how
	// many rows it has removed; a caller repeats until that is zero.
	RemoveChanges(ctx context.Context, before time.Time, limit int) (removed int, err error)
}

package storage

import (
	"context"
	"time"
)

// Application says which organization a client belongs to, and what its owners and the
// operator have said about it. The registration itself is a [Client] of the provider that
// it belongs to.
type Application struct {
	// Environment names the provider that knows the client: Production or Sandbox.
	Environment    string
	ClientID       string
	OrganizationID string

	// Name is that of the client, to be searched for.
	Name string

	// Kind is web, spa, native or machine.
	Kind string

	// Review is where the application stands on its way to production.
	Review Review

	// Document is the JSON of what else the dashboard keeps about it, none of which is
	// looked for.
	Document []byte

	// PictureBytes is how much its pictures take, as the dashboard counts them.
	PictureBytes int64

	// Halt is what the stop of its organization has done to it. Nothing but StopOrganization,
	// StartOrganization and SetHalt changes it.
	Halt Halt

	// Deleting says that it is being deleted. Nothing but SetDeleting changes it.
	Deleting bool

	CreatedBy string
	CreatedAt time.Time
	UpdatedAt time.Time

	// Version differs for every application that is saved; the store gives it.
	Version int64
}

// The environments of applications.
const (
	Production = "production"
	Sandbox    = "sandbox"
)

// Review is where an application stands on its way to production.
type Review string

// The states of a review.
const (
	ReviewNone     Review = ""
	ReviewAsked    Review = "asked"
	ReviewApproved Review = "approved"
	ReviewRefused  Review = "refused"
)

// ApplicationFilter selects applications. All fields that are not zero must match.
type ApplicationFilter struct {
	Environment    string
	OrganizationID string
	Review         Review

	// Halting selects those that are HaltAsked, HaltBegun or HaltOver: there is something
	// to do about them.
	Halting bool

	// Deleting selects those that are being deleted.
	Deleting bool

	// Search is a part of the name, in any case, or a whole client ID. One of more than
	// 200 bytes is in no name.
	Search string

	// After is the client ID of the last application of the page before, AfterName its
	// name and AfterEnvironment its environment: applications come in the order of their
	// names in lower case, by bytes, then of their IDs, then of their environments. A
	// filter with an Environment needs no AfterEnvironment.
	AfterName, After, AfterEnvironment string

	// Limit is the most applications that are returned; 100 when zero.
	Limit int
}

// Applications keeps which client belongs to which organization. Like [Organizations] it
// is not a part of [Store].
type Applications interface {
	// CreateApplication records an application. ErrConflict when there is one for the
	// client in the environment, ErrNotFound when the organization is gone, ErrLimit when
	// it has most applications or more in the environment, ErrOrganizationStopped when it is
	// stopped.
	CreateApplication(ctx context.Context, a Application, most int) error

	// Application returns the application of a client.
	Application(ctx context.Context, environment, clientID string) (Application, error)

	// Applications returns the applications that match, without their Documents.
	Applications(ctx context.Context, match ApplicationFilter) ([]Application, error)

	// SaveApplication replaces the application that has this Version; environment,
	// client, organization, halt and deleting stay. ErrChanged when it has another, is being
	// deleted, or is gone.
	SaveApplication(ctx context.Context, a Application) error

	// SaveApplicationWithin is SaveApplication where the PictureBytes of all applications of
	// the organization make at most this many. ErrLimit when they would make more, unless
	// those of this one do not grow.
	SaveApplicationWithin(ctx context.Context, a Application, mostPictureBytes int64) error

	// DecideApplication is SaveApplication for a user who decides about the application.
	// ErrConflict when that user is a member of its organization: nobody approves their
	// own. ErrOrganizationStopped when the organization is stopped.
	DecideApplication(ctx context.Context, a Application, userID string) error

	// SetHalt puts a halt in the place of another. ErrChanged when the application has
	// another, or is gone.
	SetHalt(ctx context.Context, environment, clientID string, from, to Halt) error

	// SetDeleting marks an application as one that is being deleted: nothing saves it any
	// more. It stays one of its organization until DeleteApplication. ErrNotFound when there is
	// none.
	SetDeleting(ctx context.Context, environment, clientID string) error

	// DeleteApplication removes an application with its faults. It returns nil when there
	// is none. Its log cannot be read any more; however long that is, it is for RemoveLog
	// to remove.
	DeleteApplication(ctx context.Context, environment, clientID string) error
}

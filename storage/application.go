package storage

import (
	"context"
	"time"
)

// Application links a client to its organization, and holds its dashboard data and its
// review. The registration itself is a [Client] of the provider.
type Application struct {
	// Environment names the provider of the client: Production or Sandbox.
	Environment    string
	ClientID       string
	OrganizationID string

	// Name is the client's name, for searches.
	Name string

	// Kind is web, spa, native or machine.
	Kind string

	// Review is the state of the application on its way to production.
	Review Review

	// Document is the JSON of the dashboard's other data, which is never searched.
	Document []byte

	// PictureBytes is the size of its pictures, as the dashboard counts them.
	PictureBytes int64

	// Halt is the effect of its organization's stop, or of its own. StopOrganization,
	// StartOrganization and MarkApplication change it, and what saves an application of production
	// (SaveApplication): with ReviewRefused it becomes HaltAlone, and HaltOver once that ends.
	Halt Halt

	// Deleting marks an application that is being deleted. Only MarkApplication changes it.
	Deleting bool

	CreatedBy string
	CreatedAt time.Time
	UpdatedAt time.Time

	// Version is unique to each saved application; the store assigns it.
	Version int64
}

// The environments of applications.
const (
	Production = "production"
	Sandbox    = "sandbox"
)

// Review is the state of an application on its way to production.
type Review string

// The states of a review.
const (
	ReviewNone     Review = ""
	ReviewAsked    Review = "asked"
	ReviewApproved Review = "approved"
	ReviewRefused  Review = "refused"
)

// ApplicationFilter selects applications. All nonzero fields must match.
type ApplicationFilter struct {
	Environment    string
	OrganizationID string
	Review         Review

	// Halting selects those that are HaltAsked, HaltBegun, HaltOver or HaltAlone, and need work.
	Halting bool

	// Deleting selects those that are being deleted.
	Deleting bool

	// Stopped selects those of stopped organizations, Ownerless those of organizations
	// without an owner.
	Stopped, Ownerless bool

	// Search is a part of the name, in any case, or a whole client ID. More than 200 bytes
	// match no name.
	Search string

	// After is the client ID of the last application of the previous page, AfterName its
	// name and AfterEnvironment its environment. Applications are in the order of their
	// lower-case names, by bytes, then of their IDs, then of their environments. A filter
	// with an Environment needs no AfterEnvironment.
	AfterName, After, AfterEnvironment string

	// Limit is the maximum number of applications; 100 if zero.
	Limit int
}

// ApplicationMark is a step of what becomes of an application.
type ApplicationMark struct {
	// Deleting marks it as being deleted; otherwise To replaces From.
	Deleting bool

	From, To Halt
}

// Applications stores the organizations of clients. Like [Organizations] it is not a part
// of [Store].
type Applications interface {
	// CreateApplication creates an application. ErrConflict if the client has one in the
	// environment, ErrNotFound if the organization is gone, ErrLimit if it has most
	// applications or more in the environment, ErrOrganizationStopped if it is stopped.
	CreateApplication(ctx context.Context, a Application, most int) error

	// Application returns the application of a client.
	Application(ctx context.Context, environment, clientID string) (Application, error)

	// Applications returns the matching applications, without their Documents.
	Applications(ctx context.Context, match ApplicationFilter) ([]Application, error)

	// SaveApplication replaces the application with this Version; environment, client,
	// organization and deleting stay, and a.Halt is ignored. ErrChanged if it has another, is being deleted,
	// or is gone. With a limit on the PictureBytes of all applications of the organization,
	// ErrLimit if they would exceed it, unless those of this one do not grow.
	SaveApplication(ctx context.Context, a Application, mostPictureBytes ...int64) error

	// DecideApplication is SaveApplication for the user who decides its review. ErrConflict
	// if that user is a member of its organization: nobody approves their own.
	// ErrOrganizationStopped if the organization is stopped.
	DecideApplication(ctx context.Context, a Application, userID string) error

	// MoveApplication gives the application with this version to another organization, with
	// its log and its pictures, which count there. Its changes of before stay with the former
	// organization. ErrChanged if it has another version or is being deleted, ErrConflict if
	// it is there, ErrLimit if that organization has most applications or more in the
	// environment, ErrOrganizationStopped if one of the two is stopped, ErrNotFound if there
	// is no such application or organization.
	MoveApplication(ctx context.Context, environment, clientID string, version int64, toOrganization string, most int) error

	// MarkApplication replaces one halt by another: ErrChanged if the application has another, or
	// is gone. Or else it marks it as being deleted: it can no longer be saved, and stays in its
	// organization until DeleteApplication. ErrNotFound if there is none.
	MarkApplication(ctx context.Context, environment, clientID string, m ApplicationMark) error

	// DeleteApplication removes an application with its faults. It returns nil if there is
	// none. Its log becomes unreadable at once; Trim removes it, however long it is.
	DeleteApplication(ctx context.Context, environment, clientID string) error
}

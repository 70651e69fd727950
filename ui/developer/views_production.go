package developer

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// AccessView is the way of an application of the sandbox to production. It posts
// [FieldVersion] with [ActionAsk] and [FieldNote], or with [ActionWithdraw].
type AccessView struct {
	Page
	ui.Form
	// Version is what was read.
	Version string
	// Name is that of the application.
	Name   string
	Review Review
	// Since is when that began.
	Since time.Time
	// Reason is why it was refused.
	Reason string
	// Note is what the members say to the reviewer.
	Note   string
	Checks []Check
	// LeftBehind are the addresses of the sandbox that production does not take.
	LeftBehind []string
	// Stopped says that this is an application of production that an operator has
	// stopped.
	Stopped bool
	// LiveURL is the application in production; empty where there is none.
	LiveURL string
	// MayAsk shows the forms.
	MayAsk bool
}

// Review is where an application stands on its way to production.
type Review string

// The states of a review.
const (
	ReviewNone     Review = ""
	ReviewAsked    Review = "asked"
	ReviewApproved Review = "approved"
	ReviewRefused  Review = "refused"
)

// Check is something that an application needs before it can be in production.
type Check struct {
	Check CheckName
	Met   bool
	// URL is where it is to be had; empty shows no link.
	URL string
}

// CheckName names a check.
type CheckName string

// The checks.
const (
	CheckLogo      CheckName = "logo"
	CheckRedirects CheckName = "redirects"
	CheckTerms     CheckName = "terms"
	CheckPolicy    CheckName = "policy"
	CheckContact   CheckName = "contact"
)

// The names of fields of reviews.
const (
	FieldNote = "note"
)

// The values of [ui.FieldAction] in reviews.
const (
	ActionAsk     = "ask"
	ActionApprove = "approve"
	ActionRefuse  = "refuse"
	ActionStop    = "stop"
	ActionStart   = "start"
)

// ChangesView is what waits for an operator of an application that is in
// production, and what it needs there. It posts [FieldVersion] with [ActionWithdraw].
type ChangesView struct {
	Page
	ui.Form
	Version, Name string
	// Fields are what waits, since Since.
	Fields []ChangedField
	Since  time.Time
	// Reason is why the last changes were not approved, which was at DecidedAt; empty when
	// they were.
	Reason    string
	DecidedAt time.Time
	Checks    []Check
	// MayWithdraw shows the form.
	MayWithdraw bool
}

// ReviewsView lists the applications that an operator decides about. It sends
// [FieldSearch] to its own address.
type ReviewsView struct {
	Page
	// Waiting ask for production, Live are there.
	Waiting, Live []Reviewed
	// Ownerless are the organizations that nobody answers for, and OwnerlessMoreURL leads to
	// the next page of them; empty on the last.
	Ownerless        []Ownerless
	OwnerlessMoreURL string
	// Suspended are the organizations that are suspended, and Found those that were searched
	// for; the URLs lead to the next page of each.
	Suspended, Found               []Found
	SuspendedMoreURL, FoundMoreURL string
	// Search is what was searched for among organizations and what is in production, and
	// SearchURL where the form leads.
	Search, SearchURL string
	// WaitingMoreURL and LiveMoreURL lead to the next page; empty on the last.
	WaitingMoreURL, LiveMoreURL string
}

// Reviewed is an application in a list of an operator.
type Reviewed struct {
	Name, Organization, URL string
	// LogoURL is its logo. Empty shows a letter.
	LogoURL string
	// Since is when it asked. Zero shows no date.
	Since time.Time
	// Stopped says that an operator has stopped it.
	Stopped bool
	// Changes says that it is in production, and waits for changes of it.
	Changes bool
}

// Ownerless is an organization without an owner, with how many members and
// applications it has.
type Ownerless struct {
	Name, URL             string
	Members, Applications int
}

// Found is an organization in a list of an operator.
type Found struct {
	Name, URL string
	Suspended bool
}

// AppointView is an organization as an operator sees it. It posts [ui.FieldReason] with
// [ActionStop], [FieldVersion] with [ActionStart], and where it is Ownerless [ui.FieldEmail] with
// [ActionInvite], and [ui.FieldCode] with [ActionWithdraw].
type AppointView struct {
	Page
	ui.Form
	// ReviewsURL leads back to the list.
	ReviewsURL    string
	Name, Contact string
	// Suspended is why it is suspended, and SuspendedBy who has done so, or nil; Version is
	// which suspension that is.
	Suspended            *Suspension
	SuspendedBy, Version string
	// Own says that this operator does not decide about it.
	Own bool
	// Left is how many applications are not yet in or out of use as was decided.
	Left int
	// Entered is what the field for a reason shows.
	Entered string
	// Ownerless says that nobody answers for it; of others there are no Members and
	// Invitations.
	Ownerless   bool
	Members     []Member
	Invitations []Invitation
	// Live are its applications in production, and LiveMoreURL leads to the next page; empty
	// on the last.
	Live        []Reviewed
	LiveMoreURL string
	// Email is what the form shows.
	Email string
	// Link is that of an invitation that was just made, to be copied; it is shown once.
	// LinkFor is who can use it.
	Link, LinkFor string
}

// ReviewView is an application as an operator sees it. It posts [FieldVersion]
// with [ActionApprove], [ActionRefuse] ([ui.FieldReason]), [ActionStop] ([ui.FieldReason]) or
// [ActionStart].
type ReviewView struct {
	Page
	ui.Form
	// ReviewsURL leads back to the list.
	ReviewsURL            string
	Version               string
	Name, ClientID        string
	LogoURL               string
	Organization, Contact string
	// OrganizationURL leads to the organization.
	OrganizationURL string
	// Kind is web, spa, native or machine.
	Kind string
	// Fields are all that says something, Pictures all that there are. Compared says that
	// they are compared with what was decided on last.
	Fields   []ReviewedField
	Pictures []ReviewedPicture
	Compared bool
	// Waiting is what people do not see yet of an application that is in production, Live.
	Waiting []ChangedField
	Live    bool
	// NameOfBrand says that the name looks like that of the service, and NameTaken has the
	// applications of others in production that it looks like.
	NameOfBrand           bool
	NameTaken             []Reviewed
	Review                Review
	AskedBy, Note, Reason string
	// Entered is what the field for a reason shows.
	Entered string
	Checks  []Check
	// Own says that this operator does not decide about it.
	Own                              bool
	MayApprove, MayRefuse, MayFinish bool
	MayStop, MayStart                bool
}

// ReviewedField is a field of a registration with its values, of which several are of
// a list. Since is in which way it is another than it was, when it is Changed.
type ReviewedField struct {
	Name    string
	Values  []string
	Changed bool
	Since   ChangedField
}

// ReviewedPicture is a picture of a field of the branding, as it is wanted; URL is
// empty for one that is gone. When it is Changed, ApprovedURL is the one that people see,
// where that is another.
type ReviewedPicture struct {
	Field, URL, ApprovedURL string
	Changed                 bool
}

package ui

import "time"

// DeveloperAccessView is the way of an application of the sandbox to production. It posts
// [FieldVersion] with [ActionAsk] and [FieldNote], or with [ActionWithdraw].
type DeveloperAccessView struct {
	DeveloperPage
	Form
	// Version is what was read.
	Version string
	// Name is that of the application.
	Name   string
	Review DeveloperReview
	// Since is when that began.
	Since time.Time
	// Reason is why it was refused.
	Reason string
	// Note is what the members say to the reviewer.
	Note   string
	Checks []DeveloperCheck
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

// DeveloperReview is where an application stands on its way to production.
type DeveloperReview string

// The states of a review.
const (
	ReviewNone     DeveloperReview = ""
	ReviewAsked    DeveloperReview = "asked"
	ReviewApproved DeveloperReview = "approved"
	ReviewRefused  DeveloperReview = "refused"
)

// DeveloperCheck is something that an application needs before it can be in production.
type DeveloperCheck struct {
	Check DeveloperCheckName
	Met   bool
	// URL is where it is to be had; empty shows no link.
	URL string
}

// DeveloperCheckName names a check.
type DeveloperCheckName string

// The checks.
const (
	CheckLogo      DeveloperCheckName = "logo"
	CheckRedirects DeveloperCheckName = "redirects"
	CheckTerms     DeveloperCheckName = "terms"
	CheckPolicy    DeveloperCheckName = "policy"
	CheckContact   DeveloperCheckName = "contact"
)

// The names of fields of reviews.
const (
	FieldNote   = "note"
	FieldReason = "reason"
)

// The values of [FieldAction] in reviews.
const (
	ActionAsk     = "ask"
	ActionApprove = "approve"
	ActionRefuse  = "refuse"
	ActionStop    = "stop"
	ActionStart   = "start"
)

// DeveloperChangesView is what waits for an operator of an application that is in
// production, and what it needs there. It posts [FieldVersion] with [ActionWithdraw].
type DeveloperChangesView struct {
	DeveloperPage
	Form
	Version, Name string
	// Fields are what waits, since Since.
	Fields []DeveloperChangedField
	Since  time.Time
	// Reason is why the last changes were not approved, which was at DecidedAt; empty when
	// they were.
	Reason    string
	DecidedAt time.Time
	Checks    []DeveloperCheck
	// MayWithdraw shows the form.
	MayWithdraw bool
}

// DeveloperReviewsView lists the applications that an operator decides about. It sends
// [FieldSearch] to its own address.
type DeveloperReviewsView struct {
	DeveloperPage
	// Waiting ask for production, Live are there.
	Waiting, Live []DeveloperReviewed
	// Ownerless are the organizations that nobody answers for, and OwnerlessMoreURL leads to
	// the next page of them; empty on the last.
	Ownerless        []DeveloperOwnerless
	OwnerlessMoreURL string
	// Suspended are the organizations that are suspended, and Found those that were searched
	// for; the URLs lead to the next page of each.
	Suspended, Found               []DeveloperFound
	SuspendedMoreURL, FoundMoreURL string
	// Search is what was searched for among organizations and what is in production, and
	// SearchURL where the form leads.
	Search, SearchURL string
	// WaitingMoreURL and LiveMoreURL lead to the next page; empty on the last.
	WaitingMoreURL, LiveMoreURL string
}

// DeveloperReviewed is an application in a list of an operator.
type DeveloperReviewed struct {
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

// DeveloperOwnerless is an organization without an owner, with how many members and
// applications it has.
type DeveloperOwnerless struct {
	Name, URL             string
	Members, Applications int
}

// DeveloperFound is an organization in a list of an operator.
type DeveloperFound struct {
	Name, URL string
	Suspended bool
}

// DeveloperAppointView is an organization as an operator sees it. It posts [FieldReason] with
// [ActionStop], [FieldVersion] with [ActionStart], and where it is Ownerless [FieldEmail] with
// [ActionInvite], and [FieldCode] with [ActionWithdraw].
type DeveloperAppointView struct {
	DeveloperPage
	Form
	// ReviewsURL leads back to the list.
	ReviewsURL    string
	Name, Contact string
	// Suspended is why it is suspended, and SuspendedBy who has done so, or nil; Version is
	// which suspension that is.
	Suspended            *DeveloperSuspension
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
	Members     []DeveloperMember
	Invitations []DeveloperInvitation
	// Live are its applications in production, and LiveMoreURL leads to the next page; empty
	// on the last.
	Live        []DeveloperReviewed
	LiveMoreURL string
	// Email is what the form shows.
	Email string
	// Link is that of an invitation that was just made, to be copied; it is shown once.
	// LinkFor is who can use it.
	Link, LinkFor string
}

// DeveloperReviewView is an application as an operator sees it. It posts [FieldVersion]
// with [ActionApprove], [ActionRefuse] ([FieldReason]), [ActionStop] ([FieldReason]) or
// [ActionStart].
type DeveloperReviewView struct {
	DeveloperPage
	Form
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
	Fields   []DeveloperReviewedField
	Pictures []DeveloperReviewedPicture
	Compared bool
	// Waiting is what people do not see yet of an application that is in production, Live.
	Waiting []DeveloperChangedField
	Live    bool
	// NameOfBrand says that the name looks like that of the service, and NameTaken has the
	// applications of others in production that it looks like.
	NameOfBrand           bool
	NameTaken             []DeveloperReviewed
	Review                DeveloperReview
	AskedBy, Note, Reason string
	// Entered is what the field for a reason shows.
	Entered string
	Checks  []DeveloperCheck
	// Own says that this operator does not decide about it.
	Own                              bool
	MayApprove, MayRefuse, MayFinish bool
	MayStop, MayStart                bool
}

// DeveloperReviewedField is a field of a registration with its values, of which several are of
// a list. Since is in which way it is another than it was, when it is Changed.
type DeveloperReviewedField struct {
	Name    string
	Values  []string
	Changed bool
	Since   DeveloperChangedField
}

// DeveloperReviewedPicture is a picture of a field of the branding, as it is wanted; URL is
// empty for one that is gone. When it is Changed, ApprovedURL is the one that people see,
// where that is another.
type DeveloperReviewedPicture struct {
	Field, URL, ApprovedURL string
	Changed                 bool
}

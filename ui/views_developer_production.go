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

// DeveloperReviewsView lists the applications that an operator decides about. It sends
// [FieldSearch] to its own address.
type DeveloperReviewsView struct {
	DeveloperPage
	// Waiting ask for production, Live are there.
	Waiting, Live []DeveloperReviewed
	// Search is what was searched for among those in production, and SearchURL where
	// the form leads.
	Search, SearchURL string
	// WaitingMoreURL and LiveMoreURL lead to the next page; empty on the last.
	WaitingMoreURL, LiveMoreURL string
}

// DeveloperReviewed is an application in a list of an operator.
type DeveloperReviewed struct {
	Name, Organization, URL string
	// Since is when it asked. Zero shows no date.
	Since time.Time
	// Stopped says that an operator has stopped it.
	Stopped bool
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
	// Kind is web, spa, native or machine.
	Kind                 string
	RedirectURIs, Scopes []string
	// Resources are the APIs that it can ask access tokens for in production.
	Resources             []string
	TermsURL, PolicyURL   string
	SkipConsent           bool
	Review                DeveloperReview
	Since                 time.Time
	AskedBy, Note, Reason string
	// Entered is what the field for a reason shows.
	Entered               string
	Checks                []DeveloperCheck
	MayApprove, MayFinish bool
	MayStop, MayStart     bool
}

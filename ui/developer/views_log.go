package developer

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// The fields of the filter of a log.
const (
	FieldEvent     = "event"
	FieldOutcome   = "outcome"
	FieldRequestID = "request_id"
	FieldFrom      = "from"
	FieldTo        = "to"
)

// LogView shows what happened to the requests of an application, the latest
// first. It sends [FieldEvent], [FieldOutcome], [FieldFrom], [FieldTo], [FieldUser] and
// [FieldRequestID] to its own address.
type LogView struct {
	Page
	Lines []LogLine

	// Event, Outcome, User (a pseudonym) and RequestID are what is looked for; empty for
	// all. From and To are the moments between which it is; zero for any.
	Event, Outcome, User, RequestID string
	From, To                        time.Time
	// Events and Outcomes are what there is to choose from.
	Events, Outcomes []string

	// Days is how long lines are kept, zero for ever; Successes and Failures how many.
	Days, Successes, Failures int

	// LogURL is the log without a filter, RefreshURL this page anew, CSVURL its lines as
	// a file. EarlierURL leads to the next page; empty on the last. TryURL leads to the
	// page that makes a request; empty for none.
	LogURL, RefreshURL, CSVURL, EarlierURL, TryURL string
	// Live lets the page look for new lines by itself.
	Live bool
}

// LogLine is what happened to one request.
type LogLine struct {
	At time.Time
	// Event and Outcome are those of an activity, Error is the error code.
	Event, Outcome, Error string
	// Diagnosis is the name of a diagnosis; empty, and unknown, for none.
	Diagnosis string
	// Details are names and values of the protocol.
	Details []ui.Field

	RequestID, User, Address string

	// UserURL leads to the lines of the user, TraceURL to those of the sign-in that the line
	// is one of; empty for none.
	UserURL, TraceURL string

	// Since is how long after the first line of a sign-in this one came.
	Since time.Duration

	// Requests is how many the line stands for, when it only counts them.
	Requests int
}

// TraceView shows what happened to the requests of one sign-in, the first one
// first.
type TraceView struct {
	Page
	Lines []LogLine
	// More says that there are more lines than are shown.
	More bool
	// LogURL leads to the log of the application.
	LogURL string
}

// NumbersView counts what happened to the requests of an application.
type NumbersView struct {
	Page
	// Days are the days that are shown, all of them, the first one first.
	Days []time.Time
	// Series are what is counted, each with a number for each day.
	Series []Series
	// Errors are the errors of all days by kind, the most frequent first.
	Errors []ErrorCount
	// LogURL leads to the log; the errors of a kind are found there.
	LogURL string
}

// SeriesName is what a series counts.
type SeriesName string

// The series.
const (
	SeriesSignIns  SeriesName = "sign_ins"
	SeriesConsents SeriesName = "consents"
	SeriesDenials  SeriesName = "denials"
	SeriesErrors   SeriesName = "errors"
)

// Series is one number for each day.
type Series struct {
	Name   SeriesName
	Counts []int
}

// ErrorCount is how often an event ended with an error.
type ErrorCount struct {
	Event, Error string
	Count        int
	// URL leads to the lines of the log.
	URL string
}

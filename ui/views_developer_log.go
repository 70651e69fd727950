package ui

import "time"

// The fields of the filter of a log.
const (
	FieldEvent     = "event"
	FieldOutcome   = "outcome"
	FieldRequestID = "request_id"
	FieldFrom      = "from"
	FieldTo        = "to"
)

// DeveloperLogView shows what happened to the requests of an application, the latest
// first. It sends [FieldEvent], [FieldOutcome], [FieldFrom], [FieldTo], [FieldUser] and
// [FieldRequestID] to its own address.
type DeveloperLogView struct {
	DeveloperPage
	Lines []DeveloperLogLine

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

// DeveloperLogLine is what happened to one request.
type DeveloperLogLine struct {
	At time.Time
	// Event and Outcome are those of a provider.Activity, Error is the error code.
	Event, Outcome, Error string
	// Diagnosis is the name of a provider.Diagnosis; empty, and unknown, for none.
	Diagnosis string
	// Details are names and values of the protocol.
	Details []Field

	RequestID, User, Address string

	// UserURL leads to the lines of the user, TraceURL to those of the sign-in that the line
	// is one of; empty for none.
	UserURL, TraceURL string

	// Since is how long after the first line of a sign-in this one came.
	Since time.Duration

	// Requests is how many the line stands for, when it only counts them.
	Requests int
}

// DeveloperTraceView shows what happened to the requests of one sign-in, the first one
// first.
type DeveloperTraceView struct {
	DeveloperPage
	Lines []DeveloperLogLine
	// More says that there are more lines than are shown.
	More bool
	// LogURL leads to the log of the application.
	LogURL string
}

// DeveloperNumbersView counts what happened to the requests of an application.
type DeveloperNumbersView struct {
	DeveloperPage
	// Days are the days that are shown, all of them, the first one first.
	Days []time.Time
	// Series are what is counted, each with a number for each day.
	Series []DeveloperSeries
	// Errors are the errors of all days by kind, the most frequent first.
	Errors []DeveloperErrorCount
	// LogURL leads to the log; the errors of a kind are found there.
	LogURL string
}

// DeveloperSeriesName is what a series counts.
type DeveloperSeriesName string

// The series.
const (
	SeriesSignIns  DeveloperSeriesName = "sign_ins"
	SeriesConsents DeveloperSeriesName = "consents"
	SeriesDenials  DeveloperSeriesName = "denials"
	SeriesErrors   DeveloperSeriesName = "errors"
)

// DeveloperSeries is one number for each day.
type DeveloperSeries struct {
	Name   DeveloperSeriesName
	Counts []int
}

// DeveloperErrorCount is how often an event ended with an error.
type DeveloperErrorCount struct {
	Event, Error string
	Count        int
	// URL leads to the lines of the log.
	URL string
}

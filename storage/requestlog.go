package storage

import (
	"context"
	"time"
)

// LogEntry is an entry of the request log of an application, for its owners. It never holds
// a secret, a token or a code.
type LogEntry struct {
	// The store assigns ID, which grows with time within one process.
	ID          int64
	At          time.Time
	Environment string
	ClientID    string

	// Event is the type of request: authorize, consent, token, userinfo, and so on; Outcome
	// is its result: ok, denied or error.
	Event   string
	Outcome string

	// Error is the error code of the response, and Cause the reason, as constant text or
	// the name of a diagnosis.
	Error string
	Cause string

	// Details add facts by name, such as the redirect URI received and those registered.
	Details map[string]string

	RequestID string

	// Flow names the sign-in that the request belongs to, the same from its authorization
	// request to the last use of its tokens; empty for none.
	Flow string

	// User is a pseudonym, the same for one user and application.
	User string

	// Address is the network of the caller.
	Address string

	// Requests is the number of requests that the entry sums up, if they have no entries of
	// their own; zero for an entry of one request.
	Requests int

	// OnlyCounted stores no entry: the requests are only counted by day.
	OnlyCounted bool
}

// LogFilter selects entries of one application. All nonzero fields must match.
type LogFilter struct {
	// Environment and ClientID are required, but for the entries of one request, of any
	// application, the oldest first: these have a RequestID, From and To, which are a few seconds
	// apart, a Limit, and nothing else.
	Environment string
	ClientID    string
	Event       string
	Outcome     string
	Error       string
	RequestID   string
	Flow        string
	User        string
	// From and To select entries at From or later, and before To. The search reads all of
	// the application's entries, so it is for applications that a Trim of SurplusLog limits.
	From, To time.Time
	// BeforeID selects entries with a lower ID: the next page. AfterID selects those with a
	// higher one: the new ones. The entries of one application can be read in ID order,
	// whichever process has written them, so that none is skipped.
	BeforeID, AfterID int64
	// OldestFirst returns the oldest entries first.
	OldestFirst bool
	// Limit is the maximum number of entries; 100 if zero.
	Limit int
}

// LogDay counts one type of an application's requests on one day.
type LogDay struct {
	// Day is its first moment in UTC.
	Day     time.Time
	Event   string
	Outcome string
	Error   string
	Count   int
}

// RequestLog stores the request logs of applications. Like [Organizations] it is not a part
// of [Store].
type RequestLog interface {
	// AppendLog records entries and counts them by day, all or nothing; their IDs are
	// ignored. It drops entries of a client without an application, which nobody could
	// read.
	AppendLog(ctx context.Context, entries []LogEntry) error

	// Log returns the matching entries, the latest first unless the filter says otherwise.
	Log(ctx context.Context, match LogFilter) ([]LogEntry, error)

	// LogDays returns the counts of an application since the day (in UTC) of a moment, by
	// day, event, outcome and error.
	LogDays(ctx context.Context, environment, clientID string, from time.Time) ([]LogDay, error)
}

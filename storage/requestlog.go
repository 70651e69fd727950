package storage

import (
	"context"
	"time"
)

// LogEntry is a line of what happened to one request of an application, for its owners. It
// never holds a secret, a token or a code.
type LogEntry struct {
	// ID is given by the store and grows with time within one process.
	ID          int64
	At          time.Time
	Environment string
	ClientID    string

	// Event is what was asked for: authorize, consent, token, userinfo, and so on;
	// Outcome is how that ended: ok, denied or error.
	Event   string
	Outcome string

	// Error is the error code of the response, and Cause what was wrong, as constant
	// text or the name of a diagnosis.
	Error string
	Cause string

	// Details are what there is to know beside that, such as the redirect URI that came
	// and those that are registered, by name.
	Details map[string]string

	RequestID string

	// Flow names the sign-in that the request belongs to, the same from its authorization
	// request to the last use of its tokens; empty for none.
	Flow string

	// User is a pseudonym of the user, the same for one user and application.
	User string

	// Address is the network of the caller.
	Address string

	// Requests is how many requests the line stands for, when it only counts those for
	// which there was no line; zero for a line of one request.
	Requests int

	// OnlyCounted says that there is to be no line: the requests are counted by day.
	OnlyCounted bool
}

// LogFilter selects lines of one application. All fields that are not zero must match.
type LogFilter struct {
	Environment string // required
	ClientID    string // required
	Event       string
	Outcome     string
	Error       string
	RequestID   string
	Flow        string
	User        string
	// From and To select lines from a moment on, and of before another. The lines of the
	// application are looked through for them, so these are for one that TrimLog bounds.
	From, To time.Time
	// BeforeID selects lines with a lower ID: the next page. AfterID selects those with
	// a higher one: what is new. The lines of one application can be read in the order
	// of their IDs, whichever process has written them, so that none is passed over.
	BeforeID, AfterID int64
	// OldestFirst returns the lines in the order in which they came.
	OldestFirst bool
	// Limit is the most lines that are returned; 100 when zero.
	Limit int
}

// LogDay is how often something happened to an application on one day.
type LogDay struct {
	// Day is its first moment in UTC.
	Day     time.Time
	Event   string
	Outcome string
	Error   string
	Count   int
}

// RequestLog keeps what happened to the requests of applications. Like [Organizations] it
// is not a part of [Store].
type RequestLog interface {
	// AppendLog records lines and counts them by day, all or nothing; their IDs are
	// ignored. Those of a client for which there is no application are left out: nobody
	// could read them.
	AppendLog(ctx context.Context, entries []LogEntry) error

	// Log returns the lines that match, the latest first unless the filter says otherwise.
	Log(ctx context.Context, match LogFilter) ([]LogEntry, error)

	// LogDays returns the counts of an application from the day (in UTC) of a moment on,
	// by day, event, outcome and error.
	LogDays(ctx context.Context, environment, clientID string, from time.Time) ([]LogDay, error)

	// TrimLog removes lines of one application: of those with the outcome ok all but the
	// latest successes, and of all others all but the latest failures; at most limit of
	// each. What they have counted stays. It reports how many; a caller repeats until that
	// is zero, which it also is for an application that there is not.
	TrimLog(ctx context.Context, environment, clientID string, successes, failures, limit int) (removed int, err error)

	// RemoveLog removes lines from before a moment, counts of days before another, and
	// both of applications that have been deleted: at most limit of each and fewer when
	// that takes long. It reports how many; a caller repeats until that is zero.
	RemoveLog(ctx context.Context, linesBefore, daysBefore time.Time, limit int) (removed int, err error)
}

package developer

import (
	"encoding/csv"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// pageOfLines is the number of log entries on a page.
const pageOfLines = 50

// The choices of the log's filter.
var (
	logEvents = []string{
		string(activity.Authorize), string(activity.Consent), string(activity.Token),
		string(activity.Refresh), string(activity.Userinfo), string(activity.Attributes),
		string(activity.Revoke), string(activity.Introspect), string(activity.Push), string(activity.Wallet), string(activity.SignOut),
		string(activity.BackchannelLogout),
	}
	logOutcomes = []string{string(activity.OK), string(activity.Denied), string(activity.Failed)}
)

// logFilter returns the filter of a request, without values that are not offered.
func logFilter(r *request) storage.LogFilter {
	f := storage.LogFilter{Environment: r.app.Environment, ClientID: r.app.ClientID}
	if event := r.asked(screens.FieldEvent); slices.Contains(logEvents, event) {
		f.Event = event
	}
	if outcome := r.asked(screens.FieldOutcome); slices.Contains(logOutcomes, outcome) {
		f.Outcome = outcome
	}
	if id := strings.TrimSpace(r.asked(screens.FieldRequestID)); len(id) <= maxLogName {
		f.RequestID = id
	}
	if user := strings.TrimSpace(r.asked(screens.FieldUser)); len(user) <= maxLogName {
		f.User = user
	}
	f.From, f.To = momentAsked(r, screens.FieldFrom), momentAsked(r, screens.FieldTo)
	return f
}

// momentAsked returns a time of a filter, as browsers send it, with or without seconds;
// zero if invalid.
func momentAsked(r *request, field string) time.Time {
	for _, layout := range []string{screens.LocalMinute, screens.LocalMinute + ":05"} {
		if t, err := time.Parse(layout, r.asked(field)); err == nil {
			return t
		}
	}
	return time.Time{}
}

// maxLogName limits the bytes of a request ID or a pseudonym in a search.
const maxLogName = 64

// logQuery is the query string of a filter; "" for all.
func logQuery(f storage.LogFilter) string {
	q := url.Values{}
	for name, value := range map[string]string{
		screens.FieldEvent: f.Event, screens.FieldOutcome: f.Outcome, screens.FieldRequestID: f.RequestID, screens.FieldUser: f.User,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	for name, t := range map[string]time.Time{screens.FieldFrom: f.From, screens.FieldTo: f.To} {
		if !t.IsZero() {
			q.Set(name, t.UTC().Format(screens.LocalMinute))
		}
	}
	if f.BeforeID != 0 {
		q.Set("before", strconv.FormatInt(f.BeforeID, 10))
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// showLog shows the request log of an application.
func (d *logPages) showLog(r *request) error {
	filter := logFilter(r)
	before, _ := strconv.ParseInt(r.asked("before"), 10, 64) // anything else is the first page
	filter.BeforeID, filter.Limit = max(0, before), pageOfLines+1
	lines, err := d.Store.Log(r.Request.Context(), filter)
	if err != nil {
		return err
	}
	p, err := d.applicationPage(r, screens.SectionLog)
	if err != nil {
		return err
	}
	here := d.logPath(r)
	view := screens.LogView{
		Page: p, Event: filter.Event, Outcome: filter.Outcome, RequestID: filter.RequestID,
		User: filter.User, From: filter.From, To: filter.To,
		Events: logEvents, Outcomes: logOutcomes, Days: int(max(0, d.KeepLog) / (24 * time.Hour)),
		Successes: keptSuccesses, Failures: keptFailures,
		LogURL: here, RefreshURL: here + logQuery(filter), Live: filter.BeforeID == 0,
	}
	if slices.ContainsFunc(p.Sections, func(s screens.SectionLink) bool { return s.Section == screens.SectionTry }) {
		view.TryURL = d.path("o", r.org.ID, r.env, r.app.ClientID, "try")
	}
	if len(lines) > pageOfLines {
		lines = lines[:pageOfLines]
		earlier := filter
		earlier.BeforeID = lines[pageOfLines-1].ID
		view.EarlierURL = here + logQuery(earlier)
	}
	filter.BeforeID = 0
	view.CSVURL = here + ".csv" + logQuery(filter)
	for _, line := range lines {
		view.Lines = append(view.Lines, d.linkedLine(r, line))
	}
	r.Render(http.StatusOK, screens.Log(view))
	return nil
}

// logPath returns the address of the log of the application in the path.
func (d *logPages) logPath(r *request, below ...string) string {
	return d.path(append([]string{"o", r.org.ID, r.env, r.app.ClientID, "log"}, below...)...)
}

// linkedLine shows an entry with links to those of its user and of its sign-in.
func (d *logPages) linkedLine(r *request, e storage.LogEntry) screens.LogLine {
	line := logLine(e)
	if e.User != "" {
		line.UserURL = d.logPath(r) + logQuery(storage.LogFilter{User: e.User})
	}
	if e.Flow != "" {
		line.TraceURL = d.logPath(r, e.Flow)
	}
	return line
}

// logLine shows an entry.
func logLine(e storage.LogEntry) screens.LogLine {
	line := screens.LogLine{
		At: e.At, Event: e.Event, Outcome: e.Outcome, Error: e.Error, Diagnosis: e.Cause,
		RequestID: e.RequestID, User: e.User, Address: e.Address, Requests: e.Requests,
	}
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		line.Details = append(line.Details, ui.Field{Name: name, Value: e.Details[name]})
	}
	return line
}

const (
	// maxCSV is the maximum number of entries in a file.
	maxCSV = 10_000
	// batchOfCSV is how many of them are read at once.
	batchOfCSV = 1000
)

// downloadLog serves entries of a log as a file in English, the latest first.
func (d *logPages) downloadLog(r *request) error {
	filter := logFilter(r)
	filter.Limit = batchOfCSV
	lines, err := d.Store.Log(r.Request.Context(), filter)
	if err != nil {
		return err
	}
	h := r.Writer.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Disposition", `attachment; filename="log.csv"`)
	file := csv.NewWriter(r.Writer)
	defer file.Flush()
	row := func(cells ...string) {
		for i := range cells {
			cells[i] = plainCell(cells[i])
		}
		_ = file.Write(cells) // the browser has gone
	}
	row("time", "event", "outcome", "error", "diagnosis", "cause", "remedy", "details", "request_id", "sign_in", "user", "network", "requests")
	for written := 0; len(lines) > 0 && written < maxCSV; {
		for _, e := range lines {
			line, diagnosis := logLine(e), diagnosis.Name(e.Cause)
			details := make([]string, len(line.Details))
			for i, f := range line.Details {
				details[i] = f.Name + ": " + f.Value
			}
			row(line.At.UTC().Format(time.RFC3339Nano), line.Event, line.Outcome, line.Error, e.Cause, diagnosis.Cause(), diagnosis.Remedy(),
				strings.Join(details, "; "), line.RequestID, e.Flow, line.User, line.Address, strconv.Itoa(max(1, line.Requests)))
		}
		written += len(lines)
		filter.BeforeID = lines[len(lines)-1].ID
		if lines, err = d.Store.Log(r.Request.Context(), filter); err != nil {
			panic(http.ErrAbortHandler) // a file that breaks off is better than one that seems whole
		}
	}
	return nil
}

// plainCell keeps a spreadsheet from evaluating a stranger's text as a formula, even one
// that splits cells at semicolons, commas or tabs inside quotes.
func plainCell(s string) string {
	var plain strings.Builder
	begins := true
	for _, c := range s {
		if begins && strings.ContainsRune("=+-@\t\r\n＝＋－＠", c) {
			plain.WriteByte('\'')
		}
		plain.WriteRune(c)
		begins = strings.ContainsRune(";,\t\r\n|", c) || begins && (c == ' ' || c == '"' || c == '\u00a0')
	}
	return plain.String()
}

package records

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
)

// exportLimit is that of one member of the staff, and maxExported the most lines of an export.
var exportLimit = provider.Limit{Burst: 10, Every: 6 * time.Minute}

const (
	maxExported = 1_000_000
	batch       = 500
)

// format writes events and, at the end, the checkpoint.
type format struct {
	name, contentType string
	begin             func(http.ResponseWriter) (event func(provider.RecordedEvent) error, end func(checkpoint string) error)
}

var asJSON = format{"jsonl", "application/jsonl", func(w http.ResponseWriter) (func(provider.RecordedEvent) error, func(string) error) {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	return func(e provider.RecordedEvent) error { return lines.Encode(e) },
		func(checkpoint string) error { return lines.Encode(map[string]string{"checkpoint": checkpoint}) }
}}

var asCSV = format{"csv", "text/csv; charset=utf-8", func(w http.ResponseWriter) (func(provider.RecordedEvent) error, func(string) error) {
	lines := csv.NewWriter(w)
	row := func(values ...string) error {
		for i, v := range values {
			values[i] = harmless(v)
		}
		if err := lines.Write(values); err != nil {
			return err
		}
		lines.Flush()
		return lines.Error()
	}
	_ = row("id", "at", "name", "user_id", "client_id", "address", "detail", "actor", "matter") // the first line of what follows fails alike
	return func(e provider.RecordedEvent) error {
			return row(strconv.FormatInt(e.ID, 10), e.At.UTC().Format(time.RFC3339Nano), e.Name, e.UserID, e.ClientID, e.Address, e.Detail, e.Actor, e.Matter)
		}, func(checkpoint string) error {
			return row("", "", "checkpoint", "", "", "", checkpoint, "", "")
		}
}}

// harmless is a value that no program takes for a formula.
func harmless(v string) string {
	first, _ := utf8.DecodeRuneInString(v)
	if v != "" && strings.ContainsRune("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20", first) { // in full width, too
		return "'" + v
	}
	return v
}

// export streams the events of a filter, the latest first, with the checkpoint at the end. It
// holds no more than some hundred, and no transaction: a connection that is cut off ends it.
func (r *Room) export(as format) frame.Handler {
	return func(q *frame.Request) error {
		f, err := readFilter(q.Request.URL.Query())
		if err != nil {
			return err
		}
		if f.wrong != "" {
			return frame.Malformed("a filter with a wrong value")
		}
		if q.Request.Method == http.MethodHead { // it would record what nobody gets
			return nil
		}
		if err := q.Allow("desk_export", exportLimit); err != nil {
			return err
		}
		if err := q.Write(f.read(event.TrailExported, as.name)); err != nil {
			return err
		}
		h := q.Writer.Header()
		h.Set("Content-Type", as.contentType)
		h.Set("Content-Disposition", `attachment; filename="audit-log.`+as.name+`"`)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		if err := r.stream(q, f, as); err != nil && q.Context().Err() == nil {
			// The client must not take it for whole.
			q.Frame.Logger.ErrorContext(q.Context(), "an export of the audit log was cut off", "error", err)
			panic(http.ErrAbortHandler)
		}
		return nil
	}
}

func (r *Room) stream(q *frame.Request, f filter, as format) error {
	event, end := as.begin(q.Writer)
	var before int64
	for sent := 0; sent < maxExported; {
		events, err := r.list(q.Context(), f, before, batch)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := event(e); err != nil {
				return err
			}
			before = e.ID
		}
		if sent += len(events); len(events) < batch {
			break
		}
	}
	c, err := r.Provider.Trail().Checkpoint(q.Context())
	if err != nil && !errors.Is(err, provider.ErrNoCheckpoint) {
		return err
	}
	return end(string(c.Signed))
}

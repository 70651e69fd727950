package plans

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/storage"
)

// csvBatch is how many targets are read at a time.
const csvBatch = 500

// serveTargets serves all targets of a plan as CSV.
func (s pages) serveTargets(r *frame.Request) error {
	p, err := storage.One(s.store.Plans(r.Context(), storage.PlanFilter{ID: new(r.Value("plan"))}))
	if err != nil {
		return asPage(r, err)
	}
	if err := s.looked(r.Context(), MemberOf(r), p.ID, "targets of a plan", p, nil); err != nil {
		return err
	}
	h := r.Writer.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="plan-`+p.ID+`.csv"`)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w := csv.NewWriter(r.Writer)
	_ = w.Write([]string{"number", "id", "state", "why"})
	for after := 0; ; {
		targets, failed := s.store.PlanTargets(r.Context(), p.ID, "", after, csvBatch)
		if failed != nil {
			panic(http.ErrAbortHandler) // the connection breaks, so that nobody takes it for the whole list
		}
		for _, t := range targets {
			_ = w.Write(csvRow(t))
			after = t.Number
		}
		if w.Flush(); len(targets) < csvBatch { // a reader that is gone ends the request's context
			return nil
		}
	}
}

func csvRow(t storage.PlanTarget) []string {
	return []string{strconv.Itoa(t.Number), inert(t.ID), string(t.State), inert(t.Why)}
}

// inert keeps a program for tables from taking a text for a formula.
func inert(text string) string {
	if strings.IndexAny(text, "=+-@\t\r") == 0 {
		return "'" + text
	}
	return text
}

package developer

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// maxTrace is the number of entries shown of one sign-in: its tokens may be used for
// months.
const maxTrace = 200

// showTrace shows the requests of one sign-in, the earliest first.
func (d *logPages) showTrace(r *request) error {
	flow := r.value("flow")
	if len(flow) > maxLogName {
		return provider.ErrScreenNotFound
	}
	lines, err := d.Store.Log(r.Request.Context(), storage.LogFilter{
		Environment: r.app.Environment, ClientID: r.app.ClientID, Flow: flow, OldestFirst: true, Limit: maxTrace + 1,
	})
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return provider.ErrScreenNotFound
	}
	p, err := d.applicationPage(r, screens.SectionLog)
	if err != nil {
		return err
	}
	view := screens.TraceView{Page: p, LogURL: d.logPath(r), More: len(lines) > maxTrace}
	for _, e := range lines[:min(len(lines), maxTrace)] {
		line := d.linkedLine(r, e)
		line.TraceURL = ""
		line.Since = e.At.Sub(lines[0].At)
		view.Lines = append(view.Lines, line)
	}
	r.Render(http.StatusOK, screens.Trace(view))
	return nil
}

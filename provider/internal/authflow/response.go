package authflow

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
)

// respond sends an authorization response, success or error, to the application in the
// response mode of its request.
func (e *flows) respond(w http.ResponseWriter, r *http.Request, request *engine.AuthorizeRequest, response issue.Response) {
	if response.Mode == protocol.ModeFedCM {
		e.handOver(w, r, request, Location(response))
		return
	}
	if response.Mode == protocol.ModeFormPost {
		e.Site.RenderFor(w, r, request, http.StatusOK, e.Site.Screens.FormPost(ui.FormPostView{
			Page: e.Site.PageView(r, request), URL: response.RedirectURI, Fields: fieldsOf(response),
		}))
		return
	}
	e.Site.Leave(w, r, Location(response), web.Parameter(r, web.FlowParameter) != "", func() ui.Page { return e.Site.PageView(r, request) })
}

// fieldsOf returns a response as form fields.
func fieldsOf(response issue.Response) []ui.Field {
	fields := make([]ui.Field, len(response.Parameters))
	for i, parameter := range response.Parameters {
		fields[i] = ui.Field(parameter)
	}
	return fields
}

// Location returns the redirect URI with the response in its query or fragment, after the
// registered query.
func Location(response issue.Response) string {
	var b strings.Builder
	b.WriteString(response.RedirectURI)
	separator := "#"
	if response.Mode == protocol.ModeQuery || response.Mode == protocol.ModeFedCM {
		separator = "?"
		if strings.Contains(response.RedirectURI, "?") {
			separator = "&"
		}
	}
	for _, parameter := range response.Parameters {
		b.WriteString(separator)
		b.WriteString(url.QueryEscape(parameter.Name))
		b.WriteString("=")
		b.WriteString(url.QueryEscape(parameter.Value))
		separator = "&"
	}
	return b.String()
}

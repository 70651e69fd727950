package provider

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/ui"
)

// respond sends an authorization response, success or error, to the application in
// the response mode of its request.
func (p *Provider) respond(w http.ResponseWriter, r *http.Request, request *engine.AuthorizeRequest, response engine.Response) {
	if response.Mode == engine.ModeFormPost {
		fields := make([]ui.Field, len(response.Parameters))
		for i, parameter := range response.Parameters {
			fields[i] = ui.Field(parameter)
		}
		p.renderFor(w, r, request, http.StatusOK, ui.FormPost(ui.FormPostView{
			Page: p.pageView(r, request), URL: response.RedirectURI, Fields: fields,
		}))
		return
	}
	p.redirect(w, location(response))
}

// answer is respond for a request that may have gone through forms. Browsers do not
// follow a form to the scheme of an app, so such a response goes through a page.
func (p *Provider) answer(w http.ResponseWriter, r *http.Request, request *engine.AuthorizeRequest, response engine.Response) {
	if parameter(r, flowParameter) == "" || response.Mode == engine.ModeFormPost || homeOf(response.RedirectURI) != "" {
		p.respond(w, r, request, response)
		return
	}
	target := location(response)
	w.Header().Set("Refresh", "0; url="+target)
	p.renderFor(w, r, request, http.StatusOK, ui.Continue(ui.ContinueView{Page: p.pageView(r, request), URL: target}))
}

// location returns the redirect URI with the response in its query or fragment,
// after what the registered query holds.
func location(response engine.Response) string {
	var b strings.Builder
	b.WriteString(response.RedirectURI)
	separator := "#"
	if response.Mode == engine.ModeQuery {
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

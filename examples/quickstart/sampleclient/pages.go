package sampleclient

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
)

// page is what every page shows.
type page struct {
	Site     string
	Title    string
	Service  *service
	Services []*service
}

func (s *Site) page(title string, c *service) page { return page{Name, title, c, s.services} }

type homePage struct {
	page
	Standard  protocol
	Protocols []protocol
	Chosen    bool // a service, of the other ways
	Scopes    []string
	Scope     string
	Levels    []level
	WidgetURL string
	StartURL  string
	Snippet   string
	SignedIn  bool
}

type resultPage struct {
	page
	*outcome
	Protocol protocol
}

type handoverPage struct {
	page
	Next string
}

type problemPage struct {
	page
	*problem
	Again string
}

// home explains the ways to sign in, and offers them.
func (s *Site) home(w http.ResponseWriter, r *http.Request) {
	c := s.service(r.URL.Query().Get("service"))
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	p := homePage{
		page: s.page("Sign in", c), Standard: c.protocols[0], Protocols: c.protocols, Chosen: r.URL.Query().Has("service"), Scope: defaultScope, Levels: levels,
		Scopes:    c.discovery.scopeValues(ctx),
		WidgetURL: c.BaseURL + "/widget/v1.js",
		SignedIn:  s.sessions.outcome(s.cookie.get(r)) != nil,
	}
	p.StartURL = "/start/" + p.Standard.Key() + "?service=" + url.QueryEscape(c.Key)
	p.Snippet = snippet(p.WidgetURL, p.Standard.ClientID(), p.StartURL)
	s.render(w, http.StatusOK, "home.html", p)
}

// snippet is the markup of the button on this page, for a developer to copy.
func snippet(script, clientID, start string) string {
	return `<script src="` + script + `" async></script>
<style>span[data-client-id] { display: inline-block; min-height: 44px }</style>

<span data-client-id="` + clientID + `"
      data-start="` + start + `"></span>`
}

// result shows what came back, to the visitor that it belongs to.
func (s *Site) result(w http.ResponseWriter, r *http.Request) {
	o := s.sessions.outcome(s.cookie.get(r))
	if o == nil {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	s.render(w, http.StatusOK, "result.html", resultPage{page: s.page("What came back", o.service), outcome: o, Protocol: o.protocol})
}

// lastProblem says why the visitor's last sign-in failed.
func (s *Site) lastProblem(w http.ResponseWriter, r *http.Request) {
	e := s.sessions.problem(s.cookie.get(r))
	if e == nil {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	s.problem(w, e.flow, e.problem)
}

// problem says what went wrong, and offers to begin again.
func (s *Site) problem(w http.ResponseWriter, f *flow, p *problem) {
	view := problemPage{page: s.page(p.Headline, s.services[0]), problem: p}
	if f != nil {
		view.Service = f.service
		again := url.Values{"service": {f.service.Key}, "scope": {f.scope}}
		if f.level.Key != "" {
			again.Set("level", f.level.Key)
		}
		view.Again = "/start/" + f.protocol.Key() + "?" + again.Encode()
	}
	s.render(w, p.status, "problem.html", view)
}

func (s *Site) notFound(w http.ResponseWriter, _ *http.Request) {
	s.problem(w, nil, &problem{
		status: http.StatusNotFound, Headline: "Page not found", Text: "The start page has everything.",
	})
}

// render draws a page before anything is sent, so that a fault in drawing it can
// still be told.
func (s *Site) render(w http.ResponseWriter, status int, name string, view any) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, view); err != nil {
		http.Error(w, "The page could not be drawn.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

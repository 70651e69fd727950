package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

var table = []Route{
	{Method: http.MethodGet, Path: "/", Handler: answer("home")},
	{Method: http.MethodGet, Path: "/form", Handler: answer("show")},
	{Method: http.MethodPost, Path: "/form", Handler: answer("act")},
	{Method: http.MethodGet, Path: "/acts", Acts: true, Handler: answer("acts")},
	{Method: http.MethodGet, Path: "/oidc/.well-known/jwks", Kind: Program, Origins: true, Handler: answer("keys")},
	{Method: http.MethodPost, Path: "/oauth/token", Kind: Program, Origins: true, Handler: answer("token")},
	{Method: http.MethodGet, Path: "/assets/{name}", Handler: answer("asset")},
}

func answer(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// TestRouterFindsWhatTheMuxFinds tests that the short way to a route leads to the same one:
// another would be served without the checks of its own.
func TestRouterFindsWhatTheMuxFinds(t *testing.T) {
	rt := newRouter(&Site{}, table)
	slow := *rt
	slow.exact = nil
	paths := []string{
		"/", "/form", "/form/", "/acts", "/oidc/.well-known/jwks", "/oidc/.well-known/", "/oauth/token", "/oauth//token",
		"/oauth/../form", "//form", "/%66orm", "/oauth%2Ftoken", "/assets/a", "/assets/", "/other", "/api/x", "/FORM",
	}
	found := map[*Route]bool{}
	for _, path := range paths {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "OPTIONS", "CONNECT", "get", ""} {
			r := httptest.NewRequest(http.MethodGet, "http://idp.test"+path, nil)
			r.Method = method
			got, want := rt.find(r, r.URL.Path), slow.find(r, r.URL.Path)
			if got != want {
				t.Errorf("%s %s leads to %+v, and by the mux to %+v", method, path, got, want)
			}
			found[got] = true
		}
	}
	if len(found) < len(table) {
		t.Errorf("only %d routes were found", len(found))
	}
}

// TestConstantsAreServedLikeOthers tests who gets a document at once, and who goes the way
// that has a time limit, telemetry and the end of the provider.
func TestConstantsAreServedLikeOthers(t *testing.T) {
	document := NewDocument([]byte("{}"), http.Header{"Content-Type": {"application/json"}})
	var ready bool
	at := Route{Method: http.MethodGet, Path: "/constant", Kind: Program, Handler: answer("long way"), Constant: func() *Document {
		if ready {
			return document
		}
		return nil
	}}
	ctx, end := context.WithCancel(t.Context())
	site := &Site{Options: Options{Logger: slog.New(slog.DiscardHandler)}, Base: &url.URL{}}
	s := NewServer(site, ServerOptions{Routes: []Route{at}, Closed: ctx})
	ask := func(body io.Reader) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/constant", body))
		return w
	}
	if got := ask(nil).Body.String(); got != "long way" {
		t.Errorf("while it has to be read: %q", got)
	}
	ready = true
	if got := ask(nil).Body.String(); got != "{}" {
		t.Errorf("once it is there: %q", got)
	}
	if got := ask(strings.NewReader("a body that may drip")).Body.String(); got != "long way" {
		t.Errorf("with a body, which needs a time limit: %q", got)
	}
	s.Telemetry = &Telemetry{}
	if s.serveConstant(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/constant", nil), s.router.routes["GET /constant"]) {
		t.Error("telemetry does not see it")
	}
	s.Telemetry = nil
	end()
	if w := ask(nil); w.Code != http.StatusServiceUnavailable {
		t.Errorf("after Close it is answered with %d", w.Code)
	}
}

package provider

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
)

// cors lets scripts of registered origins call an endpoint. The token endpoint
// learns which application asks from the request itself, so an answer names the
// origin only when that application has registered it; credentials of the browser
// are never let in, and no origin is ever trusted by a part of its name.
func (p *Provider) cors(answers route) route {
	open := route{}
	for method, h := range answers {
		open[method] = func(w http.ResponseWriter, r *http.Request) {
			h(&corsWriter{ResponseWriter: w, provider: p, request: r}, r)
		}
	}
	methods := strings.Join(slices.Sorted(maps.Keys(answers)), ", ")
	open[http.MethodOptions] = func(w http.ResponseWriter, r *http.Request) { p.preflight(w, r, methods) }
	return open
}

// preflight answers for any well-formed origin: it reveals nothing, and the browser
// asks the request itself for leave again.
func (p *Provider) preflight(w http.ResponseWriter, r *http.Request, methods string) {
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("Allow", methods)
	origin := r.Header.Get("Origin")
	if validateOrigin(origin) == nil {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Methods", methods)
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
		h.Set("Access-Control-Max-Age", "600")
	}
	w.WriteHeader(http.StatusNoContent)
}

// corsWriter decides on the origin when the answer begins: by then the form has
// been read and the token been looked up.
type corsWriter struct {
	http.ResponseWriter
	provider *Provider
	request  *http.Request
	decided  bool
}

func (w *corsWriter) WriteHeader(status int) {
	w.decide()
	w.ResponseWriter.WriteHeader(status)
}

func (w *corsWriter) Write(b []byte) (int, error) {
	w.decide()
	return w.ResponseWriter.Write(b)
}

func (w *corsWriter) decide() {
	if w.decided {
		return
	}
	w.decided = true
	w.Header().Add("Vary", "Origin")
	origin := w.request.Header.Get("Origin")
	if origin == "" || !w.provider.originAllowed(w.request, origin) {
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Expose-Headers", "WWW-Authenticate, Retry-After")
}

// originAllowed reports whether the application that asks has registered the
// origin.
func (p *Provider) originAllowed(r *http.Request, origin string) bool {
	client, err := p.askingClient(r)
	return err == nil && slices.Contains(client.Origins, origin)
}

func (p *Provider) askingClient(r *http.Request) (*engine.Client, error) {
	if strings.HasPrefix(p.path(r), "/api/") {
		token, _, err := presentedToken(r)
		if err != nil {
			return nil, err
		}
		return p.engine.TokenClient(r.Context(), token)
	}
	if id := r.PostForm.Get("client_id"); id != "" {
		return p.engine.Client(r.Context(), id)
	}
	if id, _, ok := r.BasicAuth(); ok {
		return p.engine.Client(r.Context(), id)
	}
	return nil, errors.New("no client named")
}

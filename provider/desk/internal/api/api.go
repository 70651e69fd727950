package api

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	users "github.com/bonafide-id/bonafide/provider/desk/internal/person"
	"github.com/bonafide-id/bonafide/provider/desk/internal/plans"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// Options are what the API is made of. Frame and Book are required; without the others their
// operations are absent.
type Options struct {
	Frame *frame.Frame
	Book  *action.Book

	// Host are the functions of a host with its own users.
	Host users.Host

	Plans        *plans.Service
	Dashboard    *developer.Dashboard
	Verification *verification.Service

	// Lines returns what lines of the audit log are about; nil where no plan is made of them. more
	// reports that there are more than most.
	Lines func(ctx context.Context, match provider.EventFilter, kind action.Kind, most int) (ids []string, more bool, err error)
}

// API is the Admin API of one desk. It is an http.Handler for everything below its path.
type API struct {
	Options
	Provider *provider.Provider
	resource provider.Resource
	path     string // that of the API
	docs     string // the address of the reference

	operations []operation
	document   []byte
	running    running
	misses     misses
	counted    counted
	mux        *http.ServeMux
}

// New returns the API, or nil if the provider has no resource for it: then there is none.
func New(o Options) (*API, error) {
	p := o.Frame.Provider
	installed := p.Rooms().Installation()
	i := slices.IndexFunc(installed.Resources, func(r provider.Resource) bool { return r.URI == Resource(o.Frame.BaseURL).URI })
	if i < 0 {
		return nil, nil //nolint:nilnil // it is off
	}
	base, err := url.Parse(o.Frame.BaseURL)
	if err != nil {
		return nil, err
	}
	a := &API{
		Options: o, Provider: p, resource: installed.Resources[i], path: base.Path + "/desk/api/v1", docs: o.Frame.BaseURL + "/desk/docs",
		running: running{now: map[storage.Digest]bool{}}, misses: misses{row: map[string]int{}}, mux: http.NewServeMux(),
	}
	a.operations = a.table()
	if a.document, err = a.openAPI(); err != nil {
		return nil, err
	}
	a.mount()
	return a, nil
}

// ServeHTTP answers everything below the path of the API. A path that nothing has, such as one with
// a NUL, is answered as any other that there is not.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.Frame.Pages.Room().IsPath(r) {
		r = r.Clone(r.Context())
		r.URL, r.RequestURI = &url.URL{Path: a.path + "/"}, ""
	}
	a.mux.ServeHTTP(w, r)
}

// Has reports whether a client may still ask.
func (a *API) Has(client string) bool { return slices.Contains(a.resource.Clients, client) }

// mount serves every operation, the documents about them, and errors for all else.
func (a *API) mount() {
	at, patience := map[string]methods{}, map[string]time.Duration{}
	program := func(path string, h http.HandlerFunc) {
		a.mux.Handle(a.path+path, a.Frame.Pages.Room().Patient(patience[path]).Program(h))
	}
	for i := range a.operations {
		o := &a.operations[i]
		if at[o.Path] == nil {
			at[o.Path] = methods{}
		}
		patience[o.Path] = max(patience[o.Path], o.Patience)
		at[o.Path][o.Method] = func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, o) }
	}
	at[documentPath] = methods{http.MethodGet: document(a.document)}
	at[metadataPath] = methods{http.MethodGet: document(a.metadata())}
	for path, m := range at {
		program(path, func(w http.ResponseWriter, r *http.Request) {
			h := m[r.Method]
			if r.Method == http.MethodHead {
				h = m[http.MethodGet]
			}
			if h == nil {
				w.Header().Set("Allow", m.allowed())
				a.writeProblem(w, fail(kindMethod, ""))
				return
			}
			h(w, r)
		})
	}
	program("/", func(w http.ResponseWriter, _ *http.Request) { a.writeProblem(w, notFound) })
}

// methods are the handlers of one path.
type methods map[string]http.HandlerFunc

// allowed is the header Allow.
func (m methods) allowed() string {
	all := slices.Collect(maps.Keys(m))
	if m[http.MethodGet] != nil {
		all = append(all, http.MethodHead)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// document serves a JSON document.
func document(content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(content)
	}
}

// serve answers one request.
func (a *API) serve(w http.ResponseWriter, r *http.Request, o *operation) {
	s, err := a.answer(w, r, o)
	if err == nil {
		s.write(w)
		return
	}
	p := asProblem(err)
	if p.kind.status >= http.StatusInternalServerError && r.Context().Err() == nil {
		a.Frame.Logger.ErrorContext(r.Context(), "a request to the Admin API failed", slog.String("operation", o.ID), slog.Any("error", err))
	}
	a.writeProblem(w, p)
}

// answer lets a request in and returns its response.
func (a *API) answer(w http.ResponseWriter, r *http.Request, o *operation) (sent, error) {
	client, err := a.bearer(r, o)
	if err != nil {
		return sent{}, err
	}
	if err := a.allow(r, client.ClientID, o.Spend); err != nil {
		return sent{}, err
	}
	c := &call{Request: r, api: a, op: o, client: client.ClientID, scopes: client.Scopes}
	c.acts()
	if err := c.checkQuery(); err != nil {
		return sent{}, err
	}
	if o.hasBody() {
		if c.raw, c.tree, err = readBody(w, r, o.MaxBody); err != nil {
			return sent{}, err
		}
	}
	if !o.Act {
		return c.run()
	}
	if c.once, err = newOnce(c); err != nil {
		return sent{}, err
	}
	if !a.running.begin(c.once.key) {
		return sent{}, fail(kindRunning, "")
	}
	defer a.running.end(c.once.key)
	if s, known, err := c.once.answered(); known || err != nil {
		return s, err
	}
	s, err := c.run()
	if err == nil {
		return s, nil
	}
	// Another process may have answered meanwhile: for it the target has changed since.
	if kept, known, again := c.once.answered(); again == nil && known {
		return kept, nil
	}
	if errors.Is(err, errRepeated) {
		err = fail(kindRunning, "")
	}
	return s, err
}

// run carries a request out.
func (c *call) run() (sent, error) {
	if c.op.Matter {
		if err := c.useMatter(); err != nil {
			return sent{}, err
		}
	}
	r, err := c.op.serve(c)
	if err != nil {
		return sent{}, err
	}
	return c.send(r)
}

package credential

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// mount adds the endpoints and the pages.
func (s *Service) mount() error {
	post := func(path string, h http.HandlerFunc) { s.mux.Handle(s.base+path, s.program(h, http.MethodPost)) }
	get := func(path string, h http.HandlerFunc) {
		s.mux.Handle(path, s.program(h, http.MethodGet, http.MethodHead))
	}
	post("/nonce", s.serveNonce)
	post("/credential", s.serveCredential)
	post("/notification", s.serveNotification)
	get(s.base+"/offers/{group}", public(offerLife, s.serveOffer))
	get(s.base+"/types/{group}", s.serveType)
	get(s.base+"/status/{list}", s.serveStatus)
	get(s.base+"/jwks", s.serveKeys)
	get(s.wellKnown(keysDocument), s.serveIssuer)
	get(s.wellKnown(issuerDocument), public(documentLife, s.serveMetadata))
	s.mux.Handle(s.base+"/", s.cfg.Provider.Pages().Screen(func(*provider.Screen) error { return provider.ErrScreenNotFound }))
	return pages{s}.mount(s.mux)
}

// How long wallets may keep what does not depend on who asks.
const (
	offerLife    = 5 * time.Minute
	documentLife = time.Hour
)

// program serves an endpoint for wallets and verifiers. Scripts of any origin may call it: what it
// answers depends on no cookie.
func (s *Service) program(h http.HandlerFunc, methods ...string) http.Handler {
	allowed := strings.Join(methods, ", ")
	return s.cfg.Provider.Rooms().Pages.Program(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		switch {
		case slices.Contains(methods, r.Method):
			w.Header().Set("Access-Control-Expose-Headers", "DPoP-Nonce, WWW-Authenticate")
			h(w, r)
		case r.Method == http.MethodOptions:
			w.Header().Set("Access-Control-Allow-Methods", allowed)
			w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type, DPoP")
			w.WriteHeader(http.StatusNoContent)
		default:
			w.Header().Set("Allow", allowed)
			s.fail(w, r, errMethod)
		}
	}))
}

// public lets caches keep the answer of an endpoint.
func public(life time.Duration, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Del("Pragma")
		w.Header().Set("Cache-Control", "public, max-age="+strconv.Itoa(int(life/time.Second)))
		h(w, r)
	}
}

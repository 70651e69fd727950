package credential

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/room"
)

// mount adds the endpoints and the pages.
func (s *Service) mount() error {
	post := func(path string, h http.HandlerFunc) { s.mux.Handle(s.base+path, s.program(h, http.MethodPost)) }
	get := func(path string, h http.HandlerFunc) {
		s.mux.Handle(path, s.program(h, http.MethodGet, http.MethodHead))
	}
	post("/nonce", s.serveNonce)
	post("/credential", s.forHolder(s.answerCredential))
	post("/notification", s.forHolder(s.answerNotification))
	get(s.base+"/offers/{group}", s.serveOffer)
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

// forHolder serves an endpoint to which wallets present an access token; an answer of nil has no body.
// Who builds the wallet learns how it was answered.
func (s *Service) forHolder(answer func(r *http.Request, h room.Holder) (body any, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		clients := s.cfg.Provider.Rooms().Clients
		h, ok := clients.Holder(w, r)
		if !ok {
			return
		}
		body, err := answer(r, h)
		switch {
		case err != nil:
			clients.Answered(r.Context(), h, s.fail(w, r, err))
			return
		case body == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			writeJSON(w, http.StatusOK, body)
		}
		clients.Answered(r.Context(), h, "")
	}
}

// public lets caches keep the answer of an endpoint.
func public(life time.Duration, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Del("Pragma")
		w.Header().Set("Cache-Control", "public, max-age="+strconv.Itoa(int(life/time.Second)))
		h(w, r)
	}
}

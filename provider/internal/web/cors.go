package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// AllowOrigin lets the requesting script read the response if its application has
// registered the origin; c is nil if the application is unknown. It never trusts an origin
// by part of its name. It must be called before the response begins. It returns why the
// script cannot read it, or nil.
func (s *Site) AllowOrigin(w http.ResponseWriter, r *http.Request, c *registry.Client) *protocol.Error {
	addVary(w.Header(), varyOrigin)
	origin := r.Header.Get("Origin")
	if origin == "" || c == nil {
		return nil
	}
	if !slices.Contains(c.Origins, origin) {
		if origin == s.Base.Scheme+"://"+s.Base.Host {
			return nil
		}
		return (&protocol.Error{}).Because(diagnosis.OriginNotRegistered,
			"origin", origin, "registered", strings.Join(c.Origins, " "))
	}
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Expose-Headers", "WWW-Authenticate, Retry-After, DPoP-Nonce")
	return nil
}

// varyOrigin and varyEncoding are shared by all responses, which saves allocations.
var (
	varyOrigin   = []string{"Origin"}
	varyEncoding = []string{"Accept-Encoding"}
)

// addVary adds one name to the header Vary.
func addVary(h http.Header, name []string) {
	if known := h["Vary"]; len(known) == 0 {
		h["Vary"] = name
	} else {
		h["Vary"] = append(slices.Clip(known), name...)
	}
}

// anyAddress is the most that a configuration can allow.
var anyAddress = registry.Addresses{PrivateHTTP: true}

// preflight answers for any well-formed origin: it reveals nothing, and the request itself
// is checked again.
func preflight(methods string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Add("Vary", "Origin")
		h.Set("Allow", methods)
		if origin := r.Header.Get("Origin"); anyAddress.ValidateOrigin(origin) == nil {
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Allow-Methods", methods)
			if asked := r.Header.Get("Access-Control-Request-Headers"); isHeaderList(asked) {
				h.Set("Access-Control-Allow-Headers", asked) // some libraries send one of their own; none but three is read
			}
			h.Set("Access-Control-Max-Age", "600")
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// isHeaderList reports whether a text is a list of field names of a realistic length.
func isHeaderList(list string) bool {
	return list != "" && len(list) <= 1024 && !strings.ContainsFunc(list, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_, ", r))
	})
}

package web

import (
	"context"
	"net/http"

	"github.com/bonafide-id/bonafide/ui"
)

// warningKey is the key of a warning in the context of a request.
type warningKey struct{}

// Warned returns a request whose pages warn of a recovery (ui.Page).
func Warned(r *http.Request, of *ui.Recovery) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), warningKey{}, of))
}

// warningOf returns the recovery that the pages of a request warn of, or nil.
func warningOf(r *http.Request) *ui.Recovery {
	of, _ := r.Context().Value(warningKey{}).(*ui.Recovery)
	return of
}

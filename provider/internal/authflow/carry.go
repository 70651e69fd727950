package authflow

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// Carry returns the web.FlowParameter with which another page of the provider goes on, with
// what this one has changed; empty if the page was opened for nothing.
func (e *Endpoint) Carry(w http.ResponseWriter, r *http.Request, p *Page) (string, error) {
	switch {
	case p.Flow != nil:
		return e.seal(w, r, p.Flow)
	case p.Return != nil:
		return e.SealReturn(w, r, *p.Return)
	default:
		return "", nil
	}
}

// Next returns the address to which Continue redirects the browser, for a page that shows
// something first.
func (e *Endpoint) Next(w http.ResponseWriter, r *http.Request, p *Page) (string, error) {
	switch {
	case p.Flow != nil:
		sealed, err := e.seal(w, r, p.Flow)
		return e.Site.Link("/oauth/authorize", web.FlowParameter, sealed), err
	case p.Return != nil:
		return p.Return.Address, nil
	default:
		return e.Site.Link("/account"), nil
	}
}

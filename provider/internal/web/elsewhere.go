package web

import (
	"net/url"

	"github.com/bonafide-id/bonafide/provider/internal/session"
)

// At returns a server of pages at another address, with the look, the languages and the limits
// of this one: it serves their assets, and has no page of the table. base must be valid. Cookies
// are of the host: nobody who is signed in here is signed in there.
func (s *Server) At(base string) (*Server, error) {
	o := s.site.Options
	at, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	o.BaseURL, o.Cookies, o.Alone = base, session.NewCookies(at, o.Issuer), true
	site, err := New(o)
	if err != nil {
		return nil, err
	}
	options := s.ServerOptions
	options.Routes, options.Telemetry = site.Assets(), s.Telemetry.at(site.Base)
	return NewServer(site, options), nil
}

// Site is what the pages of the server share.
func (s *Server) Site() *Site { return s.site }

package issue

import (
	"net/url"

	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// Parameter is one member of an authorization response.
type Parameter struct{ Name, Value string }

// Response is an authorization response, success or error, on its way to the
// client.
type Response struct {
	RedirectURI string
	Mode        protocol.ResponseMode
	Parameters  []Parameter
}

// InOrder returns what was issued in the order in which responses carry it.
func InOrder(issued url.Values) (parameters []Parameter) {
	for _, name := range []string{"code", "access_token", "token_type", "expires_in", "scope", "id_token"} {
		if issued.Has(name) {
			parameters = append(parameters, Parameter{name, issued.Get(name)})
		}
	}
	return parameters
}

// Respond adds what every response carries: the state that was sent, and the
// issuer, so that a client of several providers cannot be confused (RFC 9207).
func (m *Maker) Respond(r *authorization.Request, p []Parameter) Response {
	redirectURI := r.RedirectURI
	if r.StateSent {
		p = append(p, Parameter{"state", r.State})
		redirectURI = registry.WithoutState(redirectURI) // two would be read in two ways
	}
	p = append(p, Parameter{"iss", m.Issuer})
	return Response{RedirectURI: redirectURI, Mode: r.Mode, Parameters: p}
}

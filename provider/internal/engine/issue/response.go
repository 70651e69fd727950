package issue

import (
	"encoding/json"
	"fmt"
	"net/url"
	"time"

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

// responseLife is the life of a response that is a JWT; JARM section 2.1 wants at most 10
// minutes.
const responseLife = 5 * time.Minute

// Respond adds what every response carries: the state that was sent, and the
// issuer, so that a client of several providers cannot be confused (RFC 9207). A signed
// response has all of that in its JWT.
func (m *Maker) Respond(r *authorization.Request, p []Parameter) (Response, error) {
	redirectURI := r.RedirectURI
	if r.StateSent {
		p = append(p, Parameter{"state", r.State})
		redirectURI = registry.WithoutState(redirectURI) // two would be read in two ways
	}
	p = append(p, Parameter{"iss", m.Issuer})
	if r.Signed {
		token, err := m.signResponse(r.Client, p)
		if err != nil {
			return Response{}, err
		}
		p = []Parameter{{"response", token}}
	}
	return Response{RedirectURI: redirectURI, Mode: r.Mode, Parameters: p}, nil
}

// signResponse returns a response as a JWT for its client (JARM section 2.1).
func (m *Maker) signResponse(c *registry.Client, p []Parameter) (string, error) {
	claims := map[string]any{"aud": c.ID, "exp": m.Clock().Add(responseLife).Unix()}
	for _, parameter := range p {
		claims[parameter.Name] = parameter.Value
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("encode authorization response: %w", err)
	}
	token, err := m.SignResponse(c.ResponseSigning(), payload)
	if err != nil {
		return "", fmt.Errorf("sign authorization response: %w", registry.Unsigned(c.ResponseSigning(), err))
	}
	return token, nil
}

package authorization

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// DetailReader reads the parameter authorization_details (RFC 9396) of wallets (OpenID for
// Verifiable Credential Issuance 1.0 section 5.1.1).
type DetailReader interface {
	// Detail returns which credential one of them asks for, and the scope that stands for it. The
	// error of one that nobody can be granted is for its client.
	Detail(sent json.RawMessage) (id, scope string, err error)
}

// Detail is one of authorization_details: the credential that it asks for, and the scope that the
// user is asked for, without which it means nothing.
type Detail struct {
	ID    string `json:"id"`
	Scope string `json:"scope"`
}

// The bounds of authorization_details: a wallet asks for few credentials at once.
const (
	maxDetails       = 8
	maxDetailsLength = 4 << 10
	maxDetailsDepth  = 6
)

var errDetails = protocol.Fail(protocol.InvalidDetails,
	"The parameter authorization_details is no list of at most 8 JSON objects, each of which asks for a credential that there is.").
	Because(diagnosis.ParameterMalformed, "parameter", "authorization_details")

// readDetails adds what authorization_details ask for to the scopes of a request: the user is asked
// as for these.
func (a Reader) readDetails(r *Request) (err error) {
	if r.Claims.Details, err = a.DetailsIn(r.Form, r.Client); err != nil || r.Claims.Details == nil {
		return err
	}
	for _, d := range r.Claims.Details {
		if !slices.Contains(r.asked, d.Scope) {
			r.asked = append(slices.Clone(r.asked), d.Scope)
		}
	}
	r.Scopes = r.asked
	return nil
}

// DetailsIn returns what the authorization_details of a client ask for, each once; nil for none.
func (a Reader) DetailsIn(form url.Values, c *registry.Client) (asked []Detail, err error) {
	if a.Details == nil || !c.Dialect.Credentials || !form.Has("authorization_details") {
		return nil, nil
	}
	sent, err := splitDetails(form.Get("authorization_details"))
	if err != nil {
		return nil, err
	}
	for _, one := range sent {
		id, scope, err := a.Details.Detail(one)
		if err != nil {
			return nil, errDetails
		}
		if d := (Detail{id, scope}); !slices.Contains(asked, d) {
			asked = append(asked, d)
		}
	}
	return asked, nil
}

// splitDetails returns the elements of the parameter.
func splitDetails(parameter string) (sent []json.RawMessage, err error) {
	if len(parameter) > maxDetailsLength {
		return nil, errDetails
	}
	d := json.NewDecoder(bytes.NewReader([]byte(parameter)))
	if checkNesting(d, maxDetailsDepth) != nil {
		return nil, errDetails
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errDetails
	}
	if json.Unmarshal([]byte(parameter), &sent) != nil || len(sent) == 0 || len(sent) > maxDetails {
		return nil, errDetails
	}
	return sent, nil
}

// DetailsWithin returns those of details whose scope is among these; nil for none.
func DetailsWithin(details []Detail, scopes []string) (kept []Detail) {
	for _, d := range details {
		if slices.Contains(scopes, d.Scope) {
			kept = append(kept, d)
		}
	}
	return kept
}

// DetailsOf returns what was asked for in detail of a grant, as far as these scopes go.
func DetailsOf(g storage.Grant, scopes []string) []Detail {
	return DetailsWithin(ClaimsOf(g).Details, scopes)
}

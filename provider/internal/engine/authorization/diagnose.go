package authorization

import (
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// Diagnose says why fosite has refused a request.
func (a Reader) Diagnose(r *Request, refused *protocol.Error) *protocol.Error {
	switch refused.Code {
	case protocol.InvalidScope:
		return a.diagnoseScope(r, refused)
	case protocol.UnsupportedResponseType:
		if r.Client.Dialect.Name == registry.DialectStandard && r.ResponseType != "code" && !r.OpenID() {
			return refused.Because(diagnosis.V3RequestAtStandard, "response_type", r.ResponseType)
		}
		return refused.Because(diagnosis.ResponseTypeNotRegistered, "response_type", r.ResponseType,
			"registered", strings.Join(r.Client.AllowedResponseTypes(), ", "))
	case protocol.UnsupportedResponseMode:
		return refused.Because(diagnosis.ResponseModeUnsupported, "response_mode", r.Form.Get("response_mode"))
	case protocol.UnauthorizedClient:
		return refused.Because(diagnosis.GrantNotRegistered)
	default:
		return refused
	}
}

// diagnoseScope tells values that there are not from those that this client may not ask
// for.
func (a Reader) diagnoseScope(r *Request, refused *protocol.Error) *protocol.Error {
	var unknown, forbidden []string
	for _, scope := range r.asked {
		switch {
		case scope == protocol.ScopeOpenID:
		case !a.ScopeKnown(scope):
			unknown = append(unknown, scope)
		case !registry.Allows(r.Client.AllowedScopes(), scope):
			forbidden = append(forbidden, scope)
		}
	}
	if r.asksAsLibrary() {
		return refused.Because(diagnosis.StandardRequestAtV3, "scope", r.Form.Get("scope"))
	}
	if len(unknown) == 0 && len(forbidden) > 0 {
		return refused.Because(diagnosis.ScopeNotAllowed, "scope", strings.Join(forbidden, " "),
			"registered", strings.Join(r.Client.Scopes, " "))
	}
	return refused.Because(diagnosis.ScopeUnknown, "scope", strings.Join(unknown, " "))
}

// asksAsLibrary reports whether the request of a client with a single scope value names
// the scopes of OpenID Connect Core section 5.4, as its libraries do by themselves.
func (r *Request) asksAsLibrary() bool {
	return r.Client.Dialect.SingleScope && r.OpenID() && slices.ContainsFunc(r.asked, func(s string) bool {
		return slices.Contains([]string{"profile", "email", "address", "phone"}, s)
	})
}

// LooksStandard reports whether an OpenID Connect library seems to have made the request
// of a client whose dialect is another: nobody else sends nonce and PKCE, or wants several
// of its scopes at once.
func (r *Request) LooksStandard() bool {
	return r.MustPick() && r.asksAsLibrary() || SeemsStandard(r.Client, r.Scopes, r.Nonce, r.Challenge)
}

// SeemsStandard reports whether a request of a client, or a grant, has what a library of
// OpenID Connect sends, while the client's dialect is another.
func SeemsStandard(c *registry.Client, scopes []string, nonce, challenge string) bool {
	return c.Dialect.Name == registry.DialectV3 && slices.Contains(scopes, protocol.ScopeOpenID) && nonce != "" && challenge != ""
}

package engine

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
)

// noClient is the answer to a request of an application that there is not, or that is
// disabled.
func noClient(cause error) *Error {
	e := &Error{Code: InvalidClient, Description: "There is no such application.", Status: http.StatusBadRequest, Cause: cause}
	if errors.Is(cause, ErrDisabled) {
		return e.Because(diagnosis.ApplicationDisabled)
	}
	return e.Because(diagnosis.ClientUnknown)
}

// diagnose says why fosite has refused a request.
func (e *Engine) diagnose(r *AuthorizeRequest, refused *Error) *Error {
	switch refused.Code {
	case InvalidScope:
		return e.diagnoseScope(r, refused)
	case UnsupportedResponseType:
		if r.Client.Dialect.Name == DialectStandard && r.ResponseType != "code" && !r.OpenID() {
			return refused.Because(diagnosis.V3RequestAtStandard, "response_type", r.ResponseType)
		}
		return refused.Because(diagnosis.ResponseTypeNotRegistered, "response_type", r.ResponseType,
			"registered", strings.Join(r.Client.responseTypes(), ", "))
	case UnsupportedResponseMode:
		return refused.Because(diagnosis.ResponseModeUnsupported, "response_mode", r.Form.Get("response_mode"))
	case UnauthorizedClient:
		return refused.Because(diagnosis.GrantNotRegistered)
	default:
		return refused
	}
}

// diagnoseScope tells values that there are not from those that this client may not ask
// for.
func (e *Engine) diagnoseScope(r *AuthorizeRequest, refused *Error) *Error {
	var unknown, forbidden []string
	for _, scope := range strings.Split(r.Form.Get("scope"), " ") {
		switch {
		case scope == "" || scope == ScopeOpenID:
		case !e.ScopeKnown(scope):
			unknown = append(unknown, scope)
		case !allows(r.Client.Scopes, scope):
			forbidden = append(forbidden, scope)
		}
	}
	if len(unknown) == 0 && len(forbidden) > 0 {
		return refused.Because(diagnosis.ScopeNotAllowed, "scope", strings.Join(forbidden, " "),
			"registered", strings.Join(r.Client.Scopes, " "))
	}
	return refused.Because(diagnosis.ScopeUnknown, "scope", strings.Join(unknown, " "))
}

// scopeMistake says why a request has another number of scopes than the dialect of its
// client takes: an OpenID Connect library may be at work.
func (r *AuthorizeRequest) scopeMistake() diagnosis.Name {
	if r.OpenID() || r.Nonce != "" || r.Challenge != "" {
		return diagnosis.StandardRequestAtV3
	}
	return diagnosis.ScopeNotSingle
}

// LooksStandard reports whether an OpenID Connect library seems to have made the request
// of a client whose dialect is another: nobody else sends nonce and PKCE.
func (r *AuthorizeRequest) LooksStandard() bool {
	return r.Client.Dialect.Name == DialectV3 && slices.Contains(r.Scopes, ScopeOpenID) && r.Nonce != "" && r.Challenge != ""
}

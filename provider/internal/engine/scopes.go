package engine

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// readScopes reads which scopes a request asks for. In a dialect that grants a single
// scope value a request may name several: then they are its Choices, of which the user
// picks one. With openid alone the choices are those that the client has registered.
func (e *Engine) readScopes(r *AuthorizeRequest) {
	r.asked = input.ScopeValues(r.Form.Get("scope"))
	r.Scopes = r.asked
	if !r.Client.Dialect.SingleScope || len(r.asked) == 0 {
		return
	}
	r.asked = input.Distinct(e.splitAtCommas(r.asked))
	choices := withoutProtocol(r.asked)
	if len(choices) == 0 {
		choices = e.registeredScopes(r.Client)
	}
	if len(choices) == 1 {
		r.Scopes = r.granting(choices[0])
		return
	}
	r.Scopes, r.Choices = r.granting(""), choices
}

// splitAtCommas also takes commas for separators, as the sign-in button does, unless they
// are part of a scope value that there is.
func (e *Engine) splitAtCommas(asked []string) []string {
	var all []string
	for _, value := range asked {
		if e.ScopeKnown(value) {
			all = append(all, value)
			continue
		}
		all = append(all, slices.DeleteFunc(strings.Split(value, ","), func(v string) bool { return v == "" })...)
	}
	return all
}

// withoutProtocol returns the scope values that release something.
func withoutProtocol(scopes []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return s == protocol.ScopeOpenID || s == protocol.ScopeOfflineAccess })
}

// registeredScopes are the scope values that a client may ask for.
func (e *Engine) registeredScopes(c *registry.Client) []string {
	if len(c.Scopes) == 0 {
		return withoutProtocol(e.Scopes)
	}
	return slices.DeleteFunc(withoutProtocol(c.Scopes), func(s string) bool { return !e.ScopeKnown(s) })
}

// granting returns what is granted with one scope value, in the order of the request;
// without one, whether it is a request of OpenID Connect.
func (r *AuthorizeRequest) granting(scope string) []string {
	var granted []string
	for _, asked := range r.asked {
		if asked == protocol.ScopeOpenID || asked == scope {
			granted = append(granted, asked)
		}
	}
	if scope != "" && !slices.Contains(granted, scope) {
		granted = append(granted, scope)
	}
	return granted
}

// MustPick reports whether the user has yet to pick one of the Choices.
func (r *AuthorizeRequest) MustPick() bool { return len(r.Choices) > 0 && r.Picked == "" }

// Pick grants one of the Choices of a request in place of them. It returns ErrNoChoice
// when the scope value is none of them.
func (e *Engine) Pick(ctx context.Context, r *AuthorizeRequest, scope string) error {
	if !slices.Contains(r.Choices, scope) {
		return ErrNoChoice
	}
	granted := r.granting(scope)
	read, err := e.readByFosite(ctx, r.Form, granted)
	if err != nil {
		return e.diagnose(r, refusal(err))
	}
	r.Picked, r.Scopes, r.read = scope, granted, read
	return nil
}

// ErrNoChoice says that a scope value was picked that was not offered.
var ErrNoChoice = errors.New("engine: the scope value is none of the choices")

// withScopes returns a form with other scopes.
func withScopes(form url.Values, scopes []string) url.Values {
	form = maps.Clone(form)
	form.Set("scope", strings.Join(scopes, " "))
	return form
}

// askForTheirs has a request that names resources and no scope ask for all that means
// something to them (RFC 6749 section 3.3): clients of the Model Context Protocol leave the
// choice to the server.
func (e *Engine) askForTheirs(r *AuthorizeRequest) {
	if len(r.asked) > 0 || r.Client.Dialect.SingleScope {
		return
	}
	for _, uri := range r.Resources {
		for _, scope := range e.Resources.Find(uri).Scopes {
			if registry.Allows(r.Client.Scopes, scope) && !slices.Contains(r.asked, scope) {
				r.asked = append(r.asked, scope)
			}
		}
	}
	r.Scopes = r.asked
}

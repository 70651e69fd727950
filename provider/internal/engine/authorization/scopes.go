package authorization

import (
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// readScopes reads which scopes a request asks for. In a dialect that grants a single
// scope value a request may name several: then they are its Choices, of which the user
// picks one. With openid alone the choices are those that the client has registered.
func (a Reader) readScopes(r *Request) {
	r.asked = input.ScopeValues(r.Form.Get("scope"))
	r.Scopes = r.asked
	if !r.Client.Dialect.SingleScope || len(r.asked) == 0 {
		return
	}
	r.asked = input.Distinct(a.splitAtCommas(r.asked))
	choices := WithoutProtocol(r.asked)
	if len(choices) == 0 {
		choices = a.registeredScopes(r.Client)
	}
	if len(choices) == 1 {
		r.Scopes = r.Granting(choices[0])
		return
	}
	r.Scopes, r.Choices = r.Granting(""), choices
}

// splitAtCommas also takes commas for separators, as the sign-in button does, unless they
// are part of a scope value that there is.
func (a Reader) splitAtCommas(asked []string) []string {
	var all []string
	for _, value := range asked {
		if a.ScopeKnown(value) {
			all = append(all, value)
			continue
		}
		all = append(all, slices.DeleteFunc(strings.Split(value, ","), func(v string) bool { return v == "" })...)
	}
	return all
}

// WithoutProtocol returns the scope values that release something.
func WithoutProtocol(scopes []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return s == protocol.ScopeOpenID || s == protocol.ScopeOfflineAccess })
}

// registeredScopes are the scope values that a client may ask for.
func (a Reader) registeredScopes(c *registry.Client) []string {
	registered := c.Scopes
	if len(registered) == 0 {
		registered = a.Scopes
	}
	return slices.DeleteFunc(WithoutProtocol(registered), func(s string) bool { return !a.ScopeKnown(s) || !c.Dialect.Credentials && a.Resources.IsItself(s) })
}

// Granting returns what is granted with one scope value, in the order of the request;
// without one, whether it is a request of OpenID Connect.
func (r *Request) Granting(scope string) []string {
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
func (r *Request) MustPick() bool { return len(r.Choices) > 0 && r.Picked == "" }

// askForTheirs has a request that names resources and no scope ask for all that means
// something to them (RFC 6749 section 3.3), and for who the user is if they have no scopes:
// clients of the Model Context Protocol leave the choice to the server.
func (a Reader) askForTheirs(r *Request) {
	if len(r.asked) > 0 || r.Client.Dialect.SingleScope {
		return
	}
	none := len(r.Resources) > 0
	for _, uri := range r.Resources {
		for _, scope := range a.Resources.Find(uri).Scopes {
			none = false
			if registry.Allows(r.Client.Scopes, scope) && !slices.Contains(r.asked, scope) {
				r.asked = append(r.asked, scope)
			}
		}
	}
	if none && registry.Allows(r.Client.Scopes, protocol.ScopeOpenID) {
		r.asked = append(r.asked, protocol.ScopeOpenID)
	}
	r.Scopes = r.asked
}

// readOptional reads which of the scopes of a request its user may leave out.
func (r *Request) readOptional() {
	r.Optional = slices.DeleteFunc(slices.Clone(r.Scopes), func(s string) bool { return !r.Client.IsOptional(s) })
}

// ignoreScopes leaves out of a request the scope values that mean nothing: those that
// nobody knows (OpenID Connect Core section 3.1.2.1), and offline_access where no refresh
// token can come of it (section 11). It is an error when none is left.
func (a Reader) ignoreScopes(r *Request) error {
	if !r.Client.Dialect.IgnoresScopes {
		return nil
	}
	asked := r.Scopes
	r.Scopes = nil
	for _, scope := range asked {
		offline := scope == protocol.ScopeOfflineAccess && !(r.Client.AllowsGrant(protocol.GrantRefreshToken) && r.Returns("code"))
		if offline || !a.Knows(scope) {
			r.Ignored = append(r.Ignored, scope)
		} else {
			r.Scopes = append(r.Scopes, scope)
		}
	}
	if len(r.Scopes) == 0 && len(r.Ignored) > 0 {
		return protocol.Refused(protocol.InvalidScope).Because(diagnosis.ScopeUnknown, "scope", strings.Join(r.Ignored, " "))
	}
	return nil
}

// Knows reports whether a scope value means something here.
func (a Reader) Knows(scope string) bool {
	return scope == protocol.ScopeOpenID || a.ScopeKnown(scope)
}

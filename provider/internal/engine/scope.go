package engine

import (
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// ignoreScopes leaves out of a request the scope values that mean nothing: those that
// nobody knows (OpenID Connect Core section 3.1.2.1), and offline_access where no refresh
// token can come of it (section 11). It is an error when none is left.
func (e *Engine) ignoreScopes(r *AuthorizeRequest) error {
	if !r.Client.Dialect.IgnoresScopes {
		return nil
	}
	asked := r.Scopes
	r.Scopes = nil
	for _, scope := range asked {
		offline := scope == protocol.ScopeOfflineAccess && !(r.Client.AllowsGrant(protocol.GrantRefreshToken) && r.returns("code"))
		if offline || !e.knows(scope) {
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

// knows reports whether a scope value means something here.
func (e *Engine) knows(scope string) bool {
	return scope == protocol.ScopeOpenID || e.ScopeKnown(scope)
}

// stillKnown leaves out of the scopes of a refresh those that nobody knows, which the
// authorization request was not granted either; not all of them.
func (e *Engine) stillKnown(asked []string, c *registry.Client) []string {
	if !c.Dialect.IgnoresScopes {
		return asked
	}
	known := slices.DeleteFunc(slices.Clone(asked), func(scope string) bool { return !e.knows(scope) })
	if len(known) == 0 {
		return asked
	}
	return known
}

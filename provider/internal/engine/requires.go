package engine

import (
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// requirements change after a grant: a scope, an application or the provider may ask for
// more than the user's authentication of that time has reached. Then it gets no tokens and
// no data, until the user has authenticated as is required now.

// strongEnough returns invalid_grant if tokens with these scopes require a higher level than
// the authentication behind a grant has reached, or by factors that the account has had for
// longer. Its age is no matter: a refresh token is there to be used later.
func (e *Engine) strongEnough(g storage.Grant, c *registry.Client, scopes []string) error {
	required := e.Requires(g, c, scopes)
	if !required.AtAnyAge().MetAt(reachedBy(g), e.Clock()) {
		return errGrant.Because(diagnosis.AuthenticationWeak, "acr", e.Classes.Name(g), "required", authorization.WordOf(required.Level))
	}
	return nil
}

// StrongEnough returns insufficient_user_authentication (RFC 9470 section 3) if data requires
// another authentication than that behind an access token.
func (e *Engine) StrongEnough(a Access, now time.Time) error {
	required := e.Requires(a.Grant, a.Client, a.Scopes)
	if required.MetAt(reachedBy(a.Grant), now) {
		return nil
	}
	weak := protocol.Fail(protocol.InsufficientUserAuth, "The user has to authenticate again, as acr_values and max_age say.").
		Because(diagnosis.AuthenticationWeak, "acr", e.Classes.Name(a.Grant), "required", authorization.WordOf(required.Level))
	weak.ACRValues, weak.MaxAge = authorization.WordOf(required.Level), int64(required.MaxAge/time.Second)
	return weak
}

// reachedBy is what the authentication behind a grant has reached.
func reachedBy(g storage.Grant) assurance.Reached {
	return assurance.Reached{Level: authorization.LevelOf(g), At: g.AuthTime, Since: g.EnrolledAt}
}

package resource

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
)

// Holder returns what the access token of a wallet is good for at the endpoints for credentials:
// one in the header alone, of a user, for the provider itself or its own endpoints, with one of
// the scopes of credentials. Its DPoPNonce is also there with an error.
func Holder(r *http.Request, e *engine.Engine, itself string, now time.Time) (engine.Access, error) {
	header := r.Header["Authorization"]
	switch {
	case len(header) > 1:
		return engine.Access{}, badRequest("The access token is given more than once.").Because(diagnosis.HeaderMalformed)
	case len(header) == 0, !isOurs(header[0]):
		return engine.Access{}, errNoToken
	}
	token, by, err := tokenIn(header[0])
	if err != nil {
		return engine.Access{}, err
	}
	a, err := access(e, r, token, by)
	if err == nil {
		err = mayHold(e, a, itself, now)
	}
	if err == nil {
		err = e.SpendProof(r.Context(), a)
	}
	return a, tellWay(err, by)
}

// mayHold refuses a token that is not for credentials of its user.
func mayHold(e *engine.Engine, a engine.Access, itself string, now time.Time) error {
	switch {
	case !a.Own && !slices.Equal(a.Resources, []string{itself}): // another resource may have got it, and present it here
		return errAudience
	case issue.UserOf(a.Grant) == "":
		return errScope.Because(diagnosis.TokenWithoutUser)
	case !slices.ContainsFunc(a.Scopes, e.Resources.IsItself), !a.Client.Dialect.Credentials:
		return errScope.Because(diagnosis.ScopeInsufficient, "scope", strings.Join(a.Scopes, " "))
	}
	return e.StrongEnough(a, now)
}

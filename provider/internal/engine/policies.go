package engine

import (
	"context"
	"net/http"
	"net/url"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/clientauth"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
)

// RegisteredScopes returns the scope values of the requesting client, including unknown ones. The
// client authenticates with its secret, in the query if it may send tokens there; r.PostForm
// has the parameters.
func (e *Engine) RegisteredScopes(ctx context.Context, r *http.Request) ([]string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, protocol.Fail(protocol.InvalidRequest, "The query of the address is not encoded correctly.").
			Because(diagnosis.ParameterMalformed, "parameter", "query")
	}
	r.PostForm = input.WithValue(query)
	if err := input.CheckForm(r.PostForm); err != nil {
		return nil, err
	}
	client, err := e.auth.BySecret(ctx, r, r.PostForm)
	switch {
	case err != nil:
		return nil, protocol.AsError(err)
	case client.Public: // anybody knows its name
		return nil, clientauth.ErrRefused.Because(diagnosis.SecretMissing)
	case r.PostForm.Has("client_secret") && !client.Dialect.TokenInQuery:
		return nil, clientauth.ErrRefused.Because(diagnosis.ParametersInQuery)
	case len(client.Scopes) == 0:
		return authorization.WithoutProtocol(e.Scopes), nil
	default:
		return authorization.WithoutProtocol(client.Scopes), nil
	}
}

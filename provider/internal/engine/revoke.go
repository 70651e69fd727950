package engine

import (
	"context"
	"errors"
	"net/http"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// Revoke ends a token of the client (RFC 7009). An access token ends with those that it was
// exchanged for, a refresh token with
// its grant and all tokens of that. An unknown token is no error; another client's is one, and
// stays valid.
func (e *Engine) Revoke(ctx context.Context, r *http.Request) (known bool, err error) {
	form, err := input.ReadForm(r)
	if err != nil {
		return false, err
	}
	if !form.Has("token") {
		return false, protocol.Fail(protocol.InvalidRequest, "The parameter token is missing.").Because(diagnosis.ParameterMissing, "parameter", "token")
	}
	if err := e.fosite.NewRevocationRequest(context.WithValue(ctx, revocationKey{}, &known), r); err != nil {
		return false, refusal(err)
	}
	return known, nil
}

// revocationKey is the key of the result of a revocation.
type revocationKey struct{}

// revocation implements fosite.RevocationHandler. The token itself shows its kind, so the hint is
// not needed.
type revocation struct{ *Engine }

func (h revocation) RevokeToken(ctx context.Context, presented string, _ fosite.TokenType, c fosite.Client) error {
	for _, kind := range []storage.TokenKind{storage.RefreshToken, storage.AccessToken} {
		digest, ok := h.maker.DigestOf(ctx, kind, presented)
		if !ok {
			continue
		}
		found, err := h.Grants.Issued(ctx, kind, digest)
		if errors.Is(err, storage.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if known, ok := ctx.Value(revocationKey{}).(*bool); ok {
			*known = true
		}
		if found.holder() != c.GetID() {
			return protocol.Fail(protocol.UnauthorizedClient, "The token belongs to another application.").Because(diagnosis.TokenOfAnother)
		}
		request.InFlow(ctx, found.Grant.Flow)
		of := found.Grant
		of.ClientID = found.holder()
		return h.RecordRevocation(ctx, of, kind, func(ctx context.Context) (bool, error) { return h.end(ctx, found) })
	}
	return nil
}

// end ends an access token, or the grant of a refresh token. It reports false if that has ended
// before.
func (h revocation) end(ctx context.Context, found *Issued) (bool, error) {
	if found.Token.Kind == storage.RefreshToken {
		n, err := h.Grants.RevokeGrants(ctx, storage.GrantFilter{ID: found.Grant.ID}, h.Clock())
		return n > 0, err
	}
	err := h.Grants.Exchange(ctx, found, h.Clock())
	if errors.Is(err, storage.ErrSpent) || errors.Is(err, storage.ErrEnded) || errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

package clientauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/engine/signed"
)

// assertionType is the client_assertion_type of RFC 7523 section 2.2.
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

var clientAssertion = signed.Kind{
	Parameter: "client_assertion", MediaType: "client-authentication+jwt", Refused: ErrRefused,
}

// authenticateByKey authenticates a client that has signed an assertion (private_key_jwt,
// OpenID Connect Core section 9).
func (a *Authenticator) authenticateByKey(ctx context.Context, r *http.Request, form url.Values) (*registry.Client, error) {
	if len(r.Header.Values("Authorization")) > 0 || form.Has("client_secret") {
		return nil, protocol.Fail(protocol.InvalidRequest, "The application's credentials are given more than once.").Because(diagnosis.CredentialsRepeated)
	}
	if form.Get("client_assertion_type") != assertionType {
		return nil, ErrRefused.Because(diagnosis.JWTMalformed, "parameter", "client_assertion_type")
	}
	token, claims, err := clientAssertion.Read(form.Get("client_assertion"))
	if err != nil {
		return nil, err
	}
	id := claims.Subject
	if form.Has("client_id") {
		id = form.Get("client_id")
	}
	client, err := a.Clients.Client(ctx, id)
	if errors.Is(err, registry.ErrNoClient) {
		if errors.Is(err, registry.ErrDisabled) {
			return nil, ErrRefused.Because(diagnosis.ApplicationDisabled)
		}
		return nil, ErrRefused.Because(diagnosis.ClientUnknown)
	}
	if err != nil {
		return nil, err
	}
	if client.AuthMethod != protocol.AuthPrivateKey {
		return nil, ErrRefused.Because(diagnosis.AuthMethodWrong, "method", protocol.AuthPrivateKey, "registered", client.AuthMethods())
	}
	if err := a.Signatures.Verify(ctx, clientAssertion, client, token, claims, client.AuthSigningAlg); err != nil {
		return nil, err
	}
	if claims.Subject != client.ID {
		return nil, clientAssertion.Because(diagnosis.JWTIssuer, "sub", claims.Subject)
	}
	return client, a.Signatures.Use(ctx, clientAssertion, client, claims)
}

// ClaimedClient returns the client_id that a request names, which nobody has verified: in its
// header, read as for authentication, in its form, or as the subject of an assertion.
func ClaimedClient(r *http.Request, form url.Values) string {
	if readings, err := parseBasic(r.Header.Get("Authorization")); err == nil {
		return readings[0][0]
	}
	if form.Get("client_id") != "" {
		return form.Get("client_id")
	}
	var claims signed.Claims
	token, err := clientkeys.Read(form.Get("client_assertion"))
	if err != nil || token.Unverified(&claims) != nil || !input.IsText(claims.Subject) {
		return ""
	}
	return claims.Subject
}

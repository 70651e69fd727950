package signed

import (
	"bytes"
	"context"
	"net/url"
	"slices"
	"strconv"

	"github.com/go-jose/go-jose/v3/json"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// RequestObject is an authorization request as an application signs it (RFC 9101).
var RequestObject = Kind{
	Parameter: "request", MediaType: "oauth-authz-req+jwt", isRequest: true,
	Refused: protocol.Fail(protocol.InvalidRequestObject, "The request object is malformed, expired, used, or not signed by this application for this provider."),
}

// OpenObject returns the parameters of a request object. Those beside it do not count
// (RFC 9101 section 5); of the two that make the request one of OAuth, it holds what they
// say (OpenID Connect Core section 6.1).
func (v *Verifier) OpenObject(ctx context.Context, c *registry.Client, form url.Values) (url.Values, Claims, error) {
	token, claims, err := RequestObject.Read(form.Get("request"))
	if err != nil {
		return nil, claims, err
	}
	if !token.IsSigned() {
		return nil, claims, RequestObject.Because(diagnosis.RequestObjectUnsigned)
	}
	if err := v.Verify(ctx, RequestObject, c, token, claims, c.RequestSigningAlg); err != nil {
		return nil, claims, err
	}
	if claims.Subject == c.ID { // it could pass for a client assertion (RFC 9101 section 10.8)
		return nil, claims, RequestObject.Because(diagnosis.JWTIssuer, "sub", claims.Subject)
	}
	parameters, err := objectParameters(token)
	if err != nil {
		return nil, claims, err
	}
	for _, name := range []string{"client_id", "response_type"} {
		if form.Has(name) && parameters.Has(name) && !slices.Equal(form[name], parameters[name]) {
			return nil, claims, RequestObject.Because(diagnosis.RequestObjectDiffers, "differs", name)
		}
	}
	parameters.Set("client_id", c.ID)
	return parameters, claims, nil
}

// objectClaims are members of a request object that are no parameters.
var objectClaims = []string{"iss", "sub", "aud", "exp", "nbf", "iat", "jti"}

// objectParameters returns the members of a request object as the parameters of a form.
func objectParameters(token *clientkeys.Token) (url.Values, error) {
	var members map[string]json.RawMessage
	if token.Unverified(&members) != nil {
		return nil, RequestObject.Because(diagnosis.JWTMalformed)
	}
	parameters := url.Values{}
	for name, raw := range members {
		switch {
		case slices.Contains(objectClaims, name):
			continue
		case name == "request", name == "request_uri": // RFC 9101 section 4
			return nil, RequestObject.Because(diagnosis.RequestObjectDiffers, "differs", name)
		}
		values, ok := parameterValues(raw)
		if name == "authorization_details" && !ok { // a list of objects, which is one value
			values, ok = []string{string(raw)}, true
		}
		if !ok {
			return nil, RequestObject.Because(diagnosis.JWTMalformed, "member", name)
		}
		parameters[name] = values
	}
	return parameters, nil
}

// parameterValues returns a JSON value as the values of a parameter: an object is one in
// JSON, as of the parameter claims, and of a list each is one, as of resource.
func parameterValues(raw json.RawMessage) ([]string, bool) {
	var text string
	var list []string
	switch raw := bytes.TrimSpace(raw); {
	case json.Unmarshal(raw, &text) == nil && raw[0] == '"':
		return []string{text}, true
	case raw[0] == '[':
		return list, json.Unmarshal(raw, &list) == nil && len(list) > 0
	case raw[0] == '{', string(raw) == "true", string(raw) == "false":
		return []string{string(raw)}, true
	default:
		_, err := strconv.ParseInt(string(raw), 10, 64)
		return []string{string(raw)}, err == nil
	}
}

package reference

import (
	"slices"
	"strings"
)

// grantTypes are those of the token endpoint.
var grantTypes = []string{"authorization_code", "refresh_token", "client_credentials", bearerGrant}

const bearerGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

func token(i Installation) Endpoint {
	grants := grantTypes
	var more []Parameter
	var errors []Error
	if i.Devices {
		grants = append(slices.Clone(grants), deviceGrant)
		more = []Parameter{{Name: "device_code", Needed: "for `" + deviceGrant + "`", Meaning: "That of the device authorization endpoint. Poll with it until the answer is another than `authorization_pending`."}}
		errors = deviceErrors()
	}
	if len(i.Credentials) > 0 {
		more, errors = append(more, detailsParameter()), append(errors, detailsErrors()...)
	}
	return Endpoint{
		ID: "token", Title: "Token endpoint", Path: "/oauth/token", Methods: []string{"POST"},
		Standard: "RFC 6749 section 3.2, OpenID Connect Core section 3.1.3",
		Text: []string{
			"Redeem a code for tokens, refresh them, or get an access token for your application itself. The parameters are a form in the body; in the dialect `v3` they may also be the members of a JSON object, each a string.",
			"A code that comes a second time ends what came of the first. A refresh token can be used once; the answer brings the next one. Store it before you use it.",
			"With `client_credentials` a confidential client asks for itself: there is no user, and so neither a refresh token nor an ID token, and the data endpoints answer `insufficient_scope`. An API of yours introspects the access token.",
			"With `urn:ietf:params:oauth:grant-type:jwt-bearer` (RFC 7523) your application signs the name of a user with its own key, and gets an access token to what that user has allowed it before, and nothing else.",
			"With `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693) an API of yours exchanges the access token that it was called with for one for another API, which `resource` names, to call that for the same user. The operator says which APIs may, and the user was asked about both. The new token has no more scopes, lives no longer, and ends with the other.",
		},
		Auth: ClientAuth, Origins: RegisteredOrigins,
		Parameters: slices.Concat([]Parameter{
			{Name: "grant_type", Needed: Always, Values: grants, Meaning: "What you present."},
			{Name: "code", Needed: "for `authorization_code`", Meaning: "The code of the authorization response."},
			{Name: "redirect_uri", Needed: "when the authorization request had one, and always in the dialect `v3`", Meaning: "The one of the authorization request."},
			{Name: "code_verifier", Needed: "when the authorization request had a `code_challenge`", Meaning: "The verifier that the challenge was made of."},
			{Name: "refresh_token", Needed: "for `refresh_token`", Meaning: "The newest refresh token."},
			{Name: "assertion", Needed: "for `" + bearerGrant + "`", Meaning: "A JWT with `iss` your `client_id`, `sub` the user, `aud` the issuer, `exp` and a fresh `jti`."},
			{Name: "subject_token", Needed: "for `" + exchangeGrant + "`", Meaning: "The access token that your API was called with."},
			{Name: "subject_token_type", Needed: "for `" + exchangeGrant + "`", Values: []string{typeAccessToken}, Meaning: "What it is."},
			{Name: "requested_token_type", Values: []string{typeAccessToken}, Meaning: "What to exchange it for; may be left out."},
			{Name: "scope", List: true, Meaning: "With `refresh_token`: fewer scope values than the user allowed. With `client_credentials`: some of those that are registered, and neither `openid` nor `offline_access`. With an assertion: some of those that the user has allowed. With a subject token: some of its own."},
			proofParameter("A proof of a key of your application (RFC 9449), in the dialect `standard`: the access token is bound to that key, and so is the refresh token of a public application. An answer may have a nonce for the next proof in its header `DPoP-Nonce`."),
			resourceParameter("The URI of an API that the access token is to be for, and nothing else (RFC 8707): of those that the authorization request has named. Without it the token is for all of these, and for the data endpoints."),
		}, more, credentials()),
		Answers: []Answer{{200, mediaJSON, "TokenPayload", ""}},
		Errors: slices.Concat(formErrors(), errors, exchangeErrors(), []Error{
			{Status: 400, Code: "invalid_request", Text: "Send the parameters as a form, or as one JSON object whose members are strings.", Remedy: "Numbers, lists, `null` and nested values are refused.", Example: []Change{body("application/json", "[]")}},
			{Status: 400, Code: "invalid_request", Text: "The parameter grant_type is missing.", Remedy: "Send it.", Example: []Change{without("grant_type")}},
			{Status: 400, Code: "invalid_request", Text: "The parameter code is missing.", Remedy: "Send the code of the authorization response.", Example: []Change{without("code")}},
			{Status: 400, Code: "invalid_request", Text: "The parameter redirect_uri is missing.", Remedy: "Send that of the authorization request.", For: InV3, Example: []Change{without("redirect_uri")}},
			{Status: 400, Code: "invalid_request", Text: "The parameter refresh_token is missing.", Remedy: "Send the newest one.", Refresh: true, Example: []Change{without("refresh_token")}},
			{Status: 400, Code: "invalid_request", Text: "The parameter assertion is missing.", Remedy: "Send one, signed with a registered key.", Example: []Change{with("grant_type", bearerGrant)}},
			{Status: 400, Code: "invalid_request", Text: "The request is malformed.", Remedy: "Something else that RFC 6749 requires is missing."},
			{Status: 400, Code: "invalid_grant", Text: "The code or token is unknown, expired, used or revoked, or belongs to another application.", Remedy: "Begin a new authorization request. After this answer to a refresh, the user signs in again.", Example: []Change{with("code", "nonsense")}},
			{Status: 400, Code: "invalid_grant", Text: "The redirect_uri is not that of the authorization request: the host differs.", Remedy: "Or another part, which it names. Send the same in both requests, byte for byte.", Example: []Change{with("redirect_uri", "https://another.example/cb")}},
			{Status: 400, Code: "invalid_grant", Text: "The code_verifier does not fit the code_challenge.", Remedy: "Keep the verifier with the session in which the flow began.", Example: []Change{with("code_verifier", strings.Repeat("x", 43))}},
			{Status: 400, Code: "invalid_grant", Text: "The assertion is malformed, expired, used, or not signed by this application for this provider, or its user has not allowed this.", Remedy: "Your log says which. Where the consent is missing, send the user to the authorization endpoint once.", Example: []Change{with("grant_type", bearerGrant), with("assertion", "x")}},
			{Status: 400, Code: "invalid_scope", Text: "Ask for no more scopes than the user allowed.", Remedy: "A refresh narrows, never widens.", Refresh: true, Example: []Change{with("scope", "openid offline_access")}},
			{Status: 400, Code: "invalid_scope", Text: "Ask for exactly one scope value that the user has allowed.", Remedy: "Name it with the assertion: the dialect grants one value.", For: InV3},
			{Status: 400, Code: "invalid_scope", Text: "This application may not ask for this scope for itself.", Remedy: "Ask for registered scope values, without `openid` and `offline_access`.", Itself: true, Example: []Change{with("scope", "openid")}},
			atToken(targetError()),
			{Status: 400, Code: "invalid_target", Text: "Name only resources that the authorization request has named.", Remedy: "Send the same `resource` in both requests: the user is asked about each."},
			{Status: 400, Code: "invalid_target", Text: "Name resources one by one: their tokens are signed with different algorithms.", Remedy: "Ask for a token for each `resource` by itself."},
			{Status: 400, Code: "unauthorized_client", Text: "This application is registered for an algorithm that signs no more.", Remedy: "Register one that discovery lists, or ask the operator to switch the old one on again."},
			{Status: 400, Code: "unauthorized_client", Text: "This application may not use this grant.", Remedy: "Register the grant `refresh_token`.", For: WithoutRefresh, Refresh: true, Example: []Change{with("refresh_token", "nonsense")}},
			{Status: 400, Code: "unauthorized_client", Text: "This application may not use this grant.", Remedy: "Register the grant `client_credentials`. A public client cannot have it.", For: ForPublic, Itself: true, Example: []Change{with("scope", "military")}},
			proofError, proofNonceError,
			{Status: 400, Code: "invalid_request", Text: "This application has to send a DPoP proof.", Remedy: "Its tokens are all bound to a key: its registration has `dpop_bound_access_tokens`.", For: InStandard},
			{Status: 400, Code: "unsupported_grant_type", Text: "This grant_type is not supported.", Remedy: "Use one of those above. In the dialect `v3` also when another than the first is not registered.", Example: []Change{with("grant_type", "password")}},
		}),
		Example: []Pair{
			{"grant_type", "authorization_code"}, {"code", "{code}"}, {"redirect_uri", "{redirect_uri}"}, {"code_verifier", "{code_verifier}"},
			{"client_id", "{client_id}"}, {"client_secret", "{client_secret}"},
		},
	}
}

// deviceErrors are those of a device that polls.
func deviceErrors() []Error {
	return []Error{
		{Status: 400, Code: "invalid_request", Text: "The parameter device_code is missing.", Remedy: "Send that of the device."},
		{Status: 400, Code: "authorization_pending", Text: "The user has not decided yet.", Remedy: "A device polls again after the interval."},
		{Status: 400, Code: "slow_down", Text: "Wait five seconds more before each poll.", Remedy: "A device polls too often."},
		{Status: 400, Code: "access_denied", Text: "The user did not allow it, or no longer does.", Remedy: "The user of a device has refused, or the account was locked since. Stop polling."},
		{Status: 400, Code: "expired_token", Text: "The device code has expired. Ask for another one.", Remedy: "Nobody has decided in time."},
	}
}

func proofParameter(meaning string) Parameter {
	return Parameter{Name: "DPoP", Header: true, Meaning: meaning}
}

// Errors of a proof where an application authenticates.
var (
	proofError = Error{Status: 400, Code: "invalid_dpop_proof", Text: "The DPoP proof is malformed, used, or not for this request, or its key is not accepted.",
		Remedy: "Sign a fresh proof: `htm` `POST`, `htu` the address as discovery has it, by ES256, PS256 or EdDSA.", For: InStandard}
	proofNonceError = Error{Status: 400, Code: "use_dpop_nonce", Text: "Send the DPoP proof again, with the nonce of the header DPoP-Nonce.",
		Remedy: "Repeat the same request: nothing was spent. Libraries do so by themselves.", For: InStandard}
)

// atToken is an error of the authorization endpoint as the token endpoint has it.
func atToken(e Error) Error {
	e.Status = 400
	return e
}

// RefreshExample is the example of the token endpoint for the grant refresh_token.
func RefreshExample() []Pair {
	return []Pair{
		{"grant_type", "refresh_token"}, {"refresh_token", "{refresh_token}"},
		{"client_id", "{client_id}"}, {"client_secret", "{client_secret}"},
	}
}

// ItselfExample is the example of the token endpoint for the grant client_credentials.
func ItselfExample() []Pair {
	return []Pair{{"grant_type", "client_credentials"}, {"client_id", "{client_id}"}, {"client_secret", "{client_secret}"}}
}

func revocation() Endpoint {
	return Endpoint{
		ID: "revoke", Title: "Revocation endpoint", Path: "/oauth/revoke", Methods: []string{"POST"},
		Standard: "RFC 7009",
		Text:     []string{"End a token that you do not need any more. An access token ends alone, or with those that APIs have exchanged it for; a refresh token with all that came of the same consent."},
		Auth:     ClientAuth, Origins: RegisteredOrigins,
		Parameters: append([]Parameter{
			{Name: "token", Needed: Always, Meaning: "An access token or a refresh token of your own. One that is unknown is no error."},
			{Name: "token_type_hint", Meaning: "Not needed: the token itself says what it is."},
		}, credentials()...),
		Answers: []Answer{{200, "", "", ""}},
		Errors: append(formErrors(),
			Error{Status: 400, Code: "invalid_request", Text: "The parameter token is missing.", Remedy: "Send one.", Example: []Change{without("token")}},
			Error{Status: 400, Code: "unauthorized_client", Text: "The token belongs to another application.", Remedy: "Revoke your own tokens only.", Example: []Change{with("token", "{access_token_of_another}")}},
		),
		Example: []Pair{{"token", "{access_token}"}, {"client_id", "{client_id}"}, {"client_secret", "{client_secret}"}},
	}
}

func introspection() Endpoint {
	return Endpoint{
		ID: "introspect", Title: "Introspection endpoint", Path: "/oauth/introspect", Methods: []string{"POST"},
		Standard: "RFC 7662",
		Text:     []string{"Ask whether a token of your own is in force. Tokens of other applications, and what is no token, are `\"active\": false`. For confidential clients."},
		Auth:     ConfidentialAuth, Origins: NoOrigin,
		Parameters: append([]Parameter{
			{Name: "token", Needed: Always, Meaning: "An access token or a refresh token."},
			{Name: "token_type_hint", Meaning: "Not needed: the token itself says what it is."},
		}, credentials()...),
		Answers: []Answer{{200, mediaJSON, "Introspection", ""}},
		Errors: append(formErrors(),
			Error{Status: 400, Code: "invalid_request", Text: "The parameter token is missing.", Remedy: "Send one.", Example: []Change{without("token")}},
		),
		Example: []Pair{{"token", "{access_token}"}, {"client_id", "{client_id}"}, {"client_secret", "{client_secret}"}},
	}
}

func credentials() []Parameter {
	return []Parameter{
		{Name: "client_id", Needed: "without HTTP Basic", Meaning: "Your application."},
		{Name: "client_secret", Needed: "without HTTP Basic, for confidential clients", Meaning: "Its secret. Instead of these two, HTTP Basic may carry them."},
		{Name: "client_assertion", Needed: "in place of a secret, for applications registered for `private_key_jwt`", Meaning: "A JWT that your application has signed with its own key: `iss` and `sub` your `client_id`, `aud` the issuer as a string, `exp` at most an hour ahead, and a fresh `jti`."},
		{Name: "client_assertion_type", Needed: "with `client_assertion`", Values: []string{"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}, Meaning: "What it is."},
	}
}

// formErrors are those of every endpoint that takes a form from an application.
func formErrors() []Error {
	return []Error{
		{Status: 400, Code: "invalid_request", Text: "Send the parameters as application/x-www-form-urlencoded.", Remedy: "Send a form in the body. Only the token endpoint takes JSON, in the dialect `v3`.", Example: []Change{body("text/plain", "token=x")}},
		{Status: 400, Code: "invalid_request", Text: "The form is not encoded correctly.", Remedy: "Let a library encode it.", Example: []Change{body("application/x-www-form-urlencoded", "token=%zz")}},
		{Status: 400, Code: "invalid_request", Text: "Send the parameters in the body only, not in the address.", Remedy: "Query parameters reach logs.", Example: []Change{query("x", "1")}},
		{Status: 400, Code: "invalid_request", Text: "A parameter is given more than once.", Remedy: "Send each parameter once.", Example: []Change{twice("client_id")}},
		{Status: 400, Code: "invalid_request", Text: "A parameter is too long.", Remedy: "Keep to the limits.", Example: []Change{long("client_id", 2049)}},
		{Status: 400, Code: "invalid_request", Text: "The request has too many parameters.", Remedy: "64 at most.", Example: []Change{crowd(64)}},
		{Status: 400, Code: "invalid_request", Text: "A parameter holds characters that are not allowed.", Remedy: "Send UTF-8 without control characters.", Example: []Change{with("client_id", "a\tb")}},
		{Status: 400, Code: "invalid_request", Text: "The application's credentials are given more than once.", Remedy: "Use HTTP Basic or parameters, not both.", Example: []Change{header("Basic {basic}")}},
		{Status: 400, Code: "invalid_request", Text: "The header and the body name different applications.", Remedy: "Name one.", Example: []Change{header("Basic {basic}"), without("client_secret"), with("client_id", "another")}},
		{Status: 401, Code: "invalid_client", Text: "The application's credentials are missing or wrong.", Remedy: "A wrong `client_id` or secret, a way of sending that is not the registered one, an assertion that is expired, used or not signed by you, or a disabled application.", Example: []Change{with("client_secret", "wrong")}},
		{Status: 413, Code: "invalid_request", Text: "The request is too large.", Remedy: "A form has 32 KiB at most.", Example: []Change{{Kind: SetBody, Name: "application/x-www-form-urlencoded", Value: "token=x", Length: 32<<10 + 1}}},
		{Status: 429, Code: "invalid_client", Text: "Too many attempts with wrong credentials. Please wait.", Remedy: "Only wrong credentials are counted. Correct them, and wait for `Retry-After`."},
	}
}

// everywhere are the errors of every endpoint that answers with JSON.
func everywhere() []Error {
	return []Error{
		{Status: 405, Code: "invalid_request", Text: "Method Not Allowed", Remedy: "The header `Allow` names the methods.", Example: []Change{method("TRACE")}},
		{Status: 500, Code: "server_error", Text: failed, Remedy: "Tell the operator the time and your `client_id`."},
		{Status: 503, Code: "temporarily_unavailable", Text: unavailable, Remedy: "Wait for `Retry-After` and repeat the same request. A refresh token that was spent all the same may be repeated for a while; after a code that was, begin anew."},
	}
}

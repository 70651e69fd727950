package reference

// accessTokenPayload is an access token that an API reads itself.
func accessTokenPayload(i Installation) Payload {
	return Payload{Name: "AccessToken", Title: "Claims of a JWT access token",
		Text: []string{
			"An application of the dialect `standard` can be registered for access tokens that are JWTs (RFC 9068). An API verifies them by the key set, without asking: the type `at+jwt` in the header, the signature (RS256 unless the API has chosen another `alg`; key by `kid`), `iss`, `exp`, and that `aud` holds its own URI.",
			"One that is revoked passes such a check until it expires. Where that matters, introspect it: they are introspected and revoked like all others. The application itself does not read them.",
		},
		Members: []Member{
			{Name: "iss", Type: TypeString, Always: true, Meaning: "The issuer.", Example: text(i.Issuer)},
			{Name: "sub", Type: TypeString, Always: true, Meaning: "The user; the `client_id` for a token of `client_credentials`.", Example: `"f3a1c9d27b5e4c0e8a6f"`},
			{Name: "aud", Type: TypeAny, Always: true, Meaning: "The APIs that it was asked for, with the issuer when it is for the data endpoints: a string, or a list of several.", Example: `"https://api.example.com"`},
			{Name: "exp", Type: TypeInteger, Always: true, Meaning: "When it expires, in seconds since 1970.", Example: `1773324600`},
			{Name: "iat", Type: TypeInteger, Always: true, Meaning: "When it was issued.", Example: `1773324300`},
			{Name: "jti", Type: TypeString, Always: true, Meaning: "Differs for every token.", Example: `"q3rT0yZ1"`},
			{Name: "client_id", Type: TypeString, Always: true, Meaning: "The application that it was issued to.", Example: `"your-client-id"`},
			{Name: "scope", Type: TypeString, When: "there is any", Meaning: "What it is good for, separated by spaces.", Example: text("openid " + i.exampleScope())},
			{Name: "auth_time", Type: TypeInteger, When: "a user has signed in", Meaning: "When."},
			{Name: "acr", Type: TypeString, When: "a user has signed in", Meaning: "How well, as in the ID token."},
			{Name: "amr", Type: TypeStrings, When: "a user has signed in, and it is known", Meaning: "How, as in the ID token."},
			{Name: "cnf", Type: TypeAny, When: "bound to a key", Meaning: "`jkt`, the SHA-256 thumbprint of the key (RFC 9449 section 6)."},
			{Name: "act", Type: TypeAny, When: "an API has exchanged a token for it", Meaning: "Who acts for the user: `sub` is the `client_id` of an API that was called before this one (RFC 8693 section 4.1), and another `act` in it the one before that."},
		}}
}

// signedResponsePayload is an authorization response in a JWT.
func signedResponsePayload(i Installation) Payload {
	return Payload{Name: "SignedResponse", Title: "Claims of a signed authorization response", Open: true,
		Text: []string{
			"With a `response_mode` that has `jwt`, in the dialect `standard`, the parameters of the authorization response are the claims of the JWT in `response` (JARM), errors too. Verify it by the key set, with the `authorization_signed_response_alg` of your registration, or RS256.",
		},
		Members: []Member{
			{Name: "iss", Type: TypeString, Always: true, Meaning: "The issuer.", Example: text(i.Issuer)},
			{Name: "aud", Type: TypeString, Always: true, Meaning: "Your `client_id`.", Example: `"your-client-id"`},
			{Name: "exp", Type: TypeInteger, Always: true, Meaning: "When it expires, in seconds since 1970.", Example: `1773324600`},
			{Name: "code", Type: TypeString, When: "asked for by `response_type`", Meaning: "To be redeemed at the token endpoint, once.", Example: `"ac_8sWq0PkJ"`},
			{Name: "state", Type: TypeString, When: "the request had one", Meaning: "That of the request, byte for byte.", Example: `"af0ifjsldkj"`},
			{Name: "error", Type: TypeString, When: "on an error", Meaning: "A code."},
			{Name: "error_description", Type: TypeString, When: "on an error", Meaning: "Text for developers."},
		}}
}

// logoutTokenPayload is what an application is sent when a session ends.
func logoutTokenPayload(i Installation) Payload {
	return Payload{Name: "LogoutToken", Title: "Claims of a logout token",
		Text: []string{
			"You receive it (OpenID Connect Back-Channel Logout 1.0): when a session ends in which your application got an ID token, it is posted to the `backchannel_logout_uri` of your registration, as `logout_token` in a form. A session that merely expires ends silently.",
			"Verify it by the key set like an ID token, with the type `logout+jwt` in the header. Demand the event in `events`, refuse one with a `nonce`, and one whose `jti` you have seen. Then end your own session with the same `sid`, or all of the user when there is none, and answer 200 or 204. After 408, 429, 500 and more, or no answer within five seconds, it is sent again; any other answer is final.",
		},
		Members: []Member{
			{Name: "iss", Type: TypeString, Always: true, Meaning: "The issuer.", Example: text(i.Issuer)},
			{Name: "sub", Type: TypeString, Always: true, Meaning: "The user.", Example: `"f3a1c9d27b5e4c0e8a6f"`},
			{Name: "aud", Type: TypeString, Always: true, Meaning: "Your `client_id`.", Example: `"your-client-id"`},
			{Name: "iat", Type: TypeInteger, Always: true, Meaning: "When it was made.", Example: `1773324300`},
			{Name: "exp", Type: TypeInteger, Always: true, Meaning: "When it expires.", Example: `1773324420`},
			{Name: "jti", Type: TypeString, Always: true, Meaning: "Differs for every token.", Example: `"kJ8sWq0P"`},
			{Name: "sid", Type: TypeString, When: "the ID token had one", Meaning: "The session, as in the ID token.", Example: `"gUkQGFkHqYxZ0bNdd8Qh6w"`},
			{Name: "events", Type: TypeAny, Always: true, Meaning: "An object with one member, of this name and without a meaning of its own.", Example: `{"` + logoutEvent + `": {}}`},
		}}
}

// logoutEvent is what a logout token tells of.
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

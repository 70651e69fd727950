package reference

func pushing(i Installation) Endpoint {
	parameters := []Parameter{}
	for _, p := range authorizationParameters(i) {
		if p.Name != "request_uri" && p.Name != "client_id" {
			parameters = append(parameters, p)
		}
	}
	return Endpoint{
		ID: "push", Title: "Pushed authorization request endpoint", Path: "/oauth/par", Methods: []string{"POST"},
		Standard: "RFC 9126",
		Text: []string{
			"Send the parameters of an authorization request here first, with your credentials. Nobody can change or read what does not travel through the browser. The answer is a `request_uri`: send the user to the authorization endpoint with it and your `client_id`, at once. It has one answer.",
			"Each error of the authorization endpoint that the request itself makes is answered here, as JSON.",
		},
		Auth: ClientAuth, Origins: RegisteredOrigins,
		Parameters: append(append(parameters, proofParameter("A proof of a key, which means the same as `dpop_jkt`.")), credentials()...),
		Answers:    []Answer{{201, mediaJSON, "PushedRequest", ""}},
		Errors: append(formErrors(),
			Error{Status: 400, Code: "invalid_request", Text: "A pushed request has no request_uri.", Remedy: "Send the parameters themselves.", Example: []Change{with("request_uri", "urn:x")}},
			Error{Status: 400, Code: "invalid_request", Text: "The redirect_uri is not registered.", Remedy: "Register it, byte for byte.", Example: []Change{with("redirect_uri", "https://elsewhere.example/")}},
			Error{Status: 400, Code: "invalid_scope", Text: "The scope is unknown, or this application may not ask for it.", Remedy: "Compare with `scopes_supported` of discovery, and with your registration.", Example: []Change{with("scope", "nonsense")}},
			Error{Status: 400, Code: "invalid_request_object", Text: objectRefused, Remedy: "Sign it with a registered key.", Example: []Change{with("request", "x")}},
			proofError, proofNonceError,
			Error{Status: 429, Code: "invalid_request", Text: "Too many requests of this application from one address. Please wait.", Remedy: "A public client pushes 120 requests at once from one address, and 120 a minute. Wait for `Retry-After`."},
		),
		Example: []Pair{
			{"redirect_uri", "{redirect_uri}"}, {"response_type", "code"}, {"scope", "openid " + i.exampleScope()}, {"state", "{state}"}, {"nonce", "{nonce}"},
			{"code_challenge", "{code_challenge}"}, {"code_challenge_method", "S256"}, {"client_id", "{client_id}"}, {"client_secret", "{client_secret}"},
		},
	}
}

const objectRefused = "The request object is malformed, expired, used, or not signed by this application for this provider."

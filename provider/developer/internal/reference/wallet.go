package reference

// detailsParameter is that of wallets at the token endpoint.
func detailsParameter() Parameter {
	return Parameter{Name: "authorization_details", Meaning: "For a wallet: of the credentials that the user has allowed, those that the access token is to be for, as in the authorization request (RFC 9396 section 6). Ignored in the dialect `v3`."}
}

// detailsErrors are those of wallets at the token endpoint.
func detailsErrors() []Error {
	return []Error{
		atToken(detailsError()),
		{Status: 400, Code: "invalid_authorization_details", For: InStandard, Text: "Ask for no more credentials than the user allowed.", Remedy: "Leave `authorization_details` out for all that the user has allowed."},
		{Status: 400, Code: "invalid_request", For: InStandard, Text: "The parameters pre-authorized_code and tx_code are needed.", Remedy: "For a wallet that nobody has registered: the code is in the offer, the digits are on the screen of the user."},
	}
}

// detailsError is that of authorization_details, which wallets send.
func detailsError() Error {
	return Error{
		Code: "invalid_authorization_details", For: InStandard,
		Text:   "The parameter authorization_details is no list of at most 8 JSON objects, each of which asks for a credential that there is.",
		Remedy: "Each has `type` `openid_credential` and a `credential_configuration_id` of the metadata; all together 4 KiB at most.",
	}
}

// ofWallets are there where wallets are issued credentials.
func ofWallets() []Endpoint {
	token := Parameter{Name: "Authorization", Header: true, Needed: Always, Meaning: "`Bearer` and the access token that the user has allowed; `DPoP` and the access token, where it is bound to a key."}
	return []Endpoint{
		{
			ID: "walletNonce", Title: "Nonce endpoint", Path: "/vci/nonce", Methods: []string{"POST"},
			Standard: "OpenID for Verifiable Credential Issuance 1.0 section 7",
			Text: []string{
				"For wallets: a `c_nonce` for the proof of a key, good for five minutes and one use.",
				"`/.well-known/openid-credential-issuer`, followed by the path of the issuer, says which credentials there are and by which scope they are asked for.",
			},
			Origins: EveryOrigin,
			Answers: []Answer{{200, mediaJSON, "", "`c_nonce`"}},
		},
		{
			ID: "walletCredential", Title: "Credential endpoint", Path: "/vci/credential", Methods: []string{"POST"}, JSON: true,
			Standard: "OpenID for Verifiable Credential Issuance 1.0 section 8",
			Text:     []string{"For wallets: a credential of a group that the user is a verified member of, as an SD-JWT VC that is bound to the key of the wallet. The access token has the scope of the credential, or was asked for with `authorization_details`."},
			Auth:     BearerAuth, Origins: EveryOrigin,
			Parameters: []Parameter{
				token,
				{Name: "credential_configuration_id", Needed: "without `credential_identifier`", Meaning: "Which credential."},
				{Name: "credential_identifier", Needed: "without `credential_configuration_id`", Meaning: "One of `credential_identifiers` of the token response."},
				{Name: "proofs", Object: true, Needed: Always, Meaning: "An object with `jwt`, a list of one proof: `typ` `openid4vci-proof+jwt`, ES256, the public key as `jwk`, `aud` the issuer, `iat`, and `nonce`."},
			},
			Answers: []Answer{{200, mediaJSON, "", "`credentials`, a list of one with `credential`, and `notification_id`"}},
			Errors: append(walletErrors(),
				Error{Status: 400, Code: "invalid_credential_request", Text: "The body is no JSON object with either credential_identifier or credential_configuration_id, and proofs.", Remedy: "One of the two, and `proofs`."},
				Error{Status: 400, Code: "invalid_encryption_parameters", Text: "Responses are not encrypted.", Remedy: "Leave `credential_response_encryption` out."},
				Error{Status: 400, Code: "unknown_credential_configuration", Text: "The credential_configuration_id is unknown, or the access token is not for it.", Remedy: "Take it from the metadata, and ask for its scope."},
				Error{Status: 400, Code: "unknown_credential_identifier", Text: "The credential_identifier is unknown, or the access token is not for it.", Remedy: "Take it from the token response."},
				Error{Status: 400, Code: "invalid_proof", Text: "The proofs are not one proof of the type jwt, signed with ES256 by the public P-256 key in its jwk, made now for this issuer, with a nonce.", Remedy: "No `kid` and no `x5c`; `iat` is at most five minutes off."},
				Error{Status: 400, Code: "invalid_nonce", Text: "The nonce of the proof is unknown, too old or used. Get another one, and make another proof.", Remedy: "Each is for one proof."},
				Error{Status: 400, Code: "credential_request_denied", Text: "The user is no verified member of the group, or not for another day.", Remedy: "Lead the user to sign-in: verification and renewal are there."},
			),
			Example: []Pair{{"Authorization", "Bearer {access_token}"}, {"credential_configuration_id", `"student"`}, {"proofs", `{"jwt": ["eyJ0eXAiOiJvcGVuaWQ0dmNpLXByb29mK2p3dCIs…"]}`}},
		},
		{
			ID: "walletNotification", Title: "Notification endpoint", Path: "/vci/notification", Methods: []string{"POST"}, JSON: true,
			Standard: "OpenID for Verifiable Credential Issuance 1.0 section 11",
			Text:     []string{"For wallets: what has become of a credential. One that could not be stored, or was deleted, ends."},
			Auth:     BearerAuth, Origins: EveryOrigin,
			Parameters: []Parameter{
				token,
				{Name: "notification_id", Needed: Always, Meaning: "That of the credential response."},
				{Name: "event", Needed: Always, Values: []string{"credential_accepted", "credential_failure", "credential_deleted"}, Meaning: "What has happened."},
			},
			Answers: []Answer{{204, "", "", ""}},
			Errors: append(walletErrors(),
				Error{Status: 400, Code: "invalid_notification_id", Text: "The notification_id is unknown, or the credential has ended.", Remedy: "Nothing is left to tell."},
				Error{Status: 400, Code: "invalid_notification_request", Text: "The body is no JSON object with notification_id and event.", Remedy: "Send both."},
			),
			Example: []Pair{{"Authorization", "Bearer {access_token}"}, {"notification_id", `"3fwe98js"`}, {"event", `"credential_accepted"`}},
		},
	}
}

// walletErrors are those of both endpoints that take an access token.
func walletErrors() []Error {
	return []Error{
		{Status: 413, Code: "invalid_credential_request", Text: "The body is too large.", Remedy: "16 KiB at most."},
		{Status: 415, Code: "invalid_credential_request", Text: "Send the request as application/json.", Remedy: "A form is no request."},
		{Status: 429, Code: "invalid_credential_request", Text: "Too many requests. Please wait.", Remedy: "Wait for `Retry-After`."},
	}
}

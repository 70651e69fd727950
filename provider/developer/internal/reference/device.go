package reference

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// DevicesAnchor is that of the section about device authorization.
const DevicesAnchor = "endpoint-device"

// deviceAuthorization is there where the provider has device authorization.
func deviceAuthorization(i Installation) Endpoint {
	return Endpoint{
		ID: "device", Title: "Device authorization endpoint", Path: "/oauth/device_authorization", Methods: []string{"POST"},
		Standard: "RFC 8628 section 3.1",
		Text: []string{
			"For a device without a browser, such as a television: show `user_code` and `verification_uri`, and poll the token endpoint every `interval` seconds with `device_code`. The user signs in elsewhere, enters the code, and decides there, each time anew. Where the device has a browser, use the authorization endpoint.",
			"Whoever sends somebody a code and has them enter it gets into their account: the page is genuine, and no check ends this. What limits it: a code lives for minutes, guesses are counted, and the page names the application, the code and another network. Use the grant only where nothing else works.",
			"The application needs the grant `" + deviceGrant + "` in its registration; the dialect `v3` and applications that require verified users have none.",
		},
		Auth: ClientAuth, Origins: RegisteredOrigins,
		Parameters: append([]Parameter{
			{Name: "scope", Needed: Always, List: true, Meaning: "What you ask for, as at the authorization endpoint. An operator may keep scopes from devices."},
			resourceParameter("The URI of an API that access tokens are to be for (RFC 8707)."),
			proofParameter("A proof of a key: the device code is bound to it, and polls need proofs of that key."),
		}, credentials()...),
		Answers: []Answer{{200, mediaJSON, "DeviceAuthorization", ""}},
		Errors: append(formErrors(),
			Error{Status: 400, Code: "invalid_scope", Text: "The scope is unknown, or this application may not ask for it.", Remedy: "Compare with `scopes_supported` of discovery, and with your registration.", Example: []Change{with("scope", "nonsense")}},
			Error{Status: 400, Code: "invalid_scope", Text: "A device of this application may not ask for this scope.", Remedy: "The scope is not registered, or kept from devices."},
			Error{Status: 400, Code: "unauthorized_client", Text: "This application may not use this grant.", Remedy: "Register the grant `" + deviceGrant + "`.", For: WithoutRefresh, Example: []Change{with("scope", "openid")}},
			Error{Status: 400, Code: "invalid_request", Text: "This application has to send a DPoP proof.", Remedy: "Its tokens are all bound to a key: its registration has `dpop_bound_access_tokens`."},
			proofError, proofNonceError,
		),
		Example: []Pair{{"scope", "openid " + i.exampleScope()}, {"client_id", "{client_id}"}, {"client_secret", "{client_secret}"}},
	}
}

func deviceAuthorizationPayload(i Installation) Payload {
	return Payload{Name: "DeviceAuthorization", Title: "Device authorization response", Members: []Member{
		{Name: "device_code", Type: TypeString, Always: true, Meaning: "What the device polls with. It is shown to nobody.", Example: `"GmRhmhcxhwAzkoEqiMEg"`},
		{Name: "user_code", Type: TypeString, Always: true, Meaning: "What the user enters. Case, spaces and hyphens do not count.", Example: `"WDJB-MJHT"`},
		{Name: "verification_uri", Type: TypeString, Always: true, Meaning: "Where the user enters it.", Example: text(i.BaseURL + "/device")},
		{Name: "verification_uri_complete", Type: TypeString, When: "the operator has switched it on", Meaning: "The same with the code in it, as for a QR code. The user still compares the code."},
		{Name: "expires_in", Type: TypeInteger, Always: true, Meaning: "How many seconds both codes live.", Example: `300`},
		{Name: "interval", Type: TypeInteger, Always: true, Meaning: "How many seconds to wait between two polls.", Example: `5`},
	}}
}

package reference

// registration is there where clients register themselves.
func registration() Endpoint {
	return Endpoint{
		ID: "register", Title: "Registration endpoint", Path: "/oauth/register", Methods: []string{"POST"}, JSON: true,
		Standard: "RFC 7591 section 3",
		Text: []string{
			"A program that nobody has registered registers itself: it sends its metadata as a JSON object, and gets its `client_id`. Keep it; equal metadata make another client. Users read that nobody has checked it, and are asked each time when it is a program on their device. It ends after a day in which no user has allowed it anything, and 90 days after the last grant has ended.",
			"Nothing proves a host here. `https` redirect URIs are for hosts that the operator has named; all others lead to a program on the user's device: `http` on a loopback host, or a scheme of the program's own. A secret is for clients whose redirect URIs are all `https`.",
			"An organization's own programs send an initial access token as `Authorization: Bearer` and become applications of that organization; with the `registration_access_token` of the answer they manage their registration at its `registration_client_uri` (RFC 7592).",
			"The answer is what was registered: values beyond what such clients may have are left out. Members that are not listed here are ignored.",
		},
		Origins: EveryOrigin,
		Parameters: []Parameter{
			{Name: "redirect_uris", Needed: Always, Strings: true, Meaning: "1 to 20 addresses."},
			{Name: "client_name", Meaning: "What the client calls itself. Users read it beside the hosts of its redirect URIs."},
			{Name: "grant_types", Strings: true, Meaning: "`authorization_code`, and `refresh_token`."},
			{Name: "response_types", Strings: true, Meaning: "`code`."},
			{Name: "token_endpoint_auth_method", Values: []string{"none", "client_secret_basic", "client_secret_post"}, Meaning: "How the client authenticates."},
			{Name: "scope", List: true, Meaning: "What it may ask for. Without one, all that such clients may."},
			{Name: "post_logout_redirect_uris", Strings: true, Meaning: "Where the browser may go after a sign-out; 20 addresses at most."},
		},
		Answers: []Answer{{201, mediaJSON, "Registration", ""}},
		Errors: []Error{
			{Status: 400, Code: "invalid_redirect_uri", Text: "redirect_uris must have 1 to 20 addresses.", Remedy: "Send them as a list.", Example: []Change{without("redirect_uris")}},
			{Status: 400, Code: "invalid_redirect_uri", Text: "redirect_uris[0] is on a host that the operator has not allowed.", Remedy: "The place counts from 0. Ask the operator to name the host, or use a loopback address.", Example: []Change{with("redirect_uris", `["https://elsewhere.example/cb"]`)}},
			{Status: 400, Code: "invalid_redirect_uri", Text: "redirect_uris has an address on a host that the operator has not allowed.", Remedy: "The staff has denied it."},
			{Status: 400, Code: "invalid_client_metadata", Text: "token_endpoint_auth_method must be none, client_secret_basic or client_secret_post.", Remedy: "The description names the member.", Example: []Change{with("token_endpoint_auth_method", `"private_key_jwt"`)}},
			{Status: 400, Code: "invalid_client_metadata", Text: "The Content-Type must be application/json.", Remedy: "Send JSON, no form.", Example: []Change{body("application/x-www-form-urlencoded", "client_name=x")}},
			{Status: 400, Code: "invalid_client_metadata", Text: "The body must be a JSON object with the metadata of RFC 7591, of at most 8 KiB.", Remedy: "Lists are lists of strings.", Example: []Change{body(mediaJSON, "[]")}},
			{Status: 400, Code: "invalid_request", Text: "The body cannot be read.", Remedy: "It came too slowly, or broke off."},
			{Status: 429, Code: "invalid_request", Text: "Too many registrations from one address. Please wait.", Remedy: "Wait for `Retry-After`, and keep what you have registered."},
		},
		Example: []Pair{{"client_name", `"River Editor"`}, {"redirect_uris", `["http://127.0.0.1/callback"]`}, {"grant_types", `["authorization_code", "refresh_token"]`}},
	}
}

func registrationPayload() Payload {
	return Payload{Name: "Registration", Title: "Registration response", Members: []Member{
		{Name: "client_id", Type: TypeString, Always: true, Meaning: "The client, to be kept.", Example: `"dyn-q3rT0yZ1"`},
		{Name: "client_id_issued_at", Type: TypeInteger, Always: true, Meaning: "When, in seconds since 1970.", Example: `1773324300`},
		{Name: "client_secret", Type: TypeString, When: "the client authenticates with one", Meaning: "It is shown once."},
		{Name: "client_secret_expires_at", Type: TypeInteger, When: "beside `client_secret`", Meaning: "`0`: never."},
		{Name: "client_name", Type: TypeString, When: "it is shown to users", Meaning: "What the client calls itself."},
		{Name: "redirect_uris", Type: TypeStrings, Always: true, Meaning: "As registered.", Example: `["http://127.0.0.1/callback"]`},
		{Name: "post_logout_redirect_uris", Type: TypeStrings, When: "there are any", Meaning: "As registered."},
		{Name: "grant_types", Type: TypeStrings, Always: true, Meaning: "As registered.", Example: `["authorization_code", "refresh_token"]`},
		{Name: "response_types", Type: TypeStrings, Always: true, Meaning: "`code`", Example: `["code"]`},
		{Name: "token_endpoint_auth_method", Type: TypeString, Always: true, Meaning: "How the client authenticates.", Example: `"none"`},
		{Name: "scope", Type: TypeString, Always: true, Meaning: "What it may ask for, separated by spaces.", Example: `"openid offline_access"`},
	}}
}

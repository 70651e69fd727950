package reference

// registering is there where programs register clients: open where anybody may, else with a token
// alone.
func registering(open bool) Endpoint {
	e := Endpoint{
		ID: "register", Title: "Registration endpoint", Path: "/oauth/register", Methods: []string{"POST"}, JSON: true,
		Standard: "RFC 7591 section 3",
		Text: []string{
			"An organization's own programs send an initial access token, which an owner makes in the dashboard, and become applications of that organization. Their addresses are on hosts of the token. With the `registration_access_token` of the answer they manage their registration at its `registration_client_uri` (RFC 7592).",
			"With a token all members of the registration response are metadata, but for those that the provider gives, such as `client_id`. What an application cannot have is refused; `scope` is as much of it as developers may choose. Members that are not listed here are ignored, a logo among them.",
		},
		Parameters: []Parameter{
			{Name: "Authorization", Header: true, Needed: Always, Meaning: "`Bearer` and the initial access token."},
			{Name: "redirect_uris", Needed: "unless it has no users", Strings: true, Meaning: "Addresses on hosts of the token, on the user's device, or of a scheme that is such a host in reverse order."},
			{Name: "client_name", Meaning: "What users read."},
			{Name: "grant_types", Strings: true, Meaning: "`authorization_code`, `refresh_token`, `client_credentials` and `implicit`."},
			{Name: "response_types", Strings: true, Meaning: "`code` if left out."},
			{Name: "token_endpoint_auth_method", Values: []string{"none", "client_secret_basic", "client_secret_post", "private_key_jwt"}, Meaning: "How the client authenticates."},
			{Name: "scope", List: true, Meaning: "What it may ask for. Without one, what libraries request."},
			{Name: "post_logout_redirect_uris", Strings: true, Meaning: "Where the browser may go after a sign-out."},
		},
		Auth: RegistrationAuth, Origins: NoOrigin,
		Answers: []Answer{{201, mediaJSON, "Registration", ""}},
		Errors:  append(metadataErrors(), initialTokenErrors()...),
		Example: []Pair{{"Authorization", "Bearer {initial_access_token}"}, {"client_name", `"River Shop"`}, {"redirect_uris", `["https://app.example/callback"]`}, {"grant_types", `["authorization_code", "refresh_token"]`}},
	}
	if !open {
		e.Errors = append(e.Errors, noToken())
		return e
	}
	e.Text = append([]string{
		"A program that nobody has registered registers itself: it sends its metadata as a JSON object, and gets its `client_id`. Keep it; equal metadata make another client. Users read that nobody has checked it, and are asked each time when it is a program on their device. It ends after a day in which no user has allowed it anything, and 90 days after the last grant has ended.",
		"Nothing proves a host here. `https` redirect URIs are for hosts that the operator has named; all others lead to a program on the user's device: `http` on a loopback host, or a scheme of the program's own. A secret is for clients whose redirect URIs are all `https`. The answer is what was registered: values beyond what such clients may have are left out.",
	}, e.Text...)
	e.Auth, e.Origins = NoAuth, EveryOrigin
	e.Parameters = []Parameter{
		{Name: "Authorization", Header: true, Meaning: "`Bearer` and an initial access token. Scripts of other origins cannot read the answer then."},
		{Name: "redirect_uris", Needed: Always, Strings: true, Meaning: "1 to 20 addresses."},
		{Name: "client_name", Meaning: "What the client calls itself. Users read it beside the hosts of its redirect URIs."},
		{Name: "grant_types", Strings: true, Meaning: "`authorization_code`, and `refresh_token`; with a token also `client_credentials` and `implicit`."},
		{Name: "response_types", Strings: true, Meaning: "`code`."},
		{Name: "token_endpoint_auth_method", Values: []string{"none", "client_secret_basic", "client_secret_post", "private_key_jwt"}, Meaning: "How the client authenticates; `private_key_jwt` with a token."},
		{Name: "scope", List: true, Meaning: "What it may ask for. Without one, all that such clients may."},
		{Name: "post_logout_redirect_uris", Strings: true, Meaning: "Where the browser may go after a sign-out; 20 addresses at most."},
	}
	e.Errors = append(selfRegistrationErrors(), e.Errors...)
	e.Example = []Pair{{"client_name", `"River Editor"`}, {"redirect_uris", `["http://127.0.0.1/callback"]`}, {"grant_types", `["authorization_code", "refresh_token"]`}}
	return e
}

// selfRegistrationErrors are those of a program without a token.
func selfRegistrationErrors() []Error {
	return []Error{
		{Status: 400, Code: "invalid_redirect_uri", Text: "redirect_uris must have 1 to 20 addresses.", Remedy: "Send them as a list.", Example: []Change{without("redirect_uris")}},
		{Status: 400, Code: "invalid_redirect_uri", Text: "redirect_uris[0] is on a host that the operator has not allowed.", Remedy: "The place counts from 0. Ask the operator to name the host, or use a loopback address.", Example: []Change{with("redirect_uris", `["https://elsewhere.example/cb"]`)}},
		{Status: 400, Code: "invalid_redirect_uri", Text: "redirect_uris has an address on a host that the operator has not allowed.", Remedy: "The staff has denied it."},
		{Status: 400, Code: "invalid_client_metadata", Text: "token_endpoint_auth_method must be none, client_secret_basic or client_secret_post.", Remedy: "The description names the member.", Example: []Change{with("token_endpoint_auth_method", `"private_key_jwt"`)}},
		{Status: 400, Code: "invalid_client_metadata", Text: "The body must be a JSON object with the metadata of RFC 7591, of at most 8 KiB.", Remedy: "Lists are lists of strings.", Example: []Change{body(mediaJSON, "[]")}},
	}
}

// metadataErrors are those of metadata, whoever sends them.
func metadataErrors() []Error {
	return []Error{
		{Status: 400, Code: "invalid_client_metadata", Text: "The Content-Type must be application/json.", Remedy: "Send JSON, no form.", Example: []Change{body("application/x-www-form-urlencoded", "client_name=x"), header("Bearer {initial_access_token}")}},
		{Status: 400, Code: "invalid_request", Text: "The body cannot be read.", Remedy: "It came too slowly, or broke off."},
		{Status: 400, Code: "invalid_request", Text: "The Authorization header must be one bearer token.", Remedy: "Send one header with the scheme `Bearer`.", Example: []Change{header("Bearer a b")}},
		{Status: 429, Code: "invalid_request", Text: "Too many registrations. Please wait.", Remedy: "Wait for `Retry-After`, and keep what you have registered."},
	}
}

// initialTokenErrors are those of a program with an initial access token.
func initialTokenErrors() []Error {
	good := header("Bearer {initial_access_token}")
	return append([]Error{
		{Status: 401, Code: "invalid_token", Text: "The initial access token is unknown, expired, used up or revoked.", Remedy: "Or it is of the other environment, or its maker is no owner any more: have an owner make another.", Example: []Change{header("Bearer nonsense")}},
		{Status: 400, Code: "invalid_redirect_uri", Text: "redirect_uris[0] is on a host that the token is not for.", Remedy: "Have an owner make a token with the host. The description names any member so."},
		{Status: 400, Code: "invalid_client_metadata", Text: "token_endpoint_auth_method must be none, client_secret_basic, client_secret_post or private_key_jwt.", Remedy: "There are no others.", Example: []Change{good, with("token_endpoint_auth_method", `"tls_client_auth"`)}},
		{Status: 400, Code: "invalid_client_metadata", Text: "subject_type must be public.", Remedy: "Leave it out.", Example: []Change{good, with("subject_type", `"pairwise"`)}},
		{Status: 400, Code: "invalid_client_metadata", Text: "sector_identifier_uri is for pairwise subjects, which there are not.", Remedy: "Leave it out.", Example: []Change{good, with("sector_identifier_uri", `"https://app.example/sector"`)}},
		{Status: 400, Code: "invalid_client_metadata", Text: "Nothing is encrypted for applications: leave out the members for encryption.", Remedy: "The connection is encrypted.", Example: []Change{good, with("id_token_encrypted_response_alg", `"RSA-OAEP"`)}},
		{Status: 400, Code: "invalid_client_metadata", Text: "tls_client_certificate_bound_access_tokens must be false.", Remedy: "Bind tokens by `dpop_bound_access_tokens`.", Example: []Change{good, with("tls_client_certificate_bound_access_tokens", "true")}},
		{Status: 400, Code: "invalid_client_metadata", Text: "The body must be a JSON object with the metadata of RFC 7591, none of them twice, of at most 8 KiB.", Remedy: "Lists are lists of strings.", Example: []Change{body(mediaJSON, "[]"), good}},
		{Status: 403, Code: "access_denied", Text: "The organization has as many applications as it may have.", Remedy: "Delete one."},
		{Status: 403, Code: "access_denied", Text: "The owner who made the token has no verified e-mail address.", Remedy: "Verify it, or have another owner make a token."},
		{Status: 403, Code: "access_denied", Text: "Applications begin in the sandbox. Register this one there.", Remedy: "Production is by review."},
	}, suspended())
}

// clientConfiguration is where a registered client is managed by its program.
func clientConfiguration() Endpoint {
	good := with("Authorization", "Bearer {registration_access_token}")
	wrong := func(metadata string) []Change { return []Change{method("PUT"), body(mediaJSON, metadata), good} }
	return Endpoint{
		ID: "clientConfiguration", Title: "Client configuration endpoint", Path: "/oauth/register/{client_id}", Methods: []string{"GET", "PUT", "DELETE"},
		Standard: "RFC 7592 section 2",
		Text: []string{
			"The `registration_client_uri` of a client that was registered with a token. `GET` reads the registration, with its secret. `PUT` replaces it as a whole: send back what you have read, as JSON, with your changes, without `registration_access_token`, `registration_client_uri`, `client_id_issued_at` and `client_secret_expires_at`; what is left out gets its default. `DELETE` ends the client with all its grants.",
			"A program may what a developer may. What needs a review waits for it, and the answer has it as it was. The secret stays until `token_endpoint_auth_method` changes to `private_key_jwt` and back. Developers can end the token in the dashboard.",
		},
		Auth: RegistrationAuth, Origins: NoOrigin,
		Parameters: []Parameter{
			{Name: "client_id", Path: true, Needed: Always, Meaning: "The client; by `PUT` in the metadata, too."},
			{Name: "Authorization", Header: true, Needed: Always, Meaning: "`Bearer` and the registration access token."},
		},
		Answers: []Answer{{200, mediaJSON, "Registration", "by `GET` and `PUT`"}, {204, "", "", "by `DELETE`"}},
		Errors: []Error{
			noToken(),
			{Status: 401, Code: "invalid_token", Text: "The registration access token is not good for this registration.", Remedy: "Or the client is gone, or its developers have ended the token.", Example: []Change{header("Bearer nonsense")}},
			{Status: 400, Code: "invalid_request", Text: "The Authorization header must be one bearer token.", Remedy: "Send one header with the scheme `Bearer`.", Example: []Change{header("Bearer a b")}},
			{Status: 400, Code: "invalid_client_metadata", Text: "client_id must be that of the registration.", Remedy: "A registration keeps its ID.", Example: wrong(`{"client_id": "another"}`)},
			{Status: 400, Code: "invalid_client_metadata", Text: "client_secret must be the one that is registered, or be left out.", Remedy: "The provider makes secrets.", Example: wrong(`{"client_id": "std", "client_secret": "mine"}`)},
			{Status: 400, Code: "invalid_client_metadata", Text: "token_endpoint_auth_method cannot change between none and the others: register another application.", Remedy: "Users trust the one or the other.", Example: wrong(`{"client_id": "std", "token_endpoint_auth_method": "none"}`)},
			{Status: 403, Code: "access_denied", Text: "The application is disabled. Its developers can enable it.", Remedy: "Or the staff has stopped it; the dashboard says so."},
			{Status: 403, Code: "access_denied", Text: "The change leaves out something that the review of the application requires.", Remedy: "Send all that you have read."},
			suspended(),
			{Status: 409, Code: "invalid_request", Text: "The registration has changed meanwhile. Read it again.", Remedy: "Somebody else has changed it in this moment."},
			{Status: 429, Code: "invalid_request", Text: "Too many registrations. Please wait.", Remedy: "Wait for `Retry-After`."},
		},
		Example: []Pair{{"Authorization", "Bearer {registration_access_token}"}},
	}
}

func noToken() Error {
	return Error{Status: 401, Code: "invalid_request", Text: "A bearer token is missing.", Remedy: "Send one. The header `WWW-Authenticate` names no error then.", Example: []Change{header("")}}
}

func suspended() Error {
	return Error{Status: 403, Code: "access_denied", Text: "The organization of this token is suspended.", Remedy: "Its page in the dashboard says why."}
}

// registrationPayload is what is registered, which for a client with a token is more.
func registrationPayload() Payload {
	const byToken = "it was registered with a token"
	p := Payload{Name: "Registration", Title: "Registration response", Members: []Member{
		{Name: "client_id", Type: TypeString, Always: true, Meaning: "The client, to be kept.", Example: `"dyn-q3rT0yZ1"`},
		{Name: "client_id_issued_at", Type: TypeInteger, Always: true, Meaning: "When, in seconds since 1970.", Example: `1773324300`},
		{Name: "client_secret", Type: TypeString, When: "the client authenticates with one", Meaning: "Without a registration access token it is shown once."},
		{Name: "client_secret_expires_at", Type: TypeInteger, When: "beside `client_secret`", Meaning: "`0`: never."},
		{Name: "registration_access_token", Type: TypeString, When: byToken, Meaning: "The token with which the client is managed."},
		{Name: "registration_client_uri", Type: TypeString, When: byToken, Meaning: "Where the client is managed."},
		{Name: "client_name", Type: TypeString, When: "it is shown to users", Meaning: "What the client calls itself."},
		{Name: "redirect_uris", Type: TypeStrings, When: "there are any", Meaning: "As registered.", Example: `["http://127.0.0.1/callback"]`},
		{Name: "post_logout_redirect_uris", Type: TypeStrings, When: "there are any", Meaning: "As registered."},
		{Name: "grant_types", Type: TypeStrings, Always: true, Meaning: "As registered.", Example: `["authorization_code", "refresh_token"]`},
		{Name: "response_types", Type: TypeStrings, Always: true, Meaning: "As registered.", Example: `["code"]`},
		{Name: "token_endpoint_auth_method", Type: TypeString, Always: true, Meaning: "How the client authenticates.", Example: `"none"`},
		{Name: "scope", Type: TypeString, Always: true, Meaning: "What it may ask for, separated by spaces.", Example: `"openid offline_access"`},
		{Name: "application_type", Type: TypeString, When: byToken, Meaning: "`web`, or `native` for a program on the user's device."},
		{Name: "subject_type", Type: TypeString, When: byToken, Meaning: "`public`"},
		{Name: "id_token_signed_response_alg", Type: TypeString, When: byToken, Meaning: "The algorithm of ID tokens."},
	}}
	for _, m := range []Member{
		{Name: "initiate_login_uri", Type: TypeString, Meaning: "Users open it with `iss` from their account."},
		{Name: "policy_uri", Type: TypeString, Meaning: "Users find the privacy policy there."},
		{Name: "tos_uri", Type: TypeString, Meaning: "Users find the terms there."},
		{Name: "token_endpoint_auth_signing_alg", Type: TypeString, Meaning: "The only algorithm of its assertions."},
		{Name: "jwks", Type: TypeAny, Meaning: "Its public keys."},
		{Name: "jwks_uri", Type: TypeString, Meaning: "Where its public keys are."},
		{Name: "require_pushed_authorization_requests", Type: TypeBoolean, Meaning: "It pushes its requests."},
		{Name: "require_signed_request_object", Type: TypeBoolean, Meaning: "It signs its requests."},
		{Name: "request_uris", Type: TypeStrings, Meaning: "Addresses of request objects that a request may name."},
		{Name: "request_object_signing_alg", Type: TypeString, Meaning: "The only algorithm of its requests."},
		{Name: "dpop_bound_access_tokens", Type: TypeBoolean, Meaning: "Its tokens are bound to a key."},
		{Name: "userinfo_signed_response_alg", Type: TypeString, Meaning: "Userinfo is signed with it."},
		{Name: "authorization_signed_response_alg", Type: TypeString, Meaning: "The algorithm of signed responses."},
		{Name: "backchannel_logout_uri", Type: TypeString, Meaning: "It is told there that a session has ended."},
		{Name: "backchannel_logout_session_required", Type: TypeBoolean, Meaning: "It is told of which session."},
	} {
		m.When = "it was registered with a token, and has it"
		p.Members = append(p.Members, m)
	}
	return p
}

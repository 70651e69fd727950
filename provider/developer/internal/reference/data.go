package reference

func userinfo() Endpoint {
	return Endpoint{
		ID: "userinfo", Title: "Userinfo endpoint", Path: "/api/public/v3/userinfo", Methods: []string{"GET", "POST"},
		Standard: "OpenID Connect Core section 5.3",
		Text: []string{
			"Read the claims of the user. It needs an access token with `openid`.",
			"What a scope releases is read at the moment you ask: a status that was revoked is gone from the next answer.",
			"It is also at `/api/public/v3/userinfo.json`.",
		},
		Auth: BearerAuth, Origins: RegisteredOrigins, Parameters: dataParameters(),
		Answers: []Answer{
			{200, mediaJSON, "Userinfo", "in the dialect `standard`; in `v3` the body is a JSON string with a signed JWT of these claims, in the form of an ID token"},
			{200, mediaJWT, "", "in the dialect `standard`, when `userinfo_signed_response_alg` is registered; in `v3`, with `Accept: application/jwt`"},
			{200, mediaJS, "", "with `callback`, in the dialect `v3`; errors too have this status then"},
		},
		Errors:  dataErrors("openid profile"),
		Example: []Pair{{"Authorization", "Bearer {access_token}"}},
	}
}

func attributes() Endpoint {
	return Endpoint{
		ID: "attributes", Title: "Attributes endpoint", Path: "/api/public/v3/attributes.json", Methods: []string{"GET"},
		Text: []string{
			"Read attributes and group statuses of the user. It needs an access token with a scope value beside `openid`.",
			"Index by `handle`, tolerate attributes that you do not know, and do not assume that `value` is a string. A group that is not verified has `\"verified\": false` and no subgroups.",
			"It is also at `/api/public/v3/attributes`.",
		},
		Auth: BearerAuth, Origins: RegisteredOrigins, Parameters: dataParameters(),
		Answers: []Answer{
			{200, mediaJSON, "Attributes", ""},
			{200, mediaJS, "", "with `callback`, in the dialect `v3`; errors too have this status then"},
		},
		Errors:  dataErrors(""),
		Example: []Pair{{"Authorization", "Bearer {access_token}"}},
	}
}

func dataParameters() []Parameter {
	return []Parameter{
		{Name: "Authorization", Header: true, Needed: "unless the token comes in another way", Meaning: "`Bearer` and the access token; `DPoP` and the access token, where it is bound to a key."},
		{Name: "DPoP", Header: true, Needed: "with the scheme `DPoP`", Meaning: "A proof for this request (RFC 9449), with the claim `ath`."},
		{Name: "access_token", Meaning: "The access token: in the query, in the dialect `v3` unless switched off at registration; or in a form by POST. The header is better: queries reach logs."},
		{Name: "callback", Meaning: "A JavaScript function, in the dialect `v3` unless switched off at registration: the answer is a script that calls it (JSONP)."},
	}
}

func dataErrors(scope string) []Error {
	needs := "Attributes need a scope value beside `openid`."
	if scope != "" {
		needs = "Userinfo needs `openid`."
	}
	return []Error{
		{Status: 400, Code: "invalid_request", Text: "The access token is given more than once.", Remedy: "Send it once, in the header.", Example: []Change{query("access_token", "{access_token}")}},
		{Status: 400, Code: "invalid_request", Text: "The Authorization header is not of the form: Bearer token.", Remedy: "Send `Authorization: Bearer` and the token.", Example: []Change{header("Bearer a b")}},
		{Status: 400, Code: "invalid_request", Text: "The query of the address is not encoded correctly.", Remedy: "Let a library encode it.", Example: []Change{query("x", "%zz")}},
		{Status: 400, Code: "invalid_request", Text: "This application must send the token in the Authorization header.", Remedy: "The query is for the dialect `v3`, unless switched off.", For: InStandard, Example: []Change{header(""), query("access_token", "{access_token}")}},
		{Status: 400, Code: "invalid_request", Text: "This application cannot use callbacks.", Remedy: "JSONP is for the dialect `v3`, unless switched off.", For: InStandard, Example: []Change{query("callback", "show")}},
		{Status: 400, Code: "invalid_request", Text: "The callback is not the name of a function.", Remedy: "An identifier or a dotted path of at most 64 characters, and no reserved word.", Example: []Change{query("callback", "alert(1)")}},
		{Status: 401, Code: "invalid_request", Text: "An access token is needed.", Remedy: "Send one. The header `WWW-Authenticate` names no error then.", Example: []Change{header("")}},
		{Status: 401, Code: "invalid_token", Text: "The access token is unknown, expired or revoked.", Remedy: "Refresh, or begin a new authorization request.", Example: []Change{header("Bearer nonsense")}},
		{Status: 401, Code: "invalid_token", Text: "The access token is for another resource.", Remedy: "It was asked for with `resource`, for an API. Refresh without `resource` for one that reads data here."},
		{Status: 401, Code: "invalid_token", Text: "This access token is bound to a key. Send it with the scheme DPoP and a proof.", Remedy: "It was requested with a proof.", For: InStandard},
		{Status: 401, Code: "invalid_token", Text: "This access token is bound to no key. Send it with the scheme Bearer.", Remedy: "It was requested without a proof.", For: InStandard, Example: []Change{header("DPoP {access_token}")}},
		{Status: 401, Code: "invalid_token", Text: "This access token is bound to another key than that of the proof.", Remedy: "Sign the proof with the key of the token request.", For: InStandard},
		{Status: 401, Code: "invalid_dpop_proof", Text: "The DPoP proof is malformed, used, or not for this request, or its key is not accepted.", Remedy: "Sign a fresh proof: `htm` the method, `htu` the address without query, `ath` the SHA-256 of the access token.", For: InStandard},
		{Status: 401, Code: "use_dpop_nonce", Text: "Send the DPoP proof again, with the nonce of the header DPoP-Nonce.", Remedy: "Repeat the request; libraries do so by themselves.", For: InStandard},
		{Status: 401, Code: "invalid_token", Text: "The user no longer exists.", Remedy: "Deleted or locked."},
		{Status: 401, Code: "insufficient_user_authentication", Text: "The user has to authenticate again, as acr_values and max_age say.", Remedy: "What the scope gives requires a better or a more recent sign-in. Begin an authorization request with the `acr_values` and `max_age` of `WWW-Authenticate` (RFC 9470)."},
		{Status: 403, Code: "insufficient_scope", Text: "The scope of the access token does not cover this resource.", Remedy: needs, Example: []Change{header("Bearer {access_token_of_another_scope}")}},
	}
}

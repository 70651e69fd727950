package reference

func discovery() Endpoint {
	return Endpoint{
		ID: "discovery", Title: "Discovery document", Path: "/oidc/.well-known/openid-configuration", Methods: []string{"GET"},
		Standard: "OpenID Connect Discovery section 4, RFC 8414",
		Aliases:  []string{"/oidc/.well-known/oauth-authorization-server"},
		Text: []string{
			"Addresses and abilities of the provider. Libraries begin here, at the issuer. It may be cached for an hour.",
			"The same document is at `/oidc/.well-known/oauth-authorization-server`, and where RFC 8414 section 3.1 puts the well-known part in front of the path of the issuer."},
		Origins: EveryOrigin,
		Answers: []Answer{{200, mediaJSON, "Discovery", ""}},
	}
}

func keySet() Endpoint {
	return Endpoint{
		ID: "jwks", Title: "Key set", Path: "/oidc/.well-known/jwks", Methods: []string{"GET"},
		Standard: "RFC 7517 section 5",
		Text:     []string{"The public keys that ID tokens are verified with, found by `kid`. A new key is here a day before it signs. Cache it for an hour, and fetch it when you meet an unknown `kid`.", "It is also at `/oidc/.well-known/jwks.json`."},
		Origins:  EveryOrigin,
		Answers:  []Answer{{200, mediaJSON, "KeySet", ""}},
	}
}

func signOut() Endpoint {
	return Endpoint{
		ID: "signOut", Title: "Sign-out", Path: "/signout", Methods: []string{"GET", "POST"},
		Standard: "OpenID Connect RP-Initiated Logout",
		Text:     []string{"Send the browser here to sign the user out. Without a hint that proves who is signed in, the user is asked first.", "It is also at `/oauth/logout`, where `redirect_uri` is another name of `post_logout_redirect_uri`."},
		Origins:  NoOrigin,
		Parameters: []Parameter{
			{Name: "id_token_hint", Meaning: "The ID token of the user; it may have expired."},
			{Name: "client_id", Meaning: "Your application, when there is no hint."},
			{Name: "post_logout_redirect_uri", Meaning: "Where the browser goes afterwards: one that is registered, byte for byte."},
			{Name: "state", Meaning: "Comes back with the browser."},
			{Name: "ui_locales", Meaning: "Languages of the page, the first choice first."},
		},
		Answers: []Answer{
			{303, "", "", "the browser is on its way back, or to the same request by GET"},
			{200, mediaHTML, "", "the page that asks, or says that it is done"},
		},
	}
}

func button() Endpoint {
	return Endpoint{
		ID: "button", Title: "Script of the sign-in button", Path: "/widget/v1.js", Methods: []string{"GET"},
		Text:    []string{"Makes a button of each `<span data-client-id>` of a page."},
		Origins: EveryOrigin,
		Answers: []Answer{{200, mediaJS, "", ""}},
	}
}

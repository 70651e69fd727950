package reference

const (
	exchangeGrant   = "urn:ietf:params:oauth:grant-type:token-exchange"
	typeAccessToken = "urn:ietf:params:oauth:token-type:access_token"
)

// exchangeErrors are those of an API that exchanges the token that it was called with.
func exchangeErrors() []Error {
	return []Error{
		{Status: 400, Code: "invalid_request", Text: "The parameter subject_token is missing.", Remedy: "An API sends the access token that it was called with (RFC 8693)."},
		{Status: 400, Code: "invalid_request", Text: "The parameter subject_token_type is missing.", Remedy: "Send `" + typeAccessToken + "`."},
		{Status: 400, Code: "invalid_request", Text: "Only an access token is exchanged, and only for an access token.", Remedy: "Send `" + typeAccessToken + "` as `subject_token_type`, and the same or nothing as `requested_token_type`."},
		{Status: 400, Code: "invalid_request", Text: "Leave out actor_token: the application that asks is the actor.", Remedy: "The claim `act` of the new token names your application."},
		{Status: 400, Code: "invalid_request", Text: "The subject_token is unknown, expired or revoked, or is not for an API of this application.", Remedy: "Your log says which. Present only what your own API was called with, while it is in force."},
		{Status: 400, Code: "invalid_request", Text: "The subject_token is no user's. Ask for a token of your own with client_credentials.", Remedy: "The caller asked for itself, so there is no user to act for."},
		{Status: 400, Code: "invalid_request", Text: "The subject_token has been exchanged twice already.", Remedy: "Two APIs hand a user's request on, and no more."},
		{Status: 400, Code: "invalid_dpop_proof", Text: "The subject_token is bound to a key. Send a DPoP proof of a key of your own.", Remedy: "The new token is bound to your key: a bound token never becomes a bearer's."},
		{Status: 400, Code: "invalid_scope", Text: "Ask for no more scopes than the subject_token has, the resource understands and this application may ask for.", Remedy: "The user's application gets the scope with the token for your API."},
		{Status: 400, Code: "invalid_target", Text: "Name exactly one resource.", Remedy: "A token is exchanged for one API."},
		{Status: 400, Code: "invalid_target", Text: "Tokens for your API are not exchanged for tokens for this resource.", Remedy: "The operator lists it under `exchanges_to` of your own resource."},
		{Status: 400, Code: "invalid_target", Text: "The user was not asked about this resource.", Remedy: "The user's application names both APIs in its authorization request."},
	}
}

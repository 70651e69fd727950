// Package engine is the OAuth 2 and OpenID Connect protocol of a provider. It is the
// only package that imports ory/fosite, and exposes none of its types.
//
// # Rooms
//
// The folders below it do one thing each, are given what they use, and know neither fosite
// nor this package. From the lowest to the highest:
//
//   - protocol names things: errors, grants, response types, scopes;
//   - input reads the parameters of a request, within bounds;
//   - registry knows applications, their dialects, APIs and addresses;
//   - authorization reads an authorization request, and looks nothing up;
//   - signed verifies what applications sign, and clientauth who sends a request;
//   - issue makes tokens and responses, and stores nothing.
//
// This package puts them in order: it asks fosite, says what a grant gives (code.go,
// refresh.go, clientcredentials.go, jwtbearer.go), and writes once.
//
// # What fosite decides, and what it does not
//
// fosite v0.49.0 gets every request as it was read here: at the authorization endpoint the
// form, with the scopes that count, after a request object or a pushed request has taken
// its place (receive.go); at the other endpoints the [http.Request] with its form, which a
// JSON body becomes first (package input). It looks the client
// up, decides whether the client may have the response type, the response mode, the
// scopes and the redirect URI, and dispatches to the handlers that are registered in
// fosite.go. Handlers read what it has parsed, and put the tokens that they issue into
// its session and its response.
//
// The handlers and the client authentication are implementations of its interfaces that
// live here, because those of fosite differ from the contract or from what is safe:
//
//   - its code and refresh handlers make many reads and writes per request, fail with
//     500 for the loser of a race, and take the time from another clock than the rest;
//   - its refresh handler lets any authenticated client that presents a used token end
//     the grant;
//   - its PKCE handler accepts a challenge of three characters and a method without a
//     challenge;
//   - its client authentication accepts two conflicting client identifiers, any secret
//     of a public client, and only one of the two spellings of a Basic header;
//   - its introspection takes any access token for credentials;
//   - what it has for assertions, request objects and pushed requests is listed in
//     decision 0016 of docs/adr: verification (package signed) and storage (push.go) are ours.
//
// What fosite leaves open is refused before it reads the request (packages input, registry
// and authorization):
//
//   - of several equal parameters the first would win;
//   - names of scopes and response types would be compared without regard to case;
//   - redirect URIs may carry user information and fragments on loopback addresses, and
//     dangerous schemes;
//   - a token in a query is refused only after it has been stored;
//   - request is ignored without openid, and request_uri is fetched.
//
// # One request, one read, one write
//
// The authorization endpoint ends in one CreateGrant. The token endpoint reads a
// token with its grant once, signs, and ends in one Exchange. When that write
// fails nothing was spent and nothing was issued. What an application gets for itself
// (clientcredentials.go), or for a user who is not there (jwtbearer.go), is one CreateGrant,
// too; what may be presented once is spent by a write of its own before.
package engine

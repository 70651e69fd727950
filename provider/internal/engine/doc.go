// Package engine speaks OAuth 2 and OpenID Connect. It is the only package that
// imports ory/fosite, and it lets nothing of it through: requests come in as
// forms, answers and errors go out in types of this package.
//
// # What fosite does here, and what it does not
//
// fosite v0.49.0 runs the requests: it dispatches the authorization and token
// endpoints to a list of handlers, and checks the client, its response types,
// response modes and scopes on the way. The handlers in its lists are ours and
// implement its interfaces, because its own were measured to differ from the
// contract or from what is safe:
//
//   - its code and refresh handlers make many reads and writes per request, answer
//     500 to the loser of a race, and count 299 of 300 seconds; ours make one read
//     and one atomic write;
//   - its PKCE handler accepts a challenge of three characters and a method
//     without a challenge;
//   - its redirect matcher lets user information and fragments through on
//     loopback addresses, and takes dangerous schemes;
//   - its form parser lets the first of several equal parameters win, and reads
//     multipart bodies;
//   - its client authentication hashes generated secrets with bcrypt, and accepts
//     two conflicting client identifiers.
//
// What a request may contain is checked before fosite sees it (form.go,
// redirect.go, authorize.go); fosite receives a clean form.
//
// # One request, one read, one write
//
// The authorization endpoint ends in one CreateGrant. The token endpoint reads a
// token with its grant once, signs, and ends in one Exchange. When that write
// fails nothing was spent and nothing was issued.
package engine

// Package claims decides which claims scopes release about a user, and reads them: it has
// the catalogue of scopes, attributes and groups, and is the single source of values for
// consent screen, ID token, userinfo and attributes, so that they cannot disagree.
//
// A grant holds no user data. A token's claims are read at each request: a revoked status
// is gone from the next response, and additions to the catalogue since the user's approval
// stay out.
package claims

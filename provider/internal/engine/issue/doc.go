// Package issue makes what the engine issues: opaque tokens, access tokens that are JWTs, ID
// tokens, userinfo, and the parameters of an authorization response. It stores nothing: a
// Batch is the grant and the tokens that the engine writes at once.
package issue

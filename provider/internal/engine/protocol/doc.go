// Package protocol is the vocabulary of OAuth 2 and OpenID Connect: what errors are called
// and told, and the names of grants, response types, response modes, scopes and ways to
// authenticate. It decides nothing, and every other room of the engine imports it.
package protocol

// Package reference is the reference of an installation: what applications can ask of
// it, what they get, and what can go wrong, with the addresses, scopes, groups and
// lifetimes of this very provider.
//
// There is one source, a [Document] of Go values. The page for people ([Document.View]),
// the OpenAPI description ([Document.OpenAPI]) and the text for language models
// ([Document.LLMs]) are written from it, so that they cannot disagree; the tests send
// every example of it to a running provider.
package reference

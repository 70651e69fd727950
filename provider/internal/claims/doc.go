// Package claims knows what scopes release about a person, and releases it: the catalogue
// of scopes, attributes and groups, and the one place in which consent screen, ID token,
// userinfo and attributes get their values from, so that they cannot disagree.
//
// Nothing about a person is frozen into a grant. What a token releases is read when it is
// asked for: a status that has been revoked is gone from the next answer, and what the
// catalogue has come to mean since the user allowed it stays out.
package claims

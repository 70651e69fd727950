// Package pages attacks what a browser sees: sign-in, here and at upstream providers, factors and
// recovery, consent, sessions, e-mailed codes, forms. Each test is named after its attack, or after
// what somebody else's software had wrong. All of it is tests.
package pages

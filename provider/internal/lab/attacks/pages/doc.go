// Package pages attacks what a browser sees: sign-in, consent, sessions, e-mailed codes,
// forms. Each test is named after its attack. All of it is tests.
package pages

// Package factors attacks passkeys, second factors, recovery and step-up. Each test is named
// after its attack. All of it is tests.
package factors

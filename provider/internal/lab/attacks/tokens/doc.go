// Package tokens attacks what programs ask: authorization requests, tokens, assertions, keys,
// discovery, devices (RFC 8628) and exchange (RFC 8693). Each test is named after its attack. All
// of it is tests.
package tokens

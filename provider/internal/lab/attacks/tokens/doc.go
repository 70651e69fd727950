// Package tokens attacks what programs ask: authorization requests, tokens, assertions,
// keys, discovery. Each test is named after its attack. All of it is tests.
package tokens

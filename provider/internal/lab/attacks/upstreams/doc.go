// Package upstreams attacks sign-ins by upstream providers, and the connection of accounts to
// them. Each test is named after its attack, or after what somebody else's software had wrong.
// All of it is tests.
package upstreams

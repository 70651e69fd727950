// Package operations tests what operators of a provider see and do: failing databases, secrets,
// limits, events, telemetry, upgrades. All of it is tests.
package operations

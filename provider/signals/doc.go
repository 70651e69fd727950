// Package signals is about what a provider tells others: applications, and the host itself, hear of
// a change without asking (provider.Config.Signals). A message says what has changed, and of whom,
// but never a value: who wants that asks for it.
//
// A message is sent at least once, and those about one user in order. It has one ID at each attempt,
// by which a receiver knows a repetition.
package signals

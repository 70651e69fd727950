// Package weight holds what a host pays for the library before the first request: the size
// of its program, and what provider.New allocates. No time is measured, so that the figures
// are the same on every machine.
package weight

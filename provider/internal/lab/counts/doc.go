// Package counts holds what the busiest requests take of the processor, in units that do
// not waver on a busy machine: allocations, bytes, and calls into C, which are those of
// SQLite. Its tests compare them with the table in figures_test.go.
package counts

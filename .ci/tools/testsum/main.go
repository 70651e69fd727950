// Command testsum reads what go test -json prints and writes what a person wants
// to know of it: one line for each package, all output of the tests that failed,
// the reason of each that was skipped, and at the end the ten packages that took
// longest and
//
//	12 passed, 0 failed, 1 skipped
//
// on a line of its own. Tests and subtests count alike. The exit status is 1 when
// anything failed, a build included, and when no test ran at all.
//
//	go test -json ./... | go -C .ci/tools run ./testsum
package main

import (
	"fmt"
	"os"
)

func main() {
	s := newSummary(os.Stdout)
	if err := s.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
	if !s.close() {
		os.Exit(1)
	}
}

// Package faults tests a running provider against what goes wrong around it: its
// process is killed or stopped, its disk is full or loses its power, its files run out,
// its database is locked, slow, damaged, read-only or gone, and answers are lost on
// their way.
//
// It holds tests only. They start this test binary again as the program under test
// (child_test.go) and use it as people and applications do, over HTTP. A user
// (user_test.go) remembers every answer; whatever was acknowledged
// must be true ever after, whatever happened to the process in between. What was
// sent without an answer may have happened or not, but not twice.
//
// The tests that run with all others are short. `make faults` sets the build tag
// faults, which makes them long.
package faults

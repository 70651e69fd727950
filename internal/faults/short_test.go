//go:build !faults

package faults

import "time"

// The short form: what every change can wait for.
const (
	long = false

	killRounds       = 8
	killMembers      = 8
	powerCuts        = 4
	lockHeld         = 6 * time.Second // longer than a process waits for the file
	crowdedFor       = 3 * time.Second
	crowdProcesses   = 2
	crowdMembers     = 6 // at each process
	databaseStops    = 2
	databaseUpFor    = time.Second
	fewFilesFor      = time.Second
	readOnlyFor      = time.Second / 2
	damagedFor       = time.Second / 4
	slowRequestsEach = 20
)

// slowAnswers are how late the database answers.
var slowAnswers = []time.Duration{time.Hour}

//go:build faults

package faults

import "time"

// The long form, of make faults.
const (
	long = true

	killRounds       = 500
	killMembers      = 32
	powerCuts        = 100
	lockHeld         = 10 * time.Second // longer than a process waits for the file
	crowdedFor       = time.Minute
	crowdProcesses   = 4
	crowdMembers     = 16 // at each process
	databaseStops    = 30
	databaseUpFor    = time.Second
	fewFilesFor      = 10 * time.Second
	readOnlyFor      = 10 * time.Second
	damagedFor       = 5 * time.Second
	slowRequestsEach = 100
)

// slowAnswers are how late the database answers.
var slowAnswers = []time.Duration{time.Hour, 2 * time.Second}

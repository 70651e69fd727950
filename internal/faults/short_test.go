//go:build !faults

package faults

import "time"

// The short form: what every change can wait for.
const (
	long = false

	killRounds     = 8
	killMembers    = 8
	lockHeld       = 2 * time.Second
	crowdedFor     = 3 * time.Second
	crowdProcesses = 2
	crowdMembers   = 6 // at each process
	databaseStops  = 2
	databaseUpFor  = time.Second
)

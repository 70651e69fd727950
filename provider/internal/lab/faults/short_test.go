//go:build !faults

package faults

import "time"

// The short form: what every change can wait for.
const (
	long = false

	killRounds       = 8
	killUsers        = 8
	logKills         = 3
	powerCuts        = 4
	crowdedFor       = 3 * time.Second
	crowdProcesses   = 2
	crowdUsers       = 6 // at each process
	databaseStops    = 2
	databaseUpFor    = time.Second
	fewFilesFor      = time.Second
	readOnlyFor      = time.Second / 2
	damagedFor       = time.Second / 4
	slowRequestsEach = 20
	replicaRestarts  = 4
	replicaUpFor     = time.Second
)

// slowAnswers are how late the database answers.
var slowAnswers = []time.Duration{time.Hour}

// failovers are how long there is no server that takes writes.
var failovers = []time.Duration{3 * time.Second}

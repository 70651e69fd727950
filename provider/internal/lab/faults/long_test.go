//go:build faults

package faults

import "time"

// The long form, of make faults.
const (
	long = true

	killRounds       = 500
	killUsers        = 32
	logKills         = 30
	powerCuts        = 100
	crowdedFor       = time.Minute
	crowdProcesses   = 4
	crowdUsers       = 16 // at each process
	databaseStops    = 30
	databaseUpFor    = time.Second
	fewFilesFor      = 10 * time.Second
	readOnlyFor      = 10 * time.Second
	damagedFor       = 5 * time.Second
	slowRequestsEach = 100
	replicaRestarts  = 30
	replicaUpFor     = 10 * time.Second
)

// slowAnswers are how late the database answers.
var slowAnswers = []time.Duration{time.Hour, 2 * time.Second}

// failovers are how long there is no server that takes writes.
var failovers = []time.Duration{3 * time.Second, 20 * time.Second}

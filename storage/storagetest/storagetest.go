// Package storagetest is the contract of package storage as tests. [Run] proves that a
// backend keeps it: records come back as they were stored, every error is the one by which
// the provider decides, of two processes that spend one token exactly one wins, and a store
// that cannot read never answers that there is no record.
//
// Run it under the race detector as well.
package storagetest

import (
	"crypto/sha256"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage"
)

// Run tests everything that the comments of package storage promise. Each subtest calls
// newDatabase for an empty database of its own, and the returned function for a store on
// it. The subtests of races call that function twice, for two stores as of two processes; a
// backend that lives in one process returns the same store again. Run closes the stores;
// newDatabase removes everything else in t.Cleanup.
func Run(t *testing.T, newDatabase func(t *testing.T) (open func() storage.Store)) {
	suite := &suite{newDatabase}
	t.Run("Clients", suite.clients)
	t.Run("ClientHosts", suite.clientHosts)
	t.Run("HostDenials", suite.hostDenials)
	t.Run("UnknownHosts", suite.unknownHosts)
	t.Run("SecretUses", suite.secretUses)
	t.Run("Grants", suite.grants)
	t.Run("Tokens", suite.tokens)
	t.Run("Accounts", suite.accounts)
	t.Run("Authenticators", suite.authenticators)
	t.Run("AuthenticatorChanges", suite.authenticatorChanges)
	t.Run("Passkeys", suite.passkeys)
	t.Run("Links", suite.links)
	t.Run("TrustedDevices", suite.trustedDevices)
	t.Run("Proofs", suite.proofs)
	t.Run("MissesOfAnApp", suite.misses)
	t.Run("Recoveries", suite.recoveries)
	t.Run("EmailChanges", suite.emailChanges)
	t.Run("EmailReturns", suite.emailReturns)
	t.Run("EndOfAccounts", suite.endOfAccounts)
	t.Run("Deletions", suite.deletions)
	t.Run("People", suite.people)
	t.Run("StatusEnds", suite.statusEnds)
	t.Run("FindablePeople", suite.findablePeople)
	t.Run("Sessions", suite.sessions)
	t.Run("ClientSessions", suite.clientSessions)
	t.Run("Consents", suite.consents)
	t.Run("OneTimeCodes", suite.oneTimeCodes)
	t.Run("UsedIDs", suite.usedIDs)
	t.Run("PushedRequests", suite.pushedRequests)
	t.Run("DeviceCodes", suite.deviceCodes)
	t.Run("Keys", suite.keys)
	t.Run("Images", suite.images)
	t.Run("Attempts", suite.attempts)
	t.Run("Events", suite.events)
	t.Run("EventFilters", suite.eventFilters)
	t.Run("Trail", suite.trail)
	t.Run("Departures", suite.departures)
	t.Run("Matters", suite.matters)
	t.Run("CallerCodes", suite.callerCodes)
	t.Run("Installations", suite.installations)
	t.Run("SealedValues", suite.sealedValues)
	t.Run("Clocks", suite.clocks)
	t.Run("Batches", suite.batches)
	t.Run("Sweep", suite.sweep)
	t.Run("Elapse", suite.elapse)
	t.Run("Neighbours", suite.neighbours)
	t.Run("Races", suite.races)
	t.Run("Availability", suite.availability)
}

// RunRaces runs the races of Run alone.
func RunRaces(t *testing.T, newDatabase func(t *testing.T) (open func() storage.Store)) {
	t.Run("Races", (&suite{newDatabase}).races)
}

type suite struct{ databases[storage.Store] }

// databases makes an empty database, and returns what opens a store on it.
type databases[S storage.Store] func(t *testing.T) (open func() S)

// store returns a store on a database of its own.
func (d databases[S]) store(t *testing.T) S {
	t.Helper()
	return d.stores(t, 1)[0]
}

// stores opens n stores on one database for the length of a test.
func (d databases[S]) stores(t *testing.T, n int) []S {
	t.Helper()
	open := d(t)
	stores := make([]S, n)
	for i := range stores {
		stores[i] = open()
		t.Cleanup(func() {
			if err := stores[i].Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
	return stores
}

// test runs a test with a store on a database of its own.
func (d databases[S]) test(t *testing.T, name string, do func(t *testing.T, store S)) {
	t.Run(name, func(t *testing.T) { do(t, d.store(t)) })
}

// pair runs a test with two stores on one database.
func (d databases[S]) pair(t *testing.T, name string, do func(t *testing.T, stores []S)) {
	t.Run(name, func(t *testing.T) { do(t, d.stores(t, 2)) })
}

// t0 is when the tests take place.
var t0 = time.Date(2026, time.March, 14, 15, 9, 26, 535897000, time.UTC)

// elsewhere is a time as a caller may pass it: in a zone, with nanoseconds. asStored is the
// same as a store returns it.
var (
	elsewhere = time.Date(2026, time.October, 25, 2, 30, 0, 123456789, time.FixedZone("Kiritimati", 14*60*60))
	asStored  = time.Date(2026, time.October, 24, 12, 30, 0, 123456000, time.UTC)
)

// digest returns the digest of a name.
func digest(name string) storage.Digest { return sha256.Sum256([]byte(name)) }

// ok fails the test if a step on which it relies has failed.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("err = %v", err)
	}
}

// must returns what a call has returned, in a test that ends if it has failed.
func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		ok(t, err)
		return value
	}
}

// errOf returns the last of the results of a call, its error.
func errOf(results ...any) error {
	err, _ := results[len(results)-1].(error)
	return err
}

// fails reports an error other than that of the contract.
func fails(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("err = %v, want %v", err, want)
	}
}

// equal reports the difference of two values. Times must have equal locations, too.
func equal[T any](t *testing.T, got, want T) {
	t.Helper()
	sameTime := cmp.Comparer(func(a, b time.Time) bool { return a == b })
	if diff := cmp.Diff(want, got, sameTime); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// contenders is the number of calls that race.
const contenders = 16

// race makes calls at once, spread over the stores, and returns their errors.
func race[S any](stores []S, call func(i int, s S) error) []error {
	errs := make([]error, contenders)
	start := make(chan struct{})
	var done sync.WaitGroup
	for i := range errs {
		done.Go(func() {
			<-start
			errs[i] = call(i, stores[i%len(stores)])
		})
	}
	close(start)
	done.Wait()
	return errs
}

// allWin ends the test unless all calls succeeded.
func allWin(t *testing.T, errs []error) {
	t.Helper()
	for _, err := range errs {
		ok(t, err)
	}
}

// oneWins reports unless one call succeeded and all others failed with this error.
func oneWins(t *testing.T, errs []error, loser error) {
	t.Helper()
	winners := 0
	for _, err := range errs {
		if err == nil {
			winners++
			continue
		}
		fails(t, err, loser)
	}
	if winners != 1 {
		t.Errorf("%d of %d calls succeeded, want 1", winners, len(errs))
	}
}

package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// factorContests are those of proofs.
func (s *suite) factorContests(t *testing.T) {
	signIn := func(spend func(on *storage.Proof)) contest[storage.Store] {
		return func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id)
			equip(t, store, id)
			on := proofOf(t, store, id)
			spend(&on)
			return func(i int, s storage.Store) error {
				return s.CreateSession(t.Context(), session(fmt.Sprint(id, " ", i), id), on, storage.Digest{})
			}, storage.ErrProof
		}
	}
	changes := []string{"AddPasskey", "RemovePasskey", "SetTOTP", "RemoveTOTP", "SetRecoveryCodes", "SetSecondStep"}
	n := 0
	hold(t, s.stores, map[string]contest[storage.Store]{
		"SignInByAStepOfAnApp":  signIn(func(on *storage.Proof) { on.TOTPStep = 101 }),
		"SignInByARecoveryCode": signIn(func(on *storage.Proof) { on.RecoveryCode = digest("one") }),
		"SignInByAChallenge": signIn(func(on *storage.Proof) {
			n++
			on.Challenge, on.ChallengeUntil = digest(fmt.Sprint("challenge ", n)), t0.Add(time.Minute)
		}),
		"ChangeOfAVersion": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id)
			equip(t, store, id)
			on := proofOf(t, store, id)
			return func(i int, s storage.Store) error {
				return factorChanges[changes[i%len(changes)]](t, s, id, on)
			}, storage.ErrChanged
		},
		"RemovalOfTheLastTwoPasskeys": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id) // without a password
			equip(t, store, id)
			return func(i int, s storage.Store) error {
				name := []string{"first", "second"}[i%2]
				err := untilUnchanged(t, s, id, func(on storage.Proof) error {
					return s.RemovePasskey(t.Context(), id, passkey(name+" of "+id, id).ID, on)
				})
				if errors.Is(err, storage.ErrNotFound) {
					return storage.ErrLast // the same one, of another tab
				}
				return err
			}, storage.ErrLast
		},
		"RemovalOfThePasswordAndThePasskey": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			ok(t, store.CreateAccount(t.Context(), storage.Account{ID: id, PasswordHash: "hash", CreatedAt: t0}))
			ok(t, store.AddPasskey(t.Context(), passkey("only of "+id, id), 1, proofOf(t, store, id)))
			return func(i int, s storage.Store) error {
				err := untilUnchanged(t, s, id, func(on storage.Proof) error {
					if i%2 == 0 {
						return s.RemovePassword(t.Context(), id, on)
					}
					return s.RemovePasskey(t.Context(), id, passkey("only of "+id, id).ID, on)
				})
				if errors.Is(err, storage.ErrNotFound) {
					return storage.ErrLast
				}
				return err
			}, storage.ErrLast
		},
		"IdentityOfTwoAccounts":         identityOfTwo,
		"RemovalOfTheLinkAndThePasskey": removalOfLinkAndPasskey,
		"BeginOfARecovery": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id)
			return func(_ int, s storage.Store) error { return s.BeginRecovery(t.Context(), recovery(id), 0) }, storage.ErrConflict
		},
		"EndOfARecovery": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id)
			ok(t, store.BeginRecovery(t.Context(), recovery(id), 0))
			ok(t, store.ApproveRecovery(t.Context(), id, t0))
			on := proofOf(t, store, id)
			return func(i int, s storage.Store) error {
				if i%2 == 0 {
					return found(s.CancelRecovery(t.Context(), id))
				}
				err := s.FinishRecovery(t.Context(), storage.RecoveryFinish{AccountID: id, PasswordHash: "new", At: t0.Add(time.Hour), On: on})
				if errors.Is(err, storage.ErrChanged) {
					return storage.ErrNotFound // another one has finished
				}
				return err
			}, storage.ErrNotFound
		},
	})
}

// untilUnchanged makes a change of an account that rests on its current version, and reads
// again when another has come first.
func untilUnchanged(t *testing.T, s storage.Store, account string, change func(on storage.Proof) error) error {
	for {
		a, err := s.Account(t.Context(), account)
		if err != nil {
			return err
		}
		on := a.Proof()
		on.At = t0
		if err := change(on); !errors.Is(err, storage.ErrChanged) {
			return err
		}
	}
}

// factorRaces are the races of what an account has beside its password.
func (s *suite) factorRaces(t *testing.T) {
	s.factorContests(t)
	t.Run("SessionNeverOutlivesItsPasskey", func(t *testing.T) {
		everyRound(t, s.raceRemoval)
	})
	t.Run("SessionNeverOutlivesItsLink", func(t *testing.T) {
		everyRound(t, s.raceUnlink)
	})
	t.Run("MembershipNeverOutlivesItsLink", func(t *testing.T) {
		everyRound(t, s.raceVouch)
	})
	t.Run("PasskeysKeepTheirLimit", func(t *testing.T) {
		const limit = 10
		stores := s.stores(t, 2)
		createAccount(t, stores[0], "account")
		var added atomic.Int64
		allWin(t, race(stores, func(i int, store storage.Store) error {
			err := untilUnchanged(t, store, "account", func(on storage.Proof) error {
				return store.AddPasskey(t.Context(), passkey(fmt.Sprint(i), "account"), limit, on)
			})
			if err == nil {
				added.Add(1)
			}
			if errors.Is(err, storage.ErrLimit) {
				return nil
			}
			return err
		}))
		equal(t, added.Load(), limit)
		equal(t, len(has(t, stores[0], "account").Passkeys), limit)
	})
	s.pair(t, "PasskeyIsOfOneAccount", func(t *testing.T, stores []storage.Store) {
		for i := range contenders {
			createAccount(t, stores[0], fmt.Sprint("account ", i))
		}
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			return store.AddPasskey(t.Context(), passkey("one", fmt.Sprint("account ", i)), 1, storage.Proof{})
		}), storage.ErrConflict)
	})
	s.pair(t, "TrustNeverOutlivesAVersion", func(t *testing.T, stores []storage.Store) {
		createAccount(t, stores[0], "account")
		allWin(t, race(stores, func(i int, store storage.Store) error {
			if i == contenders/2 {
				return store.SetTOTP(t.Context(), "account", app("app"), storage.RecoveryCodes{}, storage.Proof{})
			}
			err := store.TrustDevice(t.Context(), device(fmt.Sprint(i), "account"), storage.Proof{})
			if errors.Is(err, storage.ErrChanged) {
				return nil
			}
			return err
		}))
		equal(t, len(has(t, stores[0], "account").Devices), 0)
	})
}

// raceRemoval begins sessions by a passkey while it is removed.
func (s *suite) raceRemoval(t *testing.T) {
	t.Helper()
	stores := s.stores(t, 2)
	createAccount(t, stores[0], "account")
	equip(t, stores[0], "account")
	id := passkey("first of account", "").ID
	on := proofOf(t, stores[0], "account")
	allWin(t, race(stores, func(i int, store storage.Store) error {
		if i == contenders/2 {
			return store.RemovePasskey(t.Context(), "account", id, on)
		}
		n, by := session(fmt.Sprint(i), "account"), on
		by.Passkey.ID = id
		n.Factors = []storage.Factor{{Method: storage.PasskeyVerified, At: t0, Credential: id}}
		err := store.CreateSession(t.Context(), n, by, storage.Digest{})
		if errors.Is(err, storage.ErrChanged) {
			return nil // the removal was first
		}
		return err
	}))
	equal(t, len(must(stores[0].Sessions(t.Context(), "account"))(t)), 0)
	for _, p := range has(t, stores[0], "account").Passkeys {
		if bytes.Equal(p.ID, id) {
			t.Error("the passkey was not removed")
		}
	}
}

package storagetest

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// A contest is a write whose condition many callers have read, and which the first of them
// ends: only one may write. It makes the records before, under an ID of its own, and returns
// the call of each caller and the error of those who are late. A backend that first checks
// the condition and then writes lets several win: one reset sets two passwords, or a status
// stands that a reviewer has just withdrawn.
type contest[S storage.Store] func(t *testing.T, store S, id string) (try func(i int, s S) error, late error)

// rounds is how often a race runs that a wrong order would decide now and then: go test
// ./storage/sqlite ./storage/postgres -contract.rounds 100 looks longer.
var rounds = flag.Int("contract.rounds", 8, "how often each race of the contract runs")

// everyRound runs a race that has a database of its own, which it gives back at its end.
func everyRound(t *testing.T, race func(t *testing.T)) {
	for round := range *rounds {
		t.Run(fmt.Sprint(round), race)
	}
}

// hold runs contests between two stores of one database.
func hold[S storage.Store](t *testing.T, stores func(t *testing.T, n int) []S, contests map[string]contest[S]) {
	for name, prepare := range contests {
		t.Run(name+"HasOneWinner", func(t *testing.T) {
			stores := stores(t, 2)
			for round := range *rounds {
				try, late := prepare(t, stores[0], fmt.Sprint("id ", round))
				oneWins(t, race(stores, try), late)
			}
		})
	}
}

// contests are those of storage.Store beside the races.
func (s *suite) contests(t *testing.T) {
	hold(t, s.stores, map[string]contest[storage.Store]{
		"EndOfAStatus": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			ok(t, store.SetStatus(t.Context(), id, storage.Status{Group: "student", Verified: true, ExpiresAt: t0}, storage.NoStatus))
			return func(_ int, s storage.Store) error {
				ends, err := s.EndStatuses(t.Context(), t0, 9, endOf)
				if err == nil && len(ends) == 0 {
					err = storage.ErrNotFound
				}
				return err
			}, storage.ErrNotFound
		},
		"RegistrationOfAVersion": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			saveClient(t, store, id)
			read := must(store.Client(t.Context(), id))(t)
			return func(i int, s storage.Store) error {
				c := read
				c.Name = fmt.Sprint(i)
				return s.SaveClient(t.Context(), c)
			}, storage.ErrChanged
		},
		"NewRegistration": func(t *testing.T, _ storage.Store, id string) (func(int, storage.Store) error, error) {
			return func(i int, s storage.Store) error {
				return s.SaveClient(t.Context(), storage.Client{ID: id, Name: fmt.Sprint(i)})
			}, storage.ErrChanged
		},
		"EndOfARegistration": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			saveClient(t, store, id)
			read := must(store.Client(t.Context(), id))(t)
			return func(i int, s storage.Store) error {
				if i%2 == 0 {
					return s.DeleteClient(t.Context(), id, read.Version)
				}
				return s.SaveClient(t.Context(), read)
			}, storage.ErrChanged
		},
		"PasswordOfAnEpoch": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id)
			return func(i int, s storage.Store) error {
				return s.SetPassword(t.Context(), id, storage.Proof{}, fmt.Sprint("hash ", i), t0)
			}, storage.ErrChanged
		},
		"AddressOfAnEpoch": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id)
			return func(i int, s storage.Store) error {
				email := fmt.Sprint(i, " of ", id)
				return s.ChangeEmail(t.Context(), emailChange(id, 0, email))
			}, storage.ErrChanged
		},
		"ReturnOfAnAddress": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id)
			ok(t, store.ChangeEmail(t.Context(), change(id, 0, "new of "+id)))
			ok(t, store.ChangeEmail(t.Context(), change(id, 1, "newer of "+id)))
			return func(_ int, s storage.Store) error {
				return errOf(s.ReturnEmail(t.Context(), emailReturn(id, 1)))
			}, storage.ErrNotFound
		},
		"AddressInPlaceOfAnother": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			ok(t, store.CreateAccount(t.Context(), storage.Account{ID: id, Email: id, EmailKey: id, CreatedAt: t0}))
			return func(i int, s storage.Store) error {
				email := fmt.Sprint(i, " of ", id)
				return s.SetEmail(t.Context(), id, id, email, email, true)
			}, storage.ErrChanged
		},
		"AccountOfACode": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("code of "+id, "sign_up", id)))
			return func(i int, s storage.Store) error {
				return s.CreateAccount(t.Context(), storage.Account{ID: fmt.Sprint(i, " of ", id), CreatedAt: t0},
					storage.FirstFactors{On: storage.Proof{OneTimeCode: digest("code of " + id), At: t0}})
			}, storage.ErrProof
		},
		"PasswordOfACode": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("code of "+id, "reset", id)))
			owners := names(id+" ", contenders)
			for _, owner := range owners {
				createAccount(t, store, owner)
			}
			return func(i int, s storage.Store) error {
				return s.SetPassword(t.Context(), owners[i], storage.Proof{OneTimeCode: digest("code of " + id), At: t0}, "new", t0)
			}, storage.ErrProof
		},
		"DeletionOfAnEpoch": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id)
			return func(i int, s storage.Store) error {
				return s.SetDeletion(t.Context(), id, storage.Proof{}, t0.Add(time.Duration(i)*time.Hour), t0)
			}, storage.ErrChanged
		},
		"EndOfAnAccountThatIsDue": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id)
			ok(t, store.SetDeletion(t.Context(), id, storage.Proof{}, t0, t0))
			return func(i int, s storage.Store) error {
				if i%2 == 0 {
					return found(s.DeleteAccount(t.Context(), id, "someone", nil, t0))
				}
				err := s.SetDeletion(t.Context(), id, storage.Proof{Epoch: 1}, time.Time{}, t0) // keeps it
				if errors.Is(err, storage.ErrChanged) {
					err = storage.ErrNotFound
				}
				return err
			}, storage.ErrNotFound
		},
		"WhatEndsAnEpoch": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id)
			return func(i int, s storage.Store) error {
				switch i % 3 {
				case 0:
					return s.SetPassword(t.Context(), id, storage.Proof{}, "hash", t0)
				case 1:
					return s.ChangeEmail(t.Context(), emailChange(id, 0, id))
				default:
					return s.SetDeletion(t.Context(), id, storage.Proof{}, t0, t0)
				}
			}, storage.ErrChanged
		},
		"AttributeInPlaceOfAnother": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			ok(t, store.SetAttributes(t.Context(), id, attributes(`{"a":"old"}`), nil))
			return func(i int, s storage.Store) error {
				return s.ReplaceAttribute(t.Context(), id, "a", json.RawMessage(`"old"`), json.RawMessage(fmt.Sprint(i)), storage.Digest{})
			}, storage.ErrChanged
		},
		"FirstConsent": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			saveClient(t, store, id)
			return func(i int, s storage.Store) error { return decideAgain(t, s, id, i, storage.Digest{}) }, storage.ErrChanged
		},
		"ConsentInPlaceOfAnother": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			saveClient(t, store, id)
			first := consent("subject", id)
			ok(t, store.SaveConsent(t.Context(), first, storage.ConsentBasis{}))
			return func(i int, s storage.Store) error { return decideAgain(t, s, id, i, first.Decision) }, storage.ErrChanged
		},
		"StatusOfARevision": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			ok(t, store.SetStatus(t.Context(), id, storage.Status{Group: "g"}, storage.NoStatus))
			read := must(store.Person(t.Context(), id))(t)
			return func(i int, s storage.Store) error {
				return s.SetStatus(t.Context(), id, storage.Status{Group: "g", Verified: i%2 == 0}, read.Statuses[0].Revision)
			}, storage.ErrChanged
		},
		"FirstStatus": func(t *testing.T, _ storage.Store, id string) (func(int, storage.Store) error, error) {
			return func(i int, s storage.Store) error {
				return s.SetStatus(t.Context(), id, storage.Status{Group: "g", VerifiedBy: fmt.Sprint(i)}, storage.NoStatus)
			}, storage.ErrChanged
		},
		"PersonOfARevision": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id)
			read := must(store.Person(t.Context(), id))(t)
			return func(i int, s storage.Store) error {
				return s.SetAttributes(t.Context(), id, attributes(fmt.Sprintf(`{"a":%d}`, i)), nil, storage.PersonBasis{Revision: read.Revision})
			}, storage.ErrChanged
		},
		"CallerCode": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			createAccount(t, store, id)
			openMatter(t, store, matter("about "+id, "sue", id, t0))
			ok(t, store.SaveCallerCode(t.Context(), callerCode(id, "mailed", storage.MailboxProof)))
			return func(_ int, s storage.Store) error { return prove(t, s, id, "mailed") }, storage.ErrProof
		},
		"InstallationInPlaceOfAnother": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			read, err := store.Installation(t.Context())
			if err != nil { // in the first round
				read = storage.Installation{Issuer: "issuer", DataKeys: []byte(id)}
				ok(t, store.SaveInstallation(t.Context(), storage.Installation{}, read))
			}
			return func(i int, s storage.Store) error {
				next := storage.Installation{Issuer: "issuer", DataKeys: fmt.Append(nil, id, i)}
				return s.SaveInstallation(t.Context(), read, next)
			}, storage.ErrChanged
		},
		"KeySealedAnew": func(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
			keys := must(store.Keys(t.Context()))(t)
			k := key(int64(len(keys)+1), id)
			ok(t, store.AddKey(t.Context(), k))
			return func(i int, s storage.Store) error {
				return s.ResealKey(t.Context(), k.Generation, k.Sealed, fmt.Append(nil, i))
			}, storage.ErrNotFound
		},
	})
}

// decideAgain saves the decision of one of many about a client.
func decideAgain(t *testing.T, s storage.Store, client string, i int, replaced storage.Digest) error {
	c := consent("subject", client)
	c.Decision = digest(fmt.Sprint(client, " again ", i))
	return s.SaveConsent(t.Context(), c, storage.ConsentBasis{Replaced: replaced})
}

package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// equipped returns a store with an account that has a password, two passkeys, an app and
// recovery codes.
func (s *suite) equipped(t *testing.T) storage.Store {
	t.Helper()
	store := s.store(t)
	ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "account", PasswordHash: "hash", CreatedAt: t0}))
	equip(t, store, "account")
	return store
}

// begin begins a session with factors.
func (s *suite) begin(t *testing.T, store storage.Store, name, account string, factors ...storage.Factor) {
	t.Helper()
	n := session(name, account)
	n.Factors = factors
	ok(t, store.CreateSession(t.Context(), n, proofOf(t, store, account), storage.Digest{}))
}

// standing returns which of these sessions have not ended.
func standing(t *testing.T, store storage.Store, names ...string) (left []string) {
	t.Helper()
	for _, name := range names {
		if _, _, err := store.Session(t.Context(), digest(name)); err == nil {
			left = append(left, name)
		}
	}
	return left
}

// factorChanges are all that begin the next version of an account of equip, and rest on a
// proof.
var factorChanges = map[string]func(t *testing.T, s storage.Store, account string, on storage.Proof) error{
	"AddPasskey": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
		return s.AddPasskey(t.Context(), passkey("third of "+account, account), 20, on)
	},
	"RemovePasskey": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
		return s.RemovePasskey(t.Context(), account, []byte("id of second of "+account), on)
	},
	"SetTOTP": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
		next := app("another")
		next.Step = 1000
		return s.SetTOTP(t.Context(), account, next, storage.RecoveryCodes{}, on)
	},
	"RemoveTOTP": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
		return s.RemoveTOTP(t.Context(), account, on)
	},
	"SetRecoveryCodes": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
		return s.SetRecoveryCodes(t.Context(), account, codes("four", "five"), on)
	},
	"SetSecondStep": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
		return s.SetSecondStep(t.Context(), account, true, on)
	},
	"RemovePassword": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
		return s.RemovePassword(t.Context(), account, on)
	},
}

func (s *suite) authenticatorChanges(t *testing.T) {
	for name, do := range factorChanges {
		t.Run(name+"BeginsAVersionAndEndsTheTrustInDevices", func(t *testing.T) {
			store := s.equipped(t)
			for _, name := range []string{"laptop", "phone"} {
				ok(t, store.TrustDevice(t.Context(), device(name, "account"), proofOf(t, store, "account")))
			}
			before := has(t, store, "account")
			ok(t, do(t, store, "account", proofOf(t, store, "account")))
			after := has(t, store, "account")
			equal(t, after.Account.FactorsVersion, before.Account.FactorsVersion+1)
			equal(t, after.Account.Epoch, before.Account.Epoch)
			equal(t, len(before.Devices), 2)
			equal(t, len(after.Devices), 0)
		})
	}
	t.Run("LastFactorTakesTheSecondStepAlong", func(t *testing.T) {
		store := s.equipped(t)
		for _, remove := range []func(on storage.Proof) error{
			func(on storage.Proof) error { return store.RemoveTOTP(t.Context(), "account", on) },
			func(on storage.Proof) error {
				return store.RemovePasskey(t.Context(), "account", passkey("first of account", "").ID, on)
			},
			func(on storage.Proof) error {
				return store.RemovePasskey(t.Context(), "account", passkey("second of account", "").ID, on)
			},
		} {
			set := has(t, store, "account")
			equal(t, set.Account.SecondStep, true)
			equal(t, len(set.Recovery.Digests), 3)
			ok(t, remove(proofOf(t, store, "account")))
		}
		set := has(t, store, "account")
		equal(t, set.Account.SecondStep, false)
		equal(t, set.Recovery, storage.RecoveryCodes{})
		fails(t, store.SetSecondStep(t.Context(), "account", true, proofOf(t, store, "account")), storage.ErrConflict)
		fails(t, store.SetRecoveryCodes(t.Context(), "account", codes("code"), proofOf(t, store, "account")), storage.ErrConflict)
		fails(t, store.RemoveTOTP(t.Context(), "account", proofOf(t, store, "account")), storage.ErrNotFound)
		equal(t, has(t, store, "account").Account.FactorsVersion, set.Account.FactorsVersion)
	})
	t.Run("SecondStepIsOnWithAnApp", func(t *testing.T) {
		store := s.equipped(t)
		fails(t, store.SetSecondStep(t.Context(), "account", false, proofOf(t, store, "account")), storage.ErrConflict)
		ok(t, store.RemoveTOTP(t.Context(), "account", proofOf(t, store, "account")))
		for _, required := range []bool{false, true, true, false} { // with passkeys it is as the owner wants
			ok(t, store.SetSecondStep(t.Context(), "account", required, proofOf(t, store, "account")))
			equal(t, has(t, store, "account").Account.SecondStep, required)
		}
	})
	t.Run("AppTakesThePlaceOfTheOneBefore", func(t *testing.T) {
		store := s.equipped(t)
		before := has(t, store, "account")
		next := app("next")
		next.Step, next.CreatedAt = 7, t0.Add(time.Hour) // earlier than that of the one before
		ok(t, store.SetTOTP(t.Context(), "account", next, storage.RecoveryCodes{}, proofOf(t, store, "account")))
		after := has(t, store, "account")
		equal(t, after.TOTP, next)
		equal(t, after.Recovery, before.Recovery)
		ok(t, store.SetTOTP(t.Context(), "account", app("last"), codes("four"), proofOf(t, store, "account")))
		equal(t, has(t, store, "account").Recovery, codes("four"))
	})
	t.Run("RecoveryCodesTakeThePlaceOfThoseBefore", func(t *testing.T) {
		store := s.equipped(t)
		next := codes("four")
		next.Salt, next.CreatedAt = []byte("another"), t0.Add(time.Hour)
		ok(t, store.SetRecoveryCodes(t.Context(), "account", next, proofOf(t, store, "account")))
		equal(t, has(t, store, "account").Recovery, next)
		on := proofOf(t, store, "account")
		on.RecoveryCode = digest("one")
		fails(t, store.CreateSession(t.Context(), session("session", "account"), on, storage.Digest{}), storage.ErrProof)
	})
	t.Run("RemovalOfThePassword", s.removePassword)
	t.Run("ResetLeavesThePassword", s.resetAuthenticators)
}

func (s *suite) removePassword(t *testing.T) {
	store := s.equipped(t)
	password := storage.Factor{Method: storage.Password, At: t0}
	s.begin(t, store, "of a password", "account", password)
	s.begin(t, store, "own", "account", password, storage.Factor{Method: storage.PasskeyVerified, At: t0})
	s.begin(t, store, "of a passkey", "account", storage.Factor{Method: storage.PasskeyVerified, At: t0})
	s.begin(t, store, "of before factors", "account")
	on := proofOf(t, store, "account")
	on.Session = digest("own")
	ok(t, store.RemovePassword(t.Context(), "account", on))
	account := has(t, store, "account").Account
	equal(t, account.PasswordHash, "")
	equal(t, account.PasswordChangedAt, t0)
	equal(t, standing(t, store, "of a password", "own", "of a passkey", "of before factors"), []string{"own", "of a passkey"})
	fails(t, store.RemovePassword(t.Context(), "account", proofOf(t, store, "account")), storage.ErrNotFound)

	ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "last", PasswordHash: "hash", CreatedAt: t0}))
	ok(t, store.SetTOTP(t.Context(), "last", app("last"), storage.RecoveryCodes{}, proofOf(t, store, "last")))
	fails(t, store.RemovePassword(t.Context(), "last", proofOf(t, store, "last")), storage.ErrLast)
	equal(t, has(t, store, "last").Account.PasswordHash, "hash")
}

func (s *suite) resetAuthenticators(t *testing.T) {
	store := s.equipped(t)
	ok(t, store.TrustDevice(t.Context(), device("laptop", "account"), proofOf(t, store, "account")))
	s.begin(t, store, "session", "account")
	before := has(t, store, "account")
	ok(t, store.BeginRecovery(t.Context(), recovery("account"), before.Account.Epoch))
	ok(t, store.ResetAuthenticators(t.Context(), "account", t0))
	want := before.Account
	want.FactorsVersion++
	want.Epoch++
	want.SecondStep = false
	equal(t, has(t, store, "account"), storage.AuthenticatorSet{Account: want}) // the handle never changes
	equal(t, standing(t, store, "session"), nil)
	fails(t, store.ResetAuthenticators(t.Context(), "nobody", t0), storage.ErrNotFound)
}

package storagetest

import (
	"bytes"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *suite) passkeys(t *testing.T) {
	t.Run("AreOfOneAccount", func(t *testing.T) {
		store := s.equipped(t)
		createAccount(t, store, "other")
		taken := passkey("first of account", "other")
		fails(t, store.AddPasskey(t.Context(), taken, 20, proofOf(t, store, "other")), storage.ErrConflict)
		equal(t, has(t, store, "other").Account.UserHandle, nil)
		taken.AccountID, taken.UserHandle = "account", handleOf("account")
		fails(t, store.AddPasskey(t.Context(), taken, 20, proofOf(t, store, "account")), storage.ErrConflict)
		of := passkey("new", "other")
		of.UserHandle = handleOf("account")
		fails(t, store.AddPasskey(t.Context(), of, 20, proofOf(t, store, "other")), storage.ErrConflict)
		of.AccountID, of.UserHandle = "account", handleOf("other")
		fails(t, store.AddPasskey(t.Context(), of, 20, proofOf(t, store, "account")), storage.ErrConflict)
		equal(t, has(t, store, "account").Account.FactorsVersion, 3)
	})
	t.Run("AreLimited", func(t *testing.T) {
		store := s.equipped(t)
		fails(t, store.AddPasskey(t.Context(), passkey("third", "account"), 2, proofOf(t, store, "account")), storage.ErrLimit)
		ok(t, store.AddPasskey(t.Context(), passkey("third", "account"), 3, proofOf(t, store, "account")))
	})
	s.test(t, "HaveAnIDAndAHandle", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		for _, spoil := range []func(*storage.Passkey){
			func(p *storage.Passkey) { p.ID = nil }, func(p *storage.Passkey) { p.UserHandle = nil },
		} {
			p := passkey("new", "account")
			spoil(&p)
			if err := store.AddPasskey(t.Context(), p, 20, proofOf(t, store, "account")); err == nil {
				t.Errorf("%+v was added", p)
			}
		}
	})
	t.Run("HaveANameOfTheOwner", func(t *testing.T) {
		store := s.equipped(t)
		id := passkey("first of account", "").ID
		before := has(t, store, "account")
		ok(t, store.RenamePasskey(t.Context(), "account", id, "Küche"))
		after := has(t, store, "account")
		for i := range before.Passkeys {
			if bytes.Equal(before.Passkeys[i].ID, id) {
				before.Passkeys[i].Name = "Küche"
			}
		}
		equal(t, after, before)
		createAccount(t, store, "other")
		fails(t, store.RenamePasskey(t.Context(), "other", id, "mine"), storage.ErrNotFound)
		fails(t, store.RenamePasskey(t.Context(), "account", nil, "none"), storage.ErrNotFound)
		equal(t, has(t, store, "account"), after)
	})
	t.Run("TakeTheirSessionsAlong", func(t *testing.T) {
		store := s.equipped(t)
		first, second := passkey("first of account", "").ID, passkey("second of account", "").ID
		by := func(id []byte) storage.Factor {
			return storage.Factor{Method: storage.PasskeyVerified, At: t0, Credential: id}
		}
		s.begin(t, store, "by the first", "account", by(first))
		s.begin(t, store, "by it and a password", "account", storage.Factor{Method: storage.Password, At: t0}, by(first))
		s.begin(t, store, "own", "account", by(first))
		s.begin(t, store, "by the second", "account", by(second))
		s.begin(t, store, "by a password", "account", storage.Factor{Method: storage.Password, At: t0})
		on := proofOf(t, store, "account")
		on.Session = digest("own")
		createAccount(t, store, "other")
		fails(t, store.RemovePasskey(t.Context(), "other", first, proofOf(t, store, "other")), storage.ErrNotFound)
		ok(t, store.RemovePasskey(t.Context(), "account", first, on))
		equal(t, standing(t, store, "by the first", "by it and a password", "own", "by the second", "by a password"),
			[]string{"own", "by the second", "by a password"})
		fails(t, store.RemovePasskey(t.Context(), "account", first, proofOf(t, store, "account")), storage.ErrNotFound)
	})
	s.test(t, "LastWayInStays", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account") // without a password
		equip(t, store, "account")
		ok(t, store.RemovePasskey(t.Context(), "account", passkey("first of account", "").ID, proofOf(t, store, "account")))
		last := passkey("second of account", "").ID
		before := has(t, store, "account")
		fails(t, store.RemovePasskey(t.Context(), "account", last, proofOf(t, store, "account")), storage.ErrLast)
		equal(t, has(t, store, "account"), before)
	})
	t.Run("BeginAnAccount", s.firstFactors)
}

func (s *suite) firstFactors(t *testing.T) {
	store := s.store(t)
	account := storage.Account{ID: "account", EmailKey: "key", FactorsVersion: 7, CreatedAt: t0}
	first := storage.FirstFactors{Passkey: passkey("first", "account"), Recovery: codes("one")}
	ok(t, store.CreateAccount(t.Context(), account, first))
	account.UserHandle = handleOf("account")
	equal(t, has(t, store, "account"), storage.AuthenticatorSet{
		Account: account, Passkeys: []storage.Passkey{first.Passkey}, Recovery: first.Recovery,
	})
	other := storage.Account{ID: "other", CreatedAt: t0}
	first.Passkey.UserHandle = handleOf("other")
	fails(t, store.CreateAccount(t.Context(), other, first), storage.ErrConflict) // the passkey is taken
	first.Passkey = passkey("second", "other")
	first.Passkey.UserHandle = handleOf("account")
	fails(t, store.CreateAccount(t.Context(), other, first), storage.ErrConflict) // and the handle
	fails(t, errOf(store.Account(t.Context(), "other")), storage.ErrNotFound)
	ok(t, store.CreateAccount(t.Context(), other, storage.FirstFactors{}))
	equal(t, has(t, store, "other"), storage.AuthenticatorSet{Account: other})
}

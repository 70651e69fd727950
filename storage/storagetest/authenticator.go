package storagetest

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// handleOf is the user handle of an account.
func handleOf(account string) []byte {
	d := digest("handle of " + account)
	return append(d[:], d[:]...)
}

// passkey returns a passkey of an account.
func passkey(name, account string) storage.Passkey {
	return storage.Passkey{
		ID: []byte("id of " + name), AccountID: account, UserHandle: handleOf(account), RPID: "login.example", Name: name,
		PublicKey: []byte("key of " + name), Flags: 0x1d, SignCount: 3, AAGUID: [16]byte{1, 15: 16}, Transports: []string{"internal", "hybrid"},
		Discoverable: true, CreatedAt: t0,
	}
}

// app returns an authenticator app.
func app(name string) storage.TOTP {
	return storage.TOTP{Secret: []byte("secret of " + name), Step: 100, CreatedAt: t0}
}

// codes returns a set of recovery codes.
func codes(names ...string) storage.RecoveryCodes {
	set := storage.RecoveryCodes{Salt: []byte("salt"), CreatedAt: t0}
	for _, name := range names {
		set.Digests = append(set.Digests, digest(name))
	}
	return set
}

// device returns a trusted device of an account.
func device(name, account string) storage.TrustedDevice {
	return storage.TrustedDevice{
		Digest: digest(name), AccountID: account, UserAgent: "Browser (¾)", Address: "192.0.2.0/24", CreatedAt: t0, ExpiresAt: t0.Add(30 * 24 * time.Hour),
	}
}

// proofOf is the proof that rests on an account as it is now.
func proofOf(t *testing.T, store storage.Store, account string) storage.Proof {
	t.Helper()
	a := must(store.Account(t.Context(), account))(t)
	on := a.Proof()
	on.At = t0
	return on
}

// has returns what an account has.
func has(t *testing.T, store storage.Store, account string) storage.AuthenticatorSet {
	t.Helper()
	return must(store.Authenticators(t.Context(), account))(t)
}

// equip gives an account two passkeys, an app and recovery codes.
func equip(t *testing.T, store storage.Store, account string) {
	t.Helper()
	for _, name := range []string{"first", "second"} {
		ok(t, store.AddPasskey(t.Context(), passkey(name+" of "+account, account), 20, proofOf(t, store, account)))
	}
	ok(t, store.SetTOTP(t.Context(), account, app(account), codes("one", "two", "three"), proofOf(t, store, account)))
}

func (s *suite) authenticators(t *testing.T) {
	s.test(t, "AreEmpty", func(t *testing.T, store storage.Store) {
		fails(t, errOf(store.Authenticators(t.Context(), "account")), storage.ErrNotFound)
		createAccount(t, store, "account")
		account := must(store.Account(t.Context(), "account"))(t)
		equal(t, has(t, store, "account"), storage.AuthenticatorSet{Account: account})
	})
	t.Run("ComeBackAsTheyWere", s.authenticatorsRoundTrip)
	s.test(t, "StayOfTheirAccount", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		createAccount(t, store, "other")
		equip(t, store, "other")
		if set := has(t, store, "account"); set.Passkeys != nil || set.TOTP.Secret != nil || set.Recovery.Digests != nil {
			t.Errorf("an account has %+v of another", set)
		}
	})
}

func (s *suite) authenticatorsRoundTrip(t *testing.T) {
	store := s.store(t)
	createAccount(t, store, "account")
	laptop, phone := passkey("laptop", "account"), passkey("phone", "account")
	laptop.CreatedAt, laptop.LastUsedAt, laptop.Transports, laptop.Discoverable, laptop.SignCount = elsewhere, elsewhere, nil, false, 1<<32-1
	laptop.Flags, laptop.Name = 0xff, `Küche <&> "Söhne"`
	ok(t, store.AddPasskey(t.Context(), laptop, 2, proofOf(t, store, "account")))
	ok(t, store.AddPasskey(t.Context(), phone, 2, proofOf(t, store, "account")))
	totp := app("phone")
	totp.CreatedAt, totp.LastUsedAt = elsewhere, elsewhere
	set := codes("one", "two")
	set.CreatedAt = elsewhere
	ok(t, store.SetTOTP(t.Context(), "account", totp, set, proofOf(t, store, "account")))
	earlier, later := device("earlier", "account"), device("later", "account")
	later.CreatedAt, later.ExpiresAt = earlier.CreatedAt.Add(time.Second), elsewhere
	for _, d := range []storage.TrustedDevice{later, earlier} {
		ok(t, store.TrustDevice(t.Context(), d, proofOf(t, store, "account")))
	}
	recovery := storage.Recovery{AccountID: "account", StartedAt: t0, ReadyAt: t0.Add(time.Hour), EndsAt: elsewhere}
	ok(t, store.BeginRecovery(t.Context(), recovery, 0))

	laptop.CreatedAt, laptop.LastUsedAt, totp.CreatedAt, totp.LastUsedAt, set.CreatedAt = asStored, asStored, asStored, asStored, asStored
	later.ExpiresAt, recovery.EndsAt = asStored, asStored
	if bytes.Compare(set.Digests[0][:], set.Digests[1][:]) > 0 {
		set.Digests[0], set.Digests[1] = set.Digests[1], set.Digests[0]
	}
	account := must(store.Account(t.Context(), "account"))(t)
	want := storage.AuthenticatorSet{
		Account: account, Passkeys: []storage.Passkey{phone, laptop}, TOTP: totp, Recovery: set,
		Devices: []storage.TrustedDevice{later, earlier}, Running: recovery,
	}
	equal(t, has(t, store, "account"), want)
	if account.FactorsVersion != 3 || !account.SecondStep || !bytes.Equal(account.UserHandle, handleOf("account")) {
		t.Errorf("the account is %+v", account)
	}
	for _, key := range want.Passkeys {
		got, of, err := store.Passkey(t.Context(), key.ID)
		ok(t, err)
		equal(t, got, key)
		equal(t, of, account)
	}
	fails(t, errOf(store.Passkey(t.Context(), nil)), storage.ErrNotFound)
	fails(t, errOf(store.Passkey(t.Context(), []byte(fmt.Sprint(phone.ID)))), storage.ErrNotFound)
}

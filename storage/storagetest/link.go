package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// link returns an identity of an account at an upstream provider.
func link(name, account string) storage.Link {
	return storage.Link{
		Digest: digest("link " + name), AccountID: account, Upstream: "campus", Issuer: "https://login.campus.example", Subject: "subject of " + name,
		Name: name + "@campus.example", CreatedAt: t0,
	}
}

func (s *suite) links(t *testing.T) {
	addTo := func(t *testing.T, store storage.Store, l storage.Link) {
		t.Helper()
		ok(t, store.AddLink(t.Context(), l, 20, proofOf(t, store, l.AccountID)))
	}
	t.Run("ComeBackAsStored", func(t *testing.T) {
		store := s.equipped(t)
		before := has(t, store, "account")
		first, second := link("first", "account"), link("second", "account")
		second.CreatedAt, second.LastUsedAt, second.Upstream = t0.Add(time.Hour), t0.Add(2*time.Hour), "github"
		addTo(t, store, first)
		addTo(t, store, second)
		after := has(t, store, "account")
		equal(t, after.Links, []storage.Link{first, second})
		equal(t, after.Account.FactorsVersion, before.Account.FactorsVersion+2)
		equal(t, after.Passkeys, before.Passkeys)
		equal(t, after.TOTP, before.TOTP)
		equal(t, after.Account.SecondStep, before.Account.SecondStep)
		l, account, err := store.LinkedAccount(t.Context(), second.Digest)
		ok(t, err)
		equal(t, l, second)
		equal(t, account, after.Account)
		for _, unknown := range []storage.Digest{{}, digest("link third")} {
			fails(t, errOf(store.LinkedAccount(t.Context(), unknown)), storage.ErrNotFound)
		}
	})
	t.Run("AreOfOneAccountAndLimited", func(t *testing.T) {
		store := s.equipped(t)
		createAccount(t, store, "other")
		addTo(t, store, link("one", "account"))
		fails(t, store.AddLink(t.Context(), link("one", "other"), 20, proofOf(t, store, "other")), storage.ErrConflict)
		fails(t, store.AddLink(t.Context(), link("one", "account"), 20, proofOf(t, store, "account")), storage.ErrConflict)
		fails(t, store.AddLink(t.Context(), link("two", "account"), 1, proofOf(t, store, "account")), storage.ErrLimit)
		fails(t, store.CreateAccount(t.Context(), storage.Account{ID: "third", CreatedAt: t0}, storage.FirstFactors{Link: link("one", "")}), storage.ErrConflict)
		fails(t, errOf(store.Account(t.Context(), "third")), storage.ErrNotFound)
		if err := store.AddLink(t.Context(), storage.Link{AccountID: "other", Upstream: "campus", CreatedAt: t0}, 20, proofOf(t, store, "other")); err == nil {
			t.Error("a link of nobody was added")
		}
		equal(t, has(t, store, "other").Links, nil)
	})
	t.Run("RestOnTheProof", func(t *testing.T) {
		store := s.equipped(t)
		on := proofOf(t, store, "account")
		addTo(t, store, link("one", "account"))
		fails(t, store.AddLink(t.Context(), link("two", "account"), 20, on), storage.ErrChanged)
		fails(t, store.RemoveLink(t.Context(), "account", link("one", "").Digest, on, t0), storage.ErrChanged)
		fails(t, store.AddLink(t.Context(), link("two", "nobody"), 20, storage.Proof{}), storage.ErrNotFound)
		on = proofOf(t, store, "account")
		on.Session = digest("no session")
		fails(t, store.AddLink(t.Context(), link("two", "account"), 20, on), storage.ErrProof)
		ok(t, store.SetDisabled(t.Context(), "account", true, t0))
		fails(t, store.AddLink(t.Context(), link("two", "account"), 20, proofOf(t, store, "account")), storage.ErrNotFound)
		equal(t, len(has(t, store, "account").Links), 1)
	})
	s.test(t, "BeginAnAccount", func(t *testing.T, store storage.Store) {
		account := storage.Account{ID: "account", EmailKey: "key", CreatedAt: t0}
		ok(t, store.CreateAccount(t.Context(), account, storage.FirstFactors{Link: link("one", "")}))
		equal(t, has(t, store, "account"), storage.AuthenticatorSet{Account: account, Links: []storage.Link{link("one", "account")}})
	})
	t.Run("SignIn", func(t *testing.T) {
		store := s.equipped(t)
		createAccount(t, store, "other")
		addTo(t, store, link("one", "account"))
		addTo(t, store, link("other's", "other"))
		by := func(name string) storage.Proof {
			on := proofOf(t, store, "account")
			on.At, on.Link = t0.Add(time.Minute), link(name, "").Digest
			return on
		}
		for _, wrong := range []string{"other's", "nobody's"} {
			fails(t, store.CreateSession(t.Context(), session("s", "account"), by(wrong), storage.Digest{}), storage.ErrProof)
		}
		n := session("s", "account")
		d := link("one", "").Digest
		n.Factors = []storage.Factor{{Method: storage.Upstream, At: t0, Since: t0.Add(-time.Hour), Credential: d[:], Level: storage.TwoFactors, Undated: true}, {Method: storage.TOTPCode, At: t0}}
		ok(t, store.CreateSession(t.Context(), n, by("one"), storage.Digest{}))
		got, _, err := store.Session(t.Context(), n.Digest)
		ok(t, err)
		equal(t, got.Factors, n.Factors)
		equal(t, has(t, store, "account").Links[0].LastUsedAt, t0.Add(time.Minute))
		equal(t, has(t, store, "other").Links[0].LastUsedAt, time.Time{})
	})
	t.Run("TakeTheirSessionsAlong", func(t *testing.T) {
		store := s.equipped(t)
		addTo(t, store, link("one", "account"))
		addTo(t, store, link("two", "account"))
		by := func(name string) storage.Factor {
			d := link(name, "").Digest
			return storage.Factor{Method: storage.Upstream, At: t0, Credential: d[:]}
		}
		s.begin(t, store, "by the first", "account", by("one"))
		s.begin(t, store, "own", "account", by("one"))
		s.begin(t, store, "by the second", "account", by("two"))
		s.begin(t, store, "by a password", "account", storage.Factor{Method: storage.Password, At: t0})
		createAccount(t, store, "other")
		fails(t, store.RemoveLink(t.Context(), "other", link("one", "").Digest, proofOf(t, store, "other"), t0), storage.ErrNotFound)
		ok(t, store.TrustDevice(t.Context(), device("device", "account"), proofOf(t, store, "account")))
		on := proofOf(t, store, "account")
		on.Session = digest("own")
		ok(t, store.RemoveLink(t.Context(), "account", link("one", "").Digest, on, t0))
		equal(t, standing(t, store, "by the first", "own", "by the second", "by a password"), []string{"own", "by the second", "by a password"})
		equal(t, has(t, store, "account").Devices, nil)
		fails(t, store.RemoveLink(t.Context(), "account", link("one", "").Digest, proofOf(t, store, "account"), t0), storage.ErrNotFound)
	})
	s.test(t, "AreAWayIn", func(t *testing.T, store storage.Store) {
		ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "account", PasswordHash: "hash", CreatedAt: t0}, storage.FirstFactors{Link: link("one", "")}))
		ok(t, store.RemovePassword(t.Context(), "account", proofOf(t, store, "account")))
		before := has(t, store, "account")
		fails(t, store.RemoveLink(t.Context(), "account", link("one", "").Digest, proofOf(t, store, "account"), t0), storage.ErrLast)
		equal(t, has(t, store, "account"), before)
	})
	s.test(t, "GrowOlder", func(t *testing.T, store storage.Store) {
		older, other := link("one", "test-account"), link("two", "other")
		older.LastUsedAt = t0.Add(time.Minute)
		ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "test-account", CreatedAt: t0}, storage.FirstFactors{Link: older}))
		ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "other", CreatedAt: t0}, storage.FirstFactors{Link: other}))
		ok(t, store.Elapse(t.Context(), storage.Elapsed{UserPrefix: "test-", By: time.Hour}))
		older.CreatedAt, older.LastUsedAt = older.CreatedAt.Add(-time.Hour), older.LastUsedAt.Add(-time.Hour)
		equal(t, has(t, store, "test-account").Links, []storage.Link{older})
		equal(t, has(t, store, "other").Links, []storage.Link{other})
	})
	t.Run("EndWithTheWordOfTheMailboxOrTheHost", s.endOfLinks)
}

// endOfLinks tests what removes the links of an account: who had got in may have made them.
func (s *suite) endOfLinks(t *testing.T) {
	for name, tc := range map[string]struct {
		do     func(t *testing.T, store storage.Store) error
		remain bool
	}{
		"Reset": {do: func(t *testing.T, store storage.Store) error {
			return store.ResetAuthenticators(t.Context(), "account", t0)
		}},
		"Recovery": {do: func(t *testing.T, store storage.Store) error {
			ok(t, store.BeginRecovery(t.Context(), recovery("account"), 0))
			ok(t, store.ApproveRecovery(t.Context(), "account", t0))
			return store.FinishRecovery(t.Context(), storage.RecoveryFinish{
				AccountID: "account", PasswordHash: "new", At: recovery("").ReadyAt, On: proofOf(t, store, "account"),
			})
		}},
		"PasswordOfAMailedCode": {do: func(t *testing.T, store storage.Store) error {
			return store.SetPassword(t.Context(), "account", proofOf(t, store, "account"), "new", t0)
		}},
		"PasswordOfASession": {remain: true, do: func(t *testing.T, store storage.Store) error {
			s.begin(t, store, "own", "account")
			on := proofOf(t, store, "account")
			on.Session = digest("own")
			return store.SetPassword(t.Context(), "account", on, "new", t0)
		}},
		"ReturnOfTheAddress": {do: func(t *testing.T, store storage.Store) error {
			c := change("account", 0, "new")
			c.On, c.At = proofOf(t, store, "account"), t0
			ok(t, store.ChangeEmail(t.Context(), c))
			return errOf(store.ReturnEmail(t.Context(), emailReturn("account", 1)))
		}},
		"ReturnOfTheAddressThatCameLater": {remain: true, do: func(t *testing.T, store storage.Store) error {
			c := change("account", 0, "new")
			c.On, c.At = proofOf(t, store, "account"), t0.Add(time.Microsecond)
			ok(t, store.ChangeEmail(t.Context(), c))
			return errOf(store.ReturnEmail(t.Context(), emailReturn("account", 1)))
		}},
		"Removal": {do: func(t *testing.T, store storage.Store) error {
			return store.RemoveLink(t.Context(), "account", link("one", "").Digest, proofOf(t, store, "account"), t0)
		}},
		"Deletion": {do: func(t *testing.T, store storage.Store) error {
			return errOf(store.DeleteAccount(t.Context(), "account", "someone", nil))
		}},
	} {
		s.test(t, name, func(t *testing.T, store storage.Store) {
			ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "account", PasswordHash: "hash", CreatedAt: t0}, storage.FirstFactors{Link: link("one", "")}))
			ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "other", CreatedAt: t0}, storage.FirstFactors{Link: link("two", "")}))
			vouchedFor(t, store, "account")
			vouchedFor(t, store, "other")
			ok(t, tc.do(t, store))
			_, _, err := store.LinkedAccount(t.Context(), link("one", "").Digest)
			if tc.remain {
				ok(t, err)
			} else {
				fails(t, err, storage.ErrNotFound)
			}
			equal(t, len(has(t, store, "other").Links), 1)
			equal(t, inForce(t, store, "other"), 5)
			switch {
			case name == "Deletion":
				equal(t, inForce(t, store, "account"), 0)
			case tc.remain:
				equal(t, inForce(t, store, "account"), 5)
			default:
				equal(t, inForce(t, store, "account"), 3)
			}
		})
	}
}

// vouchedFor records five memberships, two of which the issuer of link vouches for, and two
// more that are not in force.
func vouchedFor(t *testing.T, store storage.Store, subject string) {
	t.Helper()
	by := storage.Status{Verified: true, VerifiedBy: link("", "").Issuer, Method: storage.MethodVouched, VerifiedAt: t0}
	for group, change := range map[string]func(*storage.Status){
		"for ever":          func(*storage.Status) {},
		"for a while":       func(s *storage.Status) { s.ExpiresAt = t0.Add(365 * 24 * time.Hour) },
		"of another issuer": func(s *storage.Status) { s.VerifiedBy += "/other" },
		"by a document":     func(s *storage.Status) { s.Method = "document" },
		"of the host":       func(s *storage.Status) { s.VerifiedBy, s.Method = "Host", "" },
		"pending":           func(s *storage.Status) { s.Verified, s.Pending = false, true },
		"ended":             func(s *storage.Status) { s.ExpiresAt = t0.Add(-time.Hour) },
	} {
		status := by
		status.Group = group
		change(&status)
		ok(t, store.SetStatus(t.Context(), subject, status, storage.NoStatus))
	}
}

// inForce returns the number of verified memberships that last longer than any step of the tests
// of links: none ends later than those of a recovery.
func inForce(t *testing.T, store storage.Store, subject string) int {
	t.Helper()
	person := must(store.Person(t.Context(), subject))(t)
	n := 0
	for _, status := range person.Statuses {
		switch {
		case status.Group == "ended" && !status.ExpiresAt.Equal(t0.Add(-time.Hour)):
			t.Errorf("a membership that had ended ends again: %+v", status)
		case status.Verified && (status.ExpiresAt.IsZero() || status.ExpiresAt.After(recovery("").ReadyAt)):
			n++
		}
	}
	return n
}

// identityOfTwo has many accounts take one identity.
func identityOfTwo(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
	for i := range contenders {
		createAccount(t, store, fmt.Sprint(id, " ", i))
	}
	return func(i int, s storage.Store) error {
		return s.AddLink(t.Context(), link(id, fmt.Sprint(id, " ", i)), 1, storage.Proof{})
	}, storage.ErrConflict
}

// removalOfLinkAndPasskey removes the last two ways into an account.
func removalOfLinkAndPasskey(t *testing.T, store storage.Store, id string) (func(int, storage.Store) error, error) {
	ok(t, store.CreateAccount(t.Context(), storage.Account{ID: id, CreatedAt: t0}, storage.FirstFactors{Link: link(id, "")}))
	ok(t, store.AddPasskey(t.Context(), passkey("only of "+id, id), 1, proofOf(t, store, id)))
	return func(i int, s storage.Store) error {
		err := untilUnchanged(t, s, id, func(on storage.Proof) error {
			if i%2 == 0 {
				return s.RemoveLink(t.Context(), id, link(id, "").Digest, on, t0)
			}
			return s.RemovePasskey(t.Context(), id, passkey("only of "+id, id).ID, on)
		})
		if errors.Is(err, storage.ErrNotFound) {
			return storage.ErrLast
		}
		return err
	}, storage.ErrLast
}

// raceVouch ends the links of an account while its issuer vouches for the owner, whose sign-in
// has found them.
func (s *suite) raceVouch(t *testing.T) {
	t.Helper()
	stores := s.stores(t, 2)
	ok(t, stores[0].CreateAccount(t.Context(), storage.Account{ID: "account", PasswordHash: "hash", CreatedAt: t0}, storage.FirstFactors{Link: link("one", "")}))
	on := proofOf(t, stores[0], "account")
	allWin(t, race(stores, func(i int, store storage.Store) error {
		if i == contenders/2 {
			return store.SetPassword(t.Context(), "account", on, "new", t0)
		}
		deed := &storage.Deed{On: storage.DeedBasis{Account: "account", Epoch: on.Epoch, FactorsVersion: on.FactorsVersion}}
		err := store.SetStatus(storage.WithDeed(t.Context(), deed), "account", storage.Status{
			Group: fmt.Sprint(i), Verified: true, VerifiedBy: link("", "").Issuer, Method: storage.MethodVouched, VerifiedAt: t0,
		}, storage.NoStatus)
		if errors.Is(err, storage.ErrChanged) {
			return nil // the password was first
		}
		return err
	}))
	equal(t, inForce(t, stores[0], "account"), 0)
	equal(t, has(t, stores[0], "account").Links, nil)
}

// raceUnlink removes a link while others sign in by it.
func (s *suite) raceUnlink(t *testing.T) {
	t.Helper()
	stores := s.stores(t, 2)
	ok(t, stores[0].CreateAccount(t.Context(), storage.Account{ID: "account", PasswordHash: "hash", CreatedAt: t0}, storage.FirstFactors{Link: link("one", "")}))
	d, on := link("one", "").Digest, proofOf(t, stores[0], "account")
	allWin(t, race(stores, func(i int, store storage.Store) error {
		if i == contenders/2 {
			return store.RemoveLink(t.Context(), "account", d, on, t0)
		}
		n, by := session(fmt.Sprint(i), "account"), on
		by.Link = d
		n.Factors = []storage.Factor{{Method: storage.Upstream, At: t0, Credential: d[:]}}
		err := store.CreateSession(t.Context(), n, by, storage.Digest{})
		if errors.Is(err, storage.ErrChanged) {
			return nil // the removal was first
		}
		return err
	}))
	equal(t, len(must(stores[0].Sessions(t.Context(), "account"))(t)), 0)
	equal(t, has(t, stores[0], "account").Links, nil)
}

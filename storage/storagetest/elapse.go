package storagetest

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *suite) elapse(t *testing.T) {
	const day = 24 * time.Hour
	before, later := t0.Add(-day), asStored.Add(-day)

	s.test(t, "MakesWhatClientsHaveOlder", func(t *testing.T, store storage.Store) {
		for _, client := range []string{"red", "blue", "green"} {
			saveClient(t, store, client)
			g := grant(client, client, "subject")
			g.AuthTime, g.RevokedAt = elsewhere, elsewhere
			code := token(g, storage.AuthorizationCode, "code of "+client)
			code.SpentAt = elsewhere
			ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, code, token(g, storage.RefreshToken, "refresh of "+client)))
			c := consent("subject", client)
			c.LastUsedAt = elsewhere
			ok(t, store.SaveConsent(t.Context(), c, storage.ConsentBasis{}))
			c.Subject, c.Groups = "former", []string{"group"}
			ok(t, store.SaveConsent(t.Context(), c, storage.ConsentBasis{}))
			ok(t, store.RevokeConsent(t.Context(), "former", client, elsewhere))
		}
		ok(t, store.Elapse(t.Context(), storage.Elapsed{ClientIDs: []string{"red", "blue", "unknown"}, By: day}))
		for client, by := range map[string]time.Duration{"red": day, "blue": day, "green": 0} {
			g := grant(client, client, "subject")
			g.CreatedAt, g.ExpiresAt = g.CreatedAt.Add(-by), g.ExpiresAt.Add(-by)
			g.AuthTime, g.RevokedAt = asStored.Add(-by), asStored.Add(-by)
			code := token(g, storage.AuthorizationCode, "code of "+client)
			code.SpentAt = asStored.Add(-by)
			for _, want := range []storage.Token{code, token(g, storage.RefreshToken, "refresh of "+client)} {
				want.CreatedAt, want.ExpiresAt = want.CreatedAt.Add(-by), want.ExpiresAt.Add(-by)
				gotToken, gotGrant, err := store.Token(t.Context(), want.Kind, want.Digest)
				ok(t, err)
				equal(t, gotToken, want)
				equal(t, gotGrant, g)
			}
			want := consent("subject", client)
			want.CreatedAt, want.DecidedAt, want.LastUsedAt = t0.Add(-by), t0.Add(-by), asStored.Add(-by)
			equal(t, must(store.Consent(t.Context(), "subject", client))(t), want)
		}
		former := must(store.FormerRecipients(t.Context(), "former"))(t)
		for _, r := range former {
			by := map[string]time.Duration{"red": day, "blue": day}[r.ClientID]
			equal(t, [2]time.Time{r.Since, r.Until}, [2]time.Time{t0.Add(-by), asStored.Add(-by)})
		}
		equal(t, len(former), 3)
	})
	s.test(t, "KeepsWhatIsNever", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		g := grant("g", "client", "user")
		ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.RefreshToken, "refresh")))
		c := consent("user", "client")
		c.DecidedAt = time.Time{}
		ok(t, store.SaveConsent(t.Context(), c, storage.ConsentBasis{}))
		createAccount(t, store, "user")
		ok(t, store.SetStatus(t.Context(), "user", storage.Status{Group: "group"}, storage.NoStatus))
		ok(t, store.Elapse(t.Context(), storage.Elapsed{ClientIDs: []string{"client"}, UserPrefix: "user", By: day}))

		refresh, g, err := store.Token(t.Context(), storage.RefreshToken, digest("refresh"))
		ok(t, err)
		c = must(store.Consent(t.Context(), "user", "client"))(t)
		a := must(store.Account(t.Context(), "user"))(t)
		p := must(store.Person(t.Context(), "user"))(t)
		for name, at := range map[string]time.Time{
			"spent": refresh.SpentAt, "revoked": g.RevokedAt, "authenticated": g.AuthTime, "decided": c.DecidedAt,
			"used": c.LastUsedAt, "password": a.PasswordChangedAt, "verified": p.Statuses[0].VerifiedAt, "ends": p.Statuses[0].ExpiresAt,
		} {
			if !at.IsZero() {
				t.Errorf("%s: %v, want never", name, at)
			}
		}
	})
	s.test(t, "MakesWhatUsersHaveOlder", func(t *testing.T, store storage.Store) {
		user(t, store, "é%_1")
		ok(t, store.Elapse(t.Context(), storage.Elapsed{UserPrefix: "é%_", By: day}))

		want := session("session of é%_1", "é%_1")
		want.AuthTime = later
		want.Factors = []storage.Factor{{Method: storage.Password, At: later, Since: before}, {Method: storage.TOTPCode, At: before}}
		want.CreatedAt, want.LastSeenAt, want.ExpiresAt, want.IdleUntil = before, before, t0, t0.Add(time.Hour-day)
		got, account, err := store.Session(t.Context(), want.Digest)
		ok(t, err)
		equal(t, got, want)
		equal(t, account.CreatedAt, before)
		equal(t, account.PasswordChangedAt, later)
		equal(t, has(t, store, "é%_1"), olderFactors(account, day))
		p := must(store.Person(t.Context(), "é%_1"))(t)
		equal(t, p.Statuses[0].VerifiedAt, later)
		equal(t, p.Statuses[0].ExpiresAt, before)
	})
	s.test(t, "LeavesOtherUsersAlone", func(t *testing.T, store storage.Store) {
		for _, id := range []string{"x_1", "X_11", " x_12", "x%2", "x"} {
			user(t, store, id)
			for _, prefix := range []string{"x_1x", "x_11", "y", ""} {
				ok(t, store.Elapse(t.Context(), storage.Elapsed{UserPrefix: prefix, By: day}))
			}
			if id != "x_1" {
				ok(t, store.Elapse(t.Context(), storage.Elapsed{UserPrefix: "x_1", By: day}))
			}
			got, account, err := store.Session(t.Context(), digest("session of "+id))
			ok(t, err)
			equal(t, got.CreatedAt, t0)
			equal(t, got.Factors[1].At, t0)
			equal(t, account.CreatedAt, t0)
			equal(t, has(t, store, id), olderFactors(account, 0))
		}
	})
	s.test(t, "TakesBackWhatItHasDone", func(t *testing.T, store storage.Store) {
		user(t, store, "user")
		for _, by := range []time.Duration{day, -day} {
			ok(t, store.Elapse(t.Context(), storage.Elapsed{UserPrefix: "user", By: by}))
		}
		got, _, err := store.Session(t.Context(), digest("session of user"))
		ok(t, err)
		want := session("session of user", "user")
		want.AuthTime = asStored
		want.Factors = []storage.Factor{{Method: storage.Password, At: asStored, Since: t0}, {Method: storage.TOTPCode, At: t0}}
		equal(t, got, want)
	})
	s.test(t, "LetsNobodyWriteAStatusThatWasReadBefore", func(t *testing.T, store storage.Store) {
		user(t, store, "user")
		read := must(store.Person(t.Context(), "user"))(t)
		ok(t, store.Elapse(t.Context(), storage.Elapsed{UserPrefix: "user", By: day}))
		fails(t, store.SetStatus(t.Context(), "user", read.Statuses[0], read.Statuses[0].Revision), storage.ErrChanged)
	})
	t.Run("EndsWhatIsOverByThen", func(t *testing.T) {
		store, _ := s.withCode(t)
		ok(t, store.Elapse(t.Context(), storage.Elapsed{ClientIDs: []string{"client"}, By: day}))
		equal(t, sweepAll(t, store, t0), 2) // the grant and its code
	})
}

// user makes a user with all that a user may have.
func user(t *testing.T, store storage.Store, id string) {
	t.Helper()
	ok(t, store.CreateAccount(t.Context(), storage.Account{
		ID: id, EmailKey: "key of " + id, PasswordHash: "hash", PasswordChangedAt: elsewhere, CreatedAt: t0,
	}))
	n := session("session of "+id, id)
	n.AuthTime = elsewhere
	n.Factors = []storage.Factor{{Method: storage.Password, At: elsewhere, Since: t0}, {Method: storage.TOTPCode, At: t0}}
	equip(t, store, id)
	ok(t, store.CreateSession(t.Context(), n, proofOf(t, store, id), storage.Digest{}))
	ok(t, store.TrustDevice(t.Context(), device("device of "+id, id), proofOf(t, store, id)))
	ok(t, store.BeginRecovery(t.Context(), recovery(id), 0))
	ok(t, store.ApproveRecovery(t.Context(), id, t0))
	ok(t, store.SetStatus(t.Context(), id, storage.Status{
		Group: "group", Verified: true, VerifiedAt: elsewhere, ExpiresAt: t0,
	}, storage.NoStatus))
}

// olderFactors are what user gives an account, so much older. The step of an app is a number
// that its next code must exceed, and no time.
func olderFactors(account storage.Account, by time.Duration) storage.AuthenticatorSet {
	at := t0.Add(-by)
	set := storage.AuthenticatorSet{Account: account, TOTP: app(account.ID), Recovery: codes("one", "two", "three"), Running: recovery(account.ID)}
	for _, name := range []string{"first", "second"} {
		p := passkey(name+" of "+account.ID, account.ID)
		p.CreatedAt = at
		set.Passkeys = append(set.Passkeys, p)
	}
	set.TOTP.CreatedAt, set.Recovery.CreatedAt = at, at
	slices.SortFunc(set.Recovery.Digests, func(a, b storage.Digest) int { return bytes.Compare(a[:], b[:]) })
	d, r := device("device of "+account.ID, account.ID), &set.Running
	d.CreatedAt, d.ExpiresAt = at, d.ExpiresAt.Add(-by)
	r.StartedAt, r.ReadyAt, r.EndsAt, r.ApprovedAt = at, r.ReadyAt.Add(-by), r.EndsAt.Add(-by), at
	set.Devices = []storage.TrustedDevice{d}
	return set
}

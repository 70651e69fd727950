package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func consent(subject, client string) storage.Consent {
	return storage.Consent{Subject: subject, ClientID: client, Scopes: []string{"openid"}, CreatedAt: t0, DecidedAt: t0}
}

func (s *suite) consents(t *testing.T) {
	t.Run("ComesBackWhole", func(t *testing.T) {
		store := s.store(t)
		saveClient(t, store, "client")
		want := consent("subject", "client")
		want.DecidedAt, want.LastUsedAt = elsewhere, elsewhere
		ok(t, store.SaveConsent(t.Context(), want))
		want.DecidedAt, want.LastUsedAt = asStored, asStored
		got, err := store.Consent(t.Context(), "subject", "client")
		ok(t, err)
		equal(t, got, want)
	})
	t.Run("NeedsAClient", func(t *testing.T) {
		store := s.store(t)
		fails(t, store.SaveConsent(t.Context(), consent("subject", "nobody")), storage.ErrNotFound)
	})
	t.Run("UnknownIsNotFound", func(t *testing.T) {
		store := s.store(t)
		saveClient(t, store, "client")
		ok(t, store.SaveConsent(t.Context(), consent("subject", "client")))
		_, err := store.Consent(t.Context(), "subject", "another")
		fails(t, err, storage.ErrNotFound)
		_, err = store.Consent(t.Context(), "another", "client")
		fails(t, err, storage.ErrNotFound)
	})
	t.Run("NewDecisionKeepsTheFirstDate", func(t *testing.T) {
		store := s.store(t)
		saveClient(t, store, "client")
		ok(t, store.SaveConsent(t.Context(), consent("subject", "client")))
		later := t0.Add(time.Hour)
		ok(t, store.SaveConsent(t.Context(), storage.Consent{
			Subject: "subject", ClientID: "client", Scopes: []string{"email"},
			CreatedAt: later, DecidedAt: later, LastUsedAt: later,
		}))
		got, err := store.Consent(t.Context(), "subject", "client")
		ok(t, err)
		equal(t, got, storage.Consent{
			Subject: "subject", ClientID: "client", Scopes: []string{"email"},
			CreatedAt: t0, DecidedAt: later, LastUsedAt: later,
		})
	})
	t.Run("ListsLatestUsedFirst", func(t *testing.T) {
		store := s.store(t)
		for i, client := range []string{"second", "third", "first"} {
			saveClient(t, store, client)
			c := consent("subject", client)
			c.LastUsedAt = t0.Add([]time.Duration{2, 1, 3}[i] * time.Minute)
			ok(t, store.SaveConsent(t.Context(), c))
			ok(t, store.SaveConsent(t.Context(), consent("another", client)))
		}
		list, err := store.Consents(t.Context(), "subject")
		ok(t, err)
		var got []string
		for _, c := range list {
			equal(t, c.Subject, "subject")
			got = append(got, c.ClientID)
		}
		equal(t, got, []string{"first", "second", "third"})
	})
	t.Run("ListOfNoneIsEmpty", func(t *testing.T) {
		list, err := s.store(t).Consents(t.Context(), "nobody")
		ok(t, err)
		equal(t, len(list), 0)
	})
	t.Run("RevocationEndsTheGrantsOfThisUserForThisClient", func(t *testing.T) {
		store := s.store(t)
		for _, client := range []string{"red", "blue"} {
			saveClient(t, store, client)
			for _, subject := range []string{"ann", "bob"} {
				ok(t, store.SaveConsent(t.Context(), consent(subject, client)))
				g := grant(subject+client, client, subject)
				ok(t, store.CreateGrant(t.Context(), g, token(g, storage.AccessToken, subject+client)))
			}
		}
		ok(t, store.RevokeConsent(t.Context(), "ann", "red", elsewhere))

		got := make(map[string]time.Time)
		for _, name := range []string{"annred", "annblue", "bobred", "bobblue"} {
			_, g, err := store.Token(t.Context(), storage.AccessToken, digest(name))
			ok(t, err)
			got[name] = g.RevokedAt
			_, err = store.Consent(t.Context(), name[:3], name[3:])
			if name == "annred" {
				fails(t, err, storage.ErrNotFound)
			} else {
				ok(t, err)
			}
		}
		equal(t, got, map[string]time.Time{"annred": asStored, "annblue": {}, "bobred": {}, "bobblue": {}})
	})
	t.Run("RevocationWithoutConsentEndsGrants", func(t *testing.T) {
		store := s.store(t)
		g := grantWithCode(t, store)
		ok(t, store.RevokeConsent(t.Context(), g.Subject, g.ClientID, t0))
		fails(t, store.Exchange(t.Context(), digest("code"), t0), storage.ErrEnded)
		ok(t, store.RevokeConsent(t.Context(), "nobody", "nobody", t0))
	})
}

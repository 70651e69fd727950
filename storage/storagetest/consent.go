package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func consent(subject, client string) storage.Consent {
	return storage.Consent{
		Subject: subject, ClientID: client, Scopes: []string{"openid"}, Decision: digest(subject + " at " + client),
		CreatedAt: t0, DecidedAt: t0,
	}
}

func (s *suite) consents(t *testing.T) {
	s.test(t, "ComesBackWhole", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		want := consent("subject", "client")
		want.Attributes, want.Groups = []string{"email", "fname"}, []string{"military"}
		want.Resources, want.LeftOut = []string{"https://api.example/"}, []string{"student"}
		want.ClientName, want.RedirectHosts = "Name \"<b>", []string{"a.example", "b.example"}
		want.DecidedAt, want.LastUsedAt = elsewhere, elsewhere
		ok(t, store.SaveConsent(t.Context(), want, storage.ConsentBasis{}))
		want.DecidedAt, want.LastUsedAt = asStored, asStored
		equal(t, must(store.Consent(t.Context(), "subject", "client"))(t), want)
	})
	s.test(t, "NeedsAClient", func(t *testing.T, store storage.Store) {
		fails(t, store.SaveConsent(t.Context(), consent("subject", "nobody"), storage.ConsentBasis{}), storage.ErrNotFound)
	})
	s.test(t, "UnknownIsNotFound", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		ok(t, store.SaveConsent(t.Context(), consent("subject", "client"), storage.ConsentBasis{}))
		fails(t, errOf(store.Consent(t.Context(), "subject", "another")), storage.ErrNotFound)
		fails(t, errOf(store.Consent(t.Context(), "another", "client")), storage.ErrNotFound)
	})
	s.test(t, "NewDecisionKeepsTheFirstDate", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		ok(t, store.SaveConsent(t.Context(), consent("subject", "client"), storage.ConsentBasis{}))
		later := t0.Add(time.Hour)
		ok(t, store.SaveConsent(t.Context(), storage.Consent{
			Subject: "subject", ClientID: "client", Scopes: []string{"email"},
			CreatedAt: later, DecidedAt: later, LastUsedAt: later, Decision: digest("next"),
		}, storage.ConsentBasis{Replaced: digest("subject at client")}))
		equal(t, must(store.Consent(t.Context(), "subject", "client"))(t), storage.Consent{
			Subject: "subject", ClientID: "client", Scopes: []string{"email"},
			CreatedAt: t0, DecidedAt: later, LastUsedAt: later, Decision: digest("next"),
		})
	})
	s.test(t, "UseWithoutADecisionComesBack", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		want := consent("subject", "client")
		want.DecidedAt = time.Time{}
		ok(t, store.SaveConsent(t.Context(), want, storage.ConsentBasis{}))
		equal(t, must(store.Consent(t.Context(), "subject", "client"))(t), want)
	})
	s.test(t, "DecisionIsSavedOverTheOneThatWasThere", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		first, second := consent("subject", "client"), consent("subject", "client")
		second.Decision = digest("second")
		save := func(c storage.Consent, replaced storage.Digest) error {
			return store.SaveConsent(t.Context(), c, storage.ConsentBasis{Replaced: replaced})
		}
		fails(t, save(second, first.Decision), storage.ErrChanged) // was removed
		ok(t, save(first, storage.Digest{}))
		fails(t, save(second, storage.Digest{}), storage.ErrChanged)
		fails(t, save(second, digest("guess")), storage.ErrChanged)
		equal(t, must(store.Consent(t.Context(), "subject", "client"))(t), first)
		ok(t, save(second, first.Decision))
	})
	s.test(t, "NeedsAFlowThatIsNotAnswered", func(t *testing.T, store storage.Store) {
		g := grantWithCode(t, store)
		fails(t, store.SaveConsent(t.Context(), consent("subject", "client"), storage.ConsentBasis{Flow: g.Flow}), storage.ErrConflict)
		fails(t, errOf(store.Consent(t.Context(), "subject", "client")), storage.ErrNotFound)
		ok(t, store.SaveConsent(t.Context(), consent("subject", "client"), storage.ConsentBasis{Flow: digest("another")}))
	})
	s.test(t, "NeedsTheSession", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		createAccount(t, store, "subject")
		createAccount(t, store, "another")
		ok(t, store.CreateSession(t.Context(), session("session", "subject"), storage.Proof{}, storage.Digest{}))
		ok(t, store.CreateSession(t.Context(), session("of another", "another"), storage.Proof{}, storage.Digest{}))
		save := func(session string) error {
			_ = store.RevokeConsent(t.Context(), "subject", "client", t0)
			return store.SaveConsent(t.Context(), consent("subject", "client"), storage.ConsentBasis{Session: digest(session)})
		}
		ok(t, save("session"))
		fails(t, save("of another"), storage.ErrEnded)
		endSession(t, store, "session")
		fails(t, save("session"), storage.ErrEnded)
		fails(t, errOf(store.Consent(t.Context(), "subject", "client")), storage.ErrNotFound)
	})
	s.test(t, "ListsPagesInTheOrderOfClients", func(t *testing.T, store storage.Store) {
		for _, client := range []string{"b", "d", "a", "c"} {
			saveClient(t, store, client)
			ok(t, store.SaveConsent(t.Context(), consent("subject", client), storage.ConsentBasis{}))
		}
		ok(t, store.SaveConsent(t.Context(), consent("another", "c"), storage.ConsentBasis{}))
		for after, want := range map[string][]storage.Consent{
			"": {consent("subject", "a"), consent("subject", "b")}, "b": {consent("subject", "c"), consent("subject", "d")}, "c": {consent("subject", "d")}, "d": nil,
		} {
			equal(t, must(store.Consents(t.Context(), storage.ConsentFilter{Subject: "subject", AfterClient: after, Limit: 2}))(t), want)
		}
	})
	s.test(t, "ListsLatestUsedFirst", func(t *testing.T, store storage.Store) {
		for i, client := range []string{"second", "third", "first"} {
			saveClient(t, store, client)
			c := consent("subject", client)
			c.LastUsedAt = t0.Add([]time.Duration{2, 1, 3}[i] * time.Minute)
			ok(t, store.SaveConsent(t.Context(), c, storage.ConsentBasis{}))
			ok(t, store.SaveConsent(t.Context(), consent("another", client), storage.ConsentBasis{}))
		}
		list := must(store.Consents(t.Context(), storage.ConsentFilter{Subject: "subject"}))(t)
		var got []string
		for _, c := range list {
			equal(t, c.Subject, "subject")
			got = append(got, c.ClientID)
		}
		equal(t, got, []string{"first", "second", "third"})
	})
	t.Run("ListOfNoneIsEmpty", func(t *testing.T) {
		equal(t, len(must(s.store(t).Consents(t.Context(), storage.ConsentFilter{Subject: "nobody"}))(t)), 0)
	})
	s.test(t, "RevocationEndsTheGrantsOfThisUserForThisClient", func(t *testing.T, store storage.Store) {
		for _, client := range []string{"red", "blue"} {
			saveClient(t, store, client)
			for _, subject := range []string{"ann", "bob"} {
				ok(t, store.SaveConsent(t.Context(), consent(subject, client), storage.ConsentBasis{}))
				g := grant(subject+client, client, subject)
				ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AccessToken, subject+client)))
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
	t.Run("WhatEndsLeavesAFormerRecipient", s.formerRecipients)
	t.Run("ManyOfThemAreNotKept", s.manyRecipients)
	t.Run("DecisionEndsGrantsThatHoldMore", s.decisionEnds)
	t.Run("DecisionThatIsRefusedEndsNothing", s.refusedDecisionEnds)
	s.test(t, "RevocationWithoutConsentEndsGrants", func(t *testing.T, store storage.Store) {
		g := grantWithCode(t, store)
		ok(t, store.RevokeConsent(t.Context(), g.Subject, g.ClientID, t0))
		fails(t, store.Exchange(t.Context(), digest("code"), t0), storage.ErrEnded)
		ok(t, store.RevokeConsent(t.Context(), "nobody", "nobody", t0))
	})
}

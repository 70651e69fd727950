package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// narrow is a decision at the time elsewhere that allows a little of everything.
func narrow(subject, client string) storage.Consent {
	c := consent(subject, client)
	c.Scopes, c.Attributes, c.Groups = []string{"openid", "email"}, []string{"email"}, []string{"student"}
	c.Resources, c.LeftOut = []string{"https://a.example/"}, []string{"military"}
	c.Decision, c.DecidedAt = digest("narrow"), elsewhere
	return c
}

// holding makes a grant of everything that a decision allows.
func holding(name string, c storage.Consent) storage.Grant {
	g := grant(name, c.ClientID, c.Subject)
	g.Scopes, g.Attributes, g.Groups, g.Resources = c.Scopes, c.Attributes, c.Groups, c.Resources
	return g
}

// decisionEnds compares a decision with what grants hold, whatever was recorded before.
func (s *suite) decisionEnds(t *testing.T) {
	for name, before := range map[string]*storage.Consent{
		"InPlaceOfAWiderOne": {Scopes: []string{"openid", "email", "military"}},
		"InPlaceOfTheSame":   {Scopes: []string{"openid", "email"}, Attributes: []string{"email"}},
		"InPlaceOfNone":      nil,
	} {
		s.test(t, name, func(t *testing.T, store storage.Store) {
			on := storage.ConsentBasis{}
			for _, client := range []string{"client", "other"} {
				saveClient(t, store, client)
			}
			if before != nil {
				c := *before
				c.Subject, c.ClientID, c.Decision, c.CreatedAt, c.DecidedAt = "subject", "client", digest("before"), t0, t0
				ok(t, store.SaveConsent(t.Context(), c, on))
				on.Replaced = c.Decision
			}
			held := map[string]storage.Grant{}
			hold := func(name, subject, client string, change func(g *storage.Grant)) {
				g := holding(name, narrow(subject, client))
				change(&g)
				held[name] = g
				ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.RefreshToken, name)))
			}
			more := func(g *storage.Grant) { g.Scopes = []string{"openid", "military"} }
			hold("the same", "subject", "client", func(*storage.Grant) {})
			hold("less", "subject", "client", func(g *storage.Grant) {
				g.Scopes, g.Attributes, g.Groups, g.Resources = []string{"email"}, nil, []string{}, nil
			})
			hold("of another", "another", "client", more)
			hold("at another", "subject", "other", more)
			hold("scope", "subject", "client", more)
			hold("odd scope", "subject", "client", func(g *storage.Grant) { g.Scopes = []string{`open"id\`} })
			hold("attribute", "subject", "client", func(g *storage.Grant) { g.Attributes = []string{"email", "zip"} })
			hold("group", "subject", "client", func(g *storage.Grant) { g.Groups = []string{"military"} })
			hold("resource", "subject", "client", func(g *storage.Grant) { g.Resources = []string{"https://b.example/"} })
			hold("ended", "subject", "client", func(g *storage.Grant) { more(g); g.RevokedAt = t0 })
			for i := range 3 { // that hold the same
				hold(fmt.Sprint("several ", i), "subject", "client", more)
			}
			ok(t, store.SaveConsent(t.Context(), narrow("subject", "client"), on))
			got := map[string]time.Time{}
			for name := range held {
				_, g, err := store.Token(t.Context(), storage.RefreshToken, digest(name))
				ok(t, err)
				got[name] = g.RevokedAt
			}
			equal(t, got, map[string]time.Time{
				"the same": {}, "less": {}, "of another": {}, "at another": {}, "ended": t0,
				"scope": asStored, "odd scope": asStored, "attribute": asStored, "group": asStored, "resource": asStored,
				"several 0": asStored, "several 1": asStored, "several 2": asStored,
			})
		})
	}
	s.test(t, "ThatNobodyWasAskedForEndsNone", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		g := grant("g", "client", "subject")
		g.Scopes = []string{"military"}
		ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.RefreshToken, "refresh")))
		use := narrow("subject", "client")
		use.DecidedAt = time.Time{}
		ok(t, store.SaveConsent(t.Context(), use, storage.ConsentBasis{}))
		_, found, err := store.Token(t.Context(), storage.RefreshToken, digest("refresh"))
		ok(t, err)
		equal(t, found.RevokedAt, time.Time{})
	})
}

// refusedDecisionEnds tests that a refused decision ends no grant.
func (s *suite) refusedDecisionEnds(t *testing.T) {
	for name, c := range map[string]struct {
		on   storage.ConsentBasis
		want error
	}{
		"Replaced": {storage.ConsentBasis{Replaced: digest("another")}, storage.ErrChanged},
		"Session":  {storage.ConsentBasis{Replaced: digest("subject at client"), Session: digest("over")}, storage.ErrEnded},
		"Flow":     {storage.ConsentBasis{Replaced: digest("subject at client"), Flow: digest("flow of wide")}, storage.ErrConflict},
	} {
		s.test(t, name, func(t *testing.T, store storage.Store) {
			saveClient(t, store, "client")
			createAccount(t, store, "subject")
			ok(t, store.SaveConsent(t.Context(), consent("subject", "client"), storage.ConsentBasis{}))
			g := grant("wide", "client", "subject")
			g.Scopes = []string{"military"}
			ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.RefreshToken, "refresh")))
			fails(t, store.SaveConsent(t.Context(), narrow("subject", "client"), c.on), c.want)
			_, found, err := store.Token(t.Context(), storage.RefreshToken, digest("refresh"))
			ok(t, err)
			equal(t, found.RevokedAt, time.Time{})
		})
	}
}

// raceDecision makes grants of a wide decision while the user makes a narrower one: no grant
// beyond the narrower one outlives it, and no other ends with it.
func (s *suite) raceDecision(t *testing.T) {
	stores := s.stores(t, 2)
	saveClient(t, stores[0], "client")
	createAccount(t, stores[0], "account")
	wide := narrow("account", "client")
	wide.Scopes, wide.Decision, wide.DecidedAt = []string{"openid", "email", "military"}, digest("wide"), t0
	ok(t, stores[0].SaveConsent(t.Context(), wide, storage.ConsentBasis{}))
	within := holding("within", narrow("account", "client"))
	ok(t, stores[0].CreateGrant(t.Context(), within, storage.Basis{Consent: wide}, token(within, storage.RefreshToken, "within")))
	made := make([]bool, contenders)
	allWin(t, race(stores, func(i int, store storage.Store) error {
		if i == contenders/2 {
			return store.SaveConsent(t.Context(), narrow("account", "client"), storage.ConsentBasis{Replaced: wide.Decision})
		}
		g := holding(fmt.Sprint("grant ", i), wide)
		err := store.CreateGrant(t.Context(), g, storage.Basis{Consent: wide}, token(g, storage.RefreshToken, fmt.Sprint("grant ", i)))
		made[i] = err == nil
		if errors.Is(err, storage.ErrEnded) {
			return nil // the decision was first
		}
		return err
	}))
	for i, made := range made {
		if !made {
			continue
		}
		_, g, err := stores[0].Token(t.Context(), storage.RefreshToken, digest(fmt.Sprint("grant ", i)))
		ok(t, err)
		equal(t, g.RevokedAt, asStored)
	}
	_, g, err := stores[0].Token(t.Context(), storage.RefreshToken, digest("within"))
	ok(t, err)
	equal(t, g.RevokedAt, time.Time{})
}

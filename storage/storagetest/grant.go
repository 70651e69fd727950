package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// grant makes a grant that differs from others by its name.
func grant(name, client, subject string) storage.Grant {
	g := storage.Grant{
		Flow:      digest("flow of " + name),
		ClientID:  client,
		Subject:   subject,
		CreatedAt: t0,
		ExpiresAt: t0.Add(24 * time.Hour),
	}
	id := digest(name)
	copy(g.ID[:], id[:])
	return g
}

// token makes a token of a grant; its digest is that of its name.
func token(g storage.Grant, kind storage.TokenKind, name string) storage.Token {
	return storage.Token{
		Digest:    digest(name),
		Kind:      kind,
		GrantID:   g.ID,
		CreatedAt: t0,
		ExpiresAt: t0.Add(time.Hour),
	}
}

// fullGrant has a value in every field.
func fullGrant() storage.Grant {
	g := grant("full", "client", "subject")
	g.Scopes = []string{"openid", "military", `odd "scope\`}
	g.Attributes, g.Groups = []string{"email", "fname"}, []string{"military"}
	g.RedirectURI = "https://a.example/back?x=1"
	g.RedirectSent = true
	g.ResponseType = "code id_token"
	g.Nonce = "nonce \u00e9"
	g.EID = "eid"
	g.Claims = `{"userinfo":{"email":null}}`
	g.Resources = []string{"https://api.example/", "https://b.example/?x=\""}
	g.SID = "sid"
	g.Challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	g.AuthTime = elsewhere
	g.AMR = []string{"pwd", "otp"}
	g.Assurance, g.EnrolledAt = storage.PhishingResistant, t0.Add(-24*time.Hour)
	g.RevokedAt = t0.Add(time.Second)
	return g
}

func (s *suite) grants(t *testing.T) {
	s.test(t, "ComesBackWholeWithEachToken", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		g := fullGrant()
		code := token(g, storage.AuthorizationCode, "code")
		code.SpentAt = elsewhere
		code.JKT = digest("key of the code")
		access := token(g, storage.AccessToken, "access")
		access.Scopes, access.Resources = []string{"openid"}, []string{"https://api.example/"}
		bearer := token(g, storage.RefreshToken, "refresh") // one of several has no key
		ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, code, access, bearer))

		g.AuthTime, code.SpentAt = asStored, asStored
		for _, want := range []storage.Token{code, access, bearer} {
			gotToken, gotGrant, err := store.Token(t.Context(), want.Kind, want.Digest)
			ok(t, err)
			equal(t, gotToken, want)
			equal(t, gotGrant, g)
		}
	})
	s.test(t, "ComesBackBare", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		g := grant("bare", "client", "subject")
		want := token(g, storage.RefreshToken, "refresh")
		ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, want))
		gotToken, gotGrant, err := store.Token(t.Context(), storage.RefreshToken, digest("refresh"))
		ok(t, err)
		equal(t, gotToken, want)
		equal(t, gotGrant, g)
	})
	s.test(t, "NoScopesDiffersFromAllScopes", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		g := grant("g", "client", "subject")
		want := token(g, storage.AccessToken, "access")
		want.Scopes = []string{}
		ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, want))
		got, _, err := store.Token(t.Context(), storage.AccessToken, digest("access"))
		ok(t, err)
		equal(t, got, want)
	})
	s.test(t, "NeedsAClient", func(t *testing.T, store storage.Store) {
		g := grant("g", "nobody", "subject")
		fails(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AuthorizationCode, "code")), storage.ErrNotFound)
		fails(t, errOf(store.Token(t.Context(), storage.AuthorizationCode, digest("code"))), storage.ErrNotFound)
	})
	s.test(t, "NeedsNoAccount", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		ok(t, store.CreateGrant(t.Context(), grant("g", "client", "a user of the host"), storage.Basis{}))
	})
	s.test(t, "RefusesDisabledAccount", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		createAccount(t, store, "subject")
		createAccount(t, store, "another")
		ok(t, store.SetDisabled(t.Context(), "subject", true, t0))
		fails(t, store.CreateGrant(t.Context(), grant("g", "client", "subject"), storage.Basis{}), storage.ErrEnded)
		ok(t, store.CreateGrant(t.Context(), grant("of another", "client", "another"), storage.Basis{}))
		ok(t, store.SetDisabled(t.Context(), "subject", false, t0))
		ok(t, store.CreateGrant(t.Context(), grant("g", "client", "subject"), storage.Basis{}))
	})
	s.test(t, "OneFlowGivesOneGrant", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		first := grant("first", "client", "subject")
		ok(t, store.CreateGrant(t.Context(), first, storage.Basis{}))
		second := grant("second", "client", "subject")
		second.Flow = first.Flow
		fails(t, store.CreateGrant(t.Context(), second, storage.Basis{}, token(second, storage.AuthorizationCode, "code")), storage.ErrConflict)
		fails(t, errOf(store.Token(t.Context(), storage.AuthorizationCode, digest("code"))), storage.ErrNotFound)
	})
	s.test(t, "NeverOverwritesAToken", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		victim := grant("victim", "client", "victim")
		ok(t, store.CreateGrant(t.Context(), victim, storage.Basis{}, token(victim, storage.AccessToken, "access")))
		other := grant("other", "client", "other")
		fails(t, store.CreateGrant(t.Context(), other, storage.Basis{},
			token(other, storage.AuthorizationCode, "code"), token(other, storage.AccessToken, "access")), storage.ErrConflict)

		_, got, err := store.Token(t.Context(), storage.AccessToken, digest("access"))
		ok(t, err)
		equal(t, got.Subject, "victim")
		fails(t, errOf(store.Token(t.Context(), storage.AuthorizationCode, digest("code"))), storage.ErrNotFound)
		ok(t, store.CreateGrant(t.Context(), other, storage.Basis{})) // its flow was not used up
	})
	s.test(t, "NeverOverwritesAGrant", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		first := grant("g", "client", "first")
		ok(t, store.CreateGrant(t.Context(), first, storage.Basis{}, token(first, storage.AccessToken, "access")))
		second := grant("g", "client", "second")
		second.Flow = digest("another flow")
		fails(t, store.CreateGrant(t.Context(), second, storage.Basis{}), storage.ErrConflict)
		_, got, err := store.Token(t.Context(), storage.AccessToken, digest("access"))
		ok(t, err)
		equal(t, got.Subject, "first")
	})
	s.test(t, "NeedsAnEnd", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		g := grant("g", "client", "subject")
		endless := token(g, storage.AccessToken, "access")
		endless.ExpiresAt = time.Time{}
		if err := store.CreateGrant(t.Context(), g, storage.Basis{}, endless); err == nil {
			t.Error("a token without an end was recorded")
		}
		g.ExpiresAt = time.Time{}
		if err := store.CreateGrant(t.Context(), g, storage.Basis{}); err == nil {
			t.Error("a grant without an end was recorded")
		}
	})
	t.Run("RestsOnSessionAndDecision", s.grantRestsOnBasis)
	t.Run("RenewsUseOfConsent", s.grantRenewsConsent)
	t.Run("Revoke", s.revokeGrants)
}

// grantRestsOnBasis tests everything that can end between the recognition of a user, or the
// consent, and the grant.
func (s *suite) grantRestsOnBasis(t *testing.T) {
	for name, end := range map[string]func(*testing.T, storage.Store) error{
		"SignOut": func(t *testing.T, store storage.Store) error {
			return errOf(store.EndSessions(t.Context(), storage.SessionFilter{Digest: digest("session")}))
		},
		"SignOutOfAll": func(t *testing.T, store storage.Store) error {
			return errOf(store.EndSessions(t.Context(), storage.SessionFilter{AccountID: "subject"}))
		},
		"Password": func(t *testing.T, store storage.Store) error {
			return store.SetPassword(t.Context(), "subject", storage.Proof{}, "new hash", t0)
		},
		"Address": func(t *testing.T, store storage.Store) error {
			return store.ChangeEmail(t.Context(), emailChange("subject", 0, "new"))
		},
		"Lock": func(t *testing.T, store storage.Store) error {
			err := store.SetDisabled(t.Context(), "subject", true, t0)
			return errors.Join(err, store.SetDisabled(t.Context(), "subject", false, t0))
		},
		"Deletion": func(t *testing.T, store storage.Store) error {
			return errOf(store.DeleteAccount(t.Context(), "subject", "someone", nil))
		},
		"Removal": func(t *testing.T, store storage.Store) error {
			return store.RevokeConsent(t.Context(), "subject", "client", t0)
		},
		"AnotherDecision": func(t *testing.T, store storage.Store) error {
			next := consent("subject", "client")
			next.Decision = digest("next")
			return store.SaveConsent(t.Context(), next, storage.ConsentBasis{Replaced: digest("subject at client")})
		},
	} {
		s.test(t, name, func(t *testing.T, store storage.Store) {
			saveClient(t, store, "client")
			createAccount(t, store, "subject")
			ok(t, store.CreateSession(t.Context(), session("session", "subject"), storage.Proof{}, storage.Digest{}))
			decision := consent("subject", "client")
			ok(t, store.SaveConsent(t.Context(), decision, storage.ConsentBasis{Session: digest("session")}))
			for i, used := range []time.Time{t0, {}} { // lately, so that it is not renewed, and never
				decision.LastUsedAt = used
				on := storage.Basis{Session: digest("session"), Consent: decision}
				g := grant(fmt.Sprint("before ", i), "client", "subject")
				ok(t, store.CreateGrant(t.Context(), g, on))
			}
			ok(t, end(t, store))
			for i, used := range []time.Time{t0, {}} {
				decision.LastUsedAt = used
				on := storage.Basis{Session: digest("session"), Consent: decision}
				g := grant(fmt.Sprint("after ", i), "client", "subject")
				fails(t, store.CreateGrant(t.Context(), g, on, token(g, storage.AuthorizationCode, "code")), storage.ErrEnded)
			}
			fails(t, errOf(store.Token(t.Context(), storage.AuthorizationCode, digest("code"))), storage.ErrNotFound)
		})
	}
	s.test(t, "SessionOfAnother", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		createAccount(t, store, "subject")
		createAccount(t, store, "another")
		ok(t, store.CreateSession(t.Context(), session("of another", "another"), storage.Proof{}, storage.Digest{}))
		decision := consent("subject", "client")
		ok(t, store.SaveConsent(t.Context(), decision, storage.ConsentBasis{}))
		for _, decision := range []storage.Consent{{}, decision} {
			fails(t, store.CreateGrant(t.Context(), grant("g", "client", "subject"),
				storage.Basis{Session: digest("of another"), Consent: decision}), storage.ErrEnded)
		}
	})
	s.test(t, "DecisionOfAHostsUser", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		on := storage.Basis{Consent: consent("subject", "client")}
		fails(t, store.CreateGrant(t.Context(), grant("g", "client", "subject"), on), storage.ErrEnded)
		ok(t, store.SaveConsent(t.Context(), on.Consent, storage.ConsentBasis{}))
		ok(t, store.CreateGrant(t.Context(), grant("g", "client", "subject"), on))
	})
}

func (s *suite) grantRenewsConsent(t *testing.T) {
	store := s.store(t)
	saveClient(t, store, "client")
	saveClient(t, store, "other")
	ok(t, store.SaveConsent(t.Context(), consent("subject", "client"), storage.ConsentBasis{}))
	ok(t, store.SaveConsent(t.Context(), consent("subject", "other"), storage.ConsentBasis{}))
	create := func(name string, at time.Time) {
		t.Helper()
		g := grant(name, "client", "subject")
		g.CreatedAt = at
		read := must(store.Consent(t.Context(), "subject", "client"))(t)
		ok(t, store.CreateGrant(t.Context(), g, storage.Basis{Consent: read}))
	}
	lastUsed := func(client string) time.Time {
		t.Helper()
		c := must(store.Consent(t.Context(), "subject", client))(t)
		return c.LastUsedAt
	}
	create("first", t0)
	equal(t, lastUsed("client"), t0) // never used before
	create("within the minute", t0.Add(time.Minute))
	equal(t, lastUsed("client"), t0)
	create("later", t0.Add(time.Minute+time.Microsecond))
	equal(t, lastUsed("client"), t0.Add(time.Minute+time.Microsecond))
	create("of the past", t0.Add(-time.Hour))
	equal(t, lastUsed("client"), t0.Add(time.Minute+time.Microsecond))
	equal(t, lastUsed("other"), time.Time{})
}

func (s *suite) revokeGrants(t *testing.T) {
	// Four grants: two clients by two subjects, created a minute apart.
	setup := func(t *testing.T) (storage.Store, map[string]storage.Grant) {
		store := s.store(t)
		grants := make(map[string]storage.Grant)
		for i, name := range []string{"ann at red", "ann at blue", "bob at red", "bob at blue"} {
			subject, client := name[:3], name[7:]
			saveClient(t, store, client)
			g := grant(name, client, subject)
			g.CreatedAt = t0.Add(time.Duration(i) * time.Minute)
			ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AccessToken, name)))
			grants[name] = g
		}
		return store, grants
	}
	for _, tc := range []struct {
		name   string
		filter func(grants map[string]storage.Grant) storage.GrantFilter
		ended  []string
	}{
		{
			"ByID",
			func(g map[string]storage.Grant) storage.GrantFilter {
				return storage.GrantFilter{ID: g["ann at blue"].ID}
			},
			[]string{"ann at blue"},
		},
		{
			"BySubject",
			func(map[string]storage.Grant) storage.GrantFilter { return storage.GrantFilter{Subject: "ann"} },
			[]string{"ann at red", "ann at blue"},
		},
		{
			"ByAllThatIsGiven",
			func(g map[string]storage.Grant) storage.GrantFilter {
				return storage.GrantFilter{
					ID: g["bob at red"].ID, Subject: "bob", ClientID: "red", CreatedBefore: t0.Add(time.Hour),
				}
			},
			[]string{"bob at red"},
		},
		{
			"NotWhenOneDiffers",
			func(g map[string]storage.Grant) storage.GrantFilter {
				return storage.GrantFilter{ID: g["bob at red"].ID, Subject: "ann"}
			},
			nil,
		},
		{
			"NotByAnEmptyFilter",
			func(map[string]storage.Grant) storage.GrantFilter { return storage.GrantFilter{} },
			nil,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store, grants := setup(t)
			equal(t, must(store.RevokeGrants(t.Context(), tc.filter(grants), elsewhere))(t), len(tc.ended))
			want := make(map[string]time.Time)
			for name := range grants {
				want[name] = time.Time{}
			}
			for _, name := range tc.ended {
				want[name] = asStored
			}
			got := make(map[string]time.Time)
			for name := range grants {
				_, g, err := store.Token(t.Context(), storage.AccessToken, digest(name))
				ok(t, err)
				got[name] = g.RevokedAt
			}
			equal(t, got, want)
		})
	}
	t.Run("RefusesWhatIsTooMuchForOneStep", func(t *testing.T) {
		store, _ := setup(t)
		for _, filter := range []storage.GrantFilter{{ClientID: "blue"}, {CreatedBefore: t0}, {ClientID: "blue", CreatedBefore: t0}} {
			if n, err := store.RevokeGrants(t.Context(), filter, t0); err == nil || n > 0 {
				t.Errorf("%+v ends %d, %v", filter, n, err)
			}
		}
	})
	t.Run("AgainCountsNoneAndKeepsTheTime", func(t *testing.T) {
		store, _ := setup(t)
		filter := storage.GrantFilter{Subject: "ann"}
		ok(t, errOf(store.RevokeGrants(t.Context(), filter, t0)))
		equal(t, must(store.RevokeGrants(t.Context(), filter, t0.Add(time.Hour)))(t), 0)
		_, g, err := store.Token(t.Context(), storage.AccessToken, digest("ann at red"))
		ok(t, err)
		equal(t, g.RevokedAt, t0)
	})
}

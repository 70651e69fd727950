package storagetest

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// fullClient has a value in every field.
func fullClient() storage.Client {
	return storage.Client{
		ID:      "client",
		Name:    "Ünïcode <b>& \"quotes\"",
		Dialect: "standard",
		Profile: "fapi2",
		Public:  true,
		Secrets: []storage.ClientSecret{
			{Sealed: []byte{0, 1, 0xff}, CreatedAt: t0},
			{Sealed: []byte("second"), CreatedAt: t0, ExpiresAt: t0.Add(1)},
		},
		AuthMethod:               "client_secret_basic",
		AuthSigningAlg:           "ES256",
		JWKS:                     json.RawMessage(`{"keys":[]}`),
		JWKSURI:                  "https://a.example/keys",
		RequirePushed:            true,
		RequirePKCE:              true,
		RequireSignedRequest:     true,
		RequestSigningAlg:        "PS256",
		RequestURIs:              []string{"https://a.example/request"},
		RequireDPoP:              true,
		RedirectURIs:             []string{"https://b.example/", "https://a.example/?x=\"\\"},
		PostLogoutRedirectURIs:   []string{"https://a.example/bye"},
		InitiateLoginURI:         "https://a.example/start",
		ResponseTypes:            []string{"code", "code id_token"},
		GrantTypes:               []string{"authorization_code", "refresh_token"},
		Scopes:                   []string{"openid", "military"},
		Origins:                  []string{"https://a.example"},
		NoQueryToken:             true,
		NoJSONP:                  true,
		UserinfoSigned:           true,
		LeanIDTokens:             true,
		JWTAccessTokens:          true,
		Resources:                []string{"https://api.example/"},
		BackchannelLogoutURI:     "https://a.example/ended",
		BackchannelLogoutSession: true,
		RequireVerified:          true,
		SkipConsent:              true,
		Disabled:                 true,
		Deleted:                  true,
		Logo:                     digest("logo"),
		OptionalScopes:           []string{"student"},
		LogoDark:                 digest("logo by night"),
		Wordmark:                 digest("wordmark"),
		WordmarkDark:             digest("wordmark by night"),
		ButtonColor:              "#123abc",
		PolicyURL:                "https://a.example/policy",
		TermsURL:                 "https://a.example/terms",
		Origin:                   storage.OriginDocument,
		Document: &storage.ClientDocument{
			Name: "Ünïcode", FetchedAt: t0, FreshUntil: t0.Add(1), LookedAt: t0, GoneSince: t0,
			Digest: digest("document"), ChangedAt: t0, Previous: []byte("{}"), Text: []byte(`{"a":1}`),
		},
		GrantsSince: t0,
		ExpiresAt:   t0,
		CreatedAt:   t0,
		UpdatedAt:   elsewhere,
	}
}

func (s *suite) clients(t *testing.T) {
	s.test(t, "ComesBackWhole", func(t *testing.T, store storage.Store) {
		ok(t, store.SaveClient(t.Context(), fullClient()))
		got := must(store.Client(t.Context(), "client"))(t)
		want := fullClient()
		want.Secrets[1].ExpiresAt = t0 // to the microsecond
		want.Document.FreshUntil = t0
		want.UpdatedAt = asStored
		saved(t, got, want)
	})
	s.test(t, "ComesBackBare", func(t *testing.T, store storage.Store) {
		want := storage.Client{ID: "bare", Scopes: []string{}, CreatedAt: t0}
		ok(t, store.SaveClient(t.Context(), want))
		got := must(store.Client(t.Context(), "bare"))(t)
		saved(t, got, want)
	})
	s.test(t, "UnknownIsNotFound", func(t *testing.T, store storage.Store) {
		fails(t, errOf(store.Client(t.Context(), "nobody")), storage.ErrNotFound)
	})
	s.test(t, "IdentifiersAreExact", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "Client")
		for _, id := range []string{"client", "Client ", " Client", "", "Clien%"} {
			fails(t, errOf(store.Client(t.Context(), id)), storage.ErrNotFound)
		}
	})
	s.test(t, "SaveReplacesWhole", func(t *testing.T, store storage.Store) {
		ok(t, store.SaveClient(t.Context(), fullClient()))
		old := must(store.Client(t.Context(), "client"))(t)
		want := storage.Client{ID: "client", Name: "New", CreatedAt: t0, Version: old.Version}
		ok(t, store.SaveClient(t.Context(), want))
		got := must(store.Client(t.Context(), "client"))(t)
		if got.Version == old.Version {
			t.Error("another registration has the same version")
		}
		saved(t, got, want)
	})
	s.test(t, "RegistrationThatHasChangedStays", func(t *testing.T, store storage.Store) {
		first := storage.Client{ID: "client", Name: "First", CreatedAt: t0}
		ok(t, store.SaveClient(t.Context(), first))
		fails(t, store.SaveClient(t.Context(), storage.Client{ID: "client", Name: "Another", CreatedAt: t0}), storage.ErrChanged)
		read := must(store.Client(t.Context(), "client"))(t)
		second := read
		second.Name = "Second"
		ok(t, store.SaveClient(t.Context(), second))
		fails(t, store.SaveClient(t.Context(), read), storage.ErrChanged)
		got := must(store.Client(t.Context(), "client"))(t)
		equal(t, got.Name, "Second")
		deleteClient(t, store, "client")
		fails(t, store.SaveClient(t.Context(), got), storage.ErrChanged)
		ok(t, store.SaveClient(t.Context(), first))
		fails(t, store.SaveClient(t.Context(), read), storage.ErrChanged) // not the same again
	})
	s.test(t, "SaveKeepsGrantsAndConsents", func(t *testing.T, store storage.Store) {
		ok(t, store.SaveClient(t.Context(), fullClient()))
		g := grant("g", "client", "subject")
		ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AccessToken, "access")))
		ok(t, store.SaveConsent(t.Context(), consent("subject", "client"), storage.ConsentBasis{}))
		again := must(store.Client(t.Context(), "client"))(t)
		ok(t, store.SaveClient(t.Context(), again))
		ok(t, errOf(store.Token(t.Context(), storage.AccessToken, digest("access"))))
		ok(t, errOf(store.Consent(t.Context(), "subject", "client")))
	})
	s.test(t, "ListsPagesInByteOrder", func(t *testing.T, store storage.Store) {
		for _, id := range []string{"b", "a", "_", "B", "é", "a-1"} {
			saveClient(t, store, id)
		}
		var got []string
		for after := ""; ; after = got[len(got)-1] {
			page := must(store.Clients(t.Context(), storage.ClientFilter{}, after, 2))(t)
			if len(page) > 2 {
				t.Fatalf("a page of 2 has %d clients", len(page))
			}
			if len(page) == 0 {
				break
			}
			for _, c := range page {
				got = append(got, c.ID)
			}
		}
		equal(t, got, []string{"B", "_", "a", "a-1", "b", "é"})
	})
	s.test(t, "ListOfNoneIsEmpty", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		for _, limit := range []int{0, -1} {
			equal(t, len(must(store.Clients(t.Context(), storage.ClientFilter{}, "", limit))(t)), 0)
		}
	})
	s.test(t, "DeleteTakesGrantsTokensAndConsentsAlong", func(t *testing.T, store storage.Store) {
		for _, client := range []string{"gone", "stays"} {
			saveClient(t, store, client)
			g := grant(client, client, "subject")
			ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.RefreshToken, client)))
			ok(t, store.SaveConsent(t.Context(), consent("subject", client), storage.ConsentBasis{}))
		}
		deleteClient(t, store, "gone")

		fails(t, errOf(store.Client(t.Context(), "gone")), storage.ErrNotFound)
		fails(t, errOf(store.Token(t.Context(), storage.RefreshToken, digest("gone"))), storage.ErrNotFound)
		fails(t, errOf(store.Consent(t.Context(), "subject", "gone")), storage.ErrNotFound)
		equal(t, must(store.RevokeGrants(t.Context(), storage.GrantFilter{Subject: "subject"}, t0))(t), 1) // that of the other client

		ok(t, errOf(store.Token(t.Context(), storage.RefreshToken, digest("stays"))))
		ok(t, errOf(store.Consent(t.Context(), "subject", "stays")))
	})
	s.test(t, "FindsThoseThatAreMarkedAsDeleted", func(t *testing.T, store storage.Store) {
		for _, id := range []string{"b", "a", "c", "d"} {
			saveClient(t, store, id)
		}
		for _, id := range []string{"d", "b", "c"} {
			c := must(store.Client(t.Context(), id))(t)
			c.Deleted = true
			ok(t, store.SaveClient(t.Context(), c))
		}
		listed := func(after string, limit int) (ids string) {
			t.Helper()
			for _, c := range must(store.Clients(t.Context(), storage.ClientFilter{Deleted: true}, after, limit))(t) {
				ids += c.ID
				equal(t, c, must(store.Client(t.Context(), c.ID))(t))
			}
			return ids
		}
		equal(t, listed("", many), "bcd")
		equal(t, listed("", 2), "bc")
		equal(t, listed("c", 2), "d")
		equal(t, listed("", 0), "")
		deleteClient(t, store, "c")
		c := must(store.Client(t.Context(), "b"))(t)
		c.Deleted = false // registered anew
		ok(t, store.SaveClient(t.Context(), c))
		equal(t, listed("", many), "d")
	})
	t.Run("FindsThoseThatNobodyHasRegistered", s.unknownClients)
	s.test(t, "DeletesTheRegistrationThatWasRead", func(t *testing.T, store storage.Store) {
		fails(t, store.DeleteClient(t.Context(), "nobody", 1), storage.ErrChanged)
		saveClient(t, store, "client")
		read := must(store.Client(t.Context(), "client"))(t)
		ok(t, store.SaveClient(t.Context(), read))
		fails(t, store.DeleteClient(t.Context(), "client", read.Version), storage.ErrChanged)
		ok(t, errOf(store.Client(t.Context(), "client")))
	})
}

// saveClient makes a client, unless there is one.
func saveClient(t *testing.T, store storage.Store, id string) {
	t.Helper()
	err := store.SaveClient(t.Context(), storage.Client{ID: id, CreatedAt: t0, UpdatedAt: t0})
	if !errors.Is(err, storage.ErrChanged) {
		ok(t, err)
	}
}

func deleteClient(t *testing.T, store storage.Store, id string) {
	t.Helper()
	c := must(store.Client(t.Context(), id))(t)
	ok(t, store.DeleteClient(t.Context(), id, c.Version))
}

// saved compares registrations, but for the version that the store has given.
func saved(t *testing.T, got, want storage.Client) {
	t.Helper()
	if got.Version == 0 {
		t.Error("a registration has no version")
	}
	want.Version = got.Version
	equal(t, got, want)
}

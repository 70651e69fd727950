package storagetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// CredentialStore is a store that keeps what was put into wallets, beside what that rests on.
type CredentialStore = storage.Roles

// RunCredentials tests everything that the comments of storage.Credentials promise, as [Run] does for
// storage.Store.
func RunCredentials(t *testing.T, newDatabase func(t *testing.T) (open func() CredentialStore)) {
	suite := &credentialSuite{newDatabase}
	t.Run("Records", suite.records)
	t.Run("Bases", suite.bases)
	t.Run("Ends", suite.ends)
	t.Run("Lapses", suite.lapses)
	t.Run("Lists", suite.lists)
	t.Run("Removal", suite.removal)
	t.Run("Races", suite.races)
	t.Run("Availability", suite.availability)
}

type credentialSuite struct{ databases[CredentialStore] }

// month is how long a credential of the tests is good.
const month = 30 * 24 * time.Hour

// issued returns a store with a verified student who has allowed a wallet.
func (s *credentialSuite) issued(t *testing.T) CredentialStore {
	t.Helper()
	store := s.store(t)
	prepareIssue(t, store, "ann")
	return store
}

// prepareIssue makes a verified student who has allowed a wallet, and opens a list.
func prepareIssue(t *testing.T, store CredentialStore, who string) {
	t.Helper()
	saveClient(t, store, "wallet")
	createAccount(t, store, who)
	ok(t, store.SetStatus(t.Context(), who, storage.Status{Group: "student", Verified: true, ExpiresAt: t0.Add(2 * month)}, storage.NoStatus))
	ok(t, store.CreateGrant(t.Context(), grant("grant of "+who, "wallet", who), storage.Basis{}))
	equal(t, must(store.OpenList(t.Context(), 100, t0))(t), 1)
}

// credential rests on the status that there is.
func credential(t *testing.T, store CredentialStore, who string, place int) storage.Credential {
	t.Helper()
	c := storage.Credential{
		ID: fmt.Sprintf("%s %03d", who, place), Subject: who, ClientID: "wallet", GrantID: grant("grant of "+who, "wallet", who).ID,
		Group: "student", List: 1, Place: place, Content: digest("what it says"), Notification: digest(fmt.Sprint("notification ", who, place)),
		IssuedAt: t0, ExpiresAt: t0.Add(month),
	}
	for _, status := range must(store.Person(t.Context(), who))(t).Statuses {
		c.StatusRevision = status.Revision
	}
	return c
}

// save saves credentials of a person at these places.
func save(t *testing.T, store CredentialStore, who string, places ...int) {
	t.Helper()
	for _, place := range places {
		ok(t, store.SaveCredential(t.Context(), credential(t, store, who, place)))
	}
}

// ids are those of credentials.
func ids(credentials []storage.Credential) string {
	text := ""
	for _, c := range credentials {
		text += c.ID + ", "
	}
	return text
}

func (s *credentialSuite) records(t *testing.T) {
	t.Run("ComeBackAsSaved", func(t *testing.T) {
		store := s.issued(t)
		want := credential(t, store, "ann", 131071)
		want.IssuedAt, want.ExpiresAt = elsewhere, elsewhere.Add(month)
		ok(t, store.SetStatus(t.Context(), "ann", storage.Status{Group: "student", Verified: true}, want.StatusRevision))
		want.StatusRevision = credential(t, store, "ann", 1).StatusRevision
		ok(t, store.SaveCredential(t.Context(), want))
		want.IssuedAt, want.ExpiresAt, want.CheckedAt = asStored, asStored.Add(month), asStored
		equal(t, must(store.Credentials(t.Context(), storage.CredentialFilter{Subject: "ann"}))(t), []storage.Credential{want})
		ok(t, store.AcceptCredential(t.Context(), want.ID, elsewhere.Add(time.Minute)))
		ok(t, store.AcceptCredential(t.Context(), want.ID, elsewhere.Add(time.Hour)))
		want.AcceptedAt = asStored.Add(time.Minute)
		equal(t, must(store.EndCredentials(t.Context(), storage.CredentialFilter{ID: want.ID}, storage.EndedByWallet, elsewhere.Add(time.Hour)))(t), 1)
		want.EndedAt, want.End = asStored.Add(time.Hour), storage.EndedByWallet
		equal(t, must(store.Credentials(t.Context(), storage.CredentialFilter{ID: want.ID}))(t), []storage.Credential{want})
		fails(t, store.AcceptCredential(t.Context(), want.ID, t0), storage.ErrNotFound)
		fails(t, store.AcceptCredential(t.Context(), "unknown", t0), storage.ErrNotFound)
	})
	t.Run("AreFoundByWhatIsAsked", func(t *testing.T) {
		store := s.issued(t)
		prepareIssue(t, store, "bob")
		save(t, store, "ann", 1, 2, 3)
		save(t, store, "bob", 4)
		ok(t, errOf(store.EndCredentials(t.Context(), storage.CredentialFilter{Subject: "ann", ID: "ann 002"}, storage.EndedByOwner, t0)))
		for want, match := range map[string]storage.CredentialFilter{
			"ann 003, ann 002, ann 001, ": {Subject: "ann", ClientID: "wallet"},
			"ann 003, ann 002, ":          {Subject: "ann", Limit: 2},
			"ann 001, ":                   {Subject: "ann", BeforeID: "ann 002"},
			"bob 004, ":                   {Notification: digest("notification bob4"), ClientID: "wallet"},
			"ann 002, ":                   {ID: "ann 002", Subject: "ann"},
		} {
			equal(t, ids(must(store.Credentials(t.Context(), match))(t)), want)
		}
		for _, match := range []storage.CredentialFilter{
			{Subject: "ann", ClientID: "other"}, {ID: "bob 004", Subject: "ann"}, {Notification: digest("notification bob4"), ClientID: "other"}, {Subject: "nobody"},
		} {
			equal(t, ids(must(store.Credentials(t.Context(), match))(t)), "")
		}
		if errOf(store.Credentials(t.Context(), storage.CredentialFilter{ClientID: "wallet"})) == nil {
			t.Error("the whole table is read")
		}
	})
}

// bases tests that none is saved whose basis has ended, whatever was read before.
func (s *credentialSuite) bases(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, store CredentialStore, c *storage.Credential){
		"AccountIsLocked": func(t *testing.T, store CredentialStore, _ *storage.Credential) {
			ok(t, store.SetDisabled(t.Context(), "ann", true, t0))
		},
		"AccountIsToBeDeleted": func(t *testing.T, store CredentialStore, _ *storage.Credential) {
			ok(t, store.SetDeletion(t.Context(), "ann", storage.Proof{}, t0.Add(month), t0))
		},
		"GrantIsRevoked": func(t *testing.T, store CredentialStore, _ *storage.Credential) {
			ok(t, errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{Subject: "ann", ClientID: "wallet"}, t0)))
		},
		"GrantIsUnknown": func(_ *testing.T, _ CredentialStore, c *storage.Credential) { c.GrantID[0]++ },
		"GrantIsAnothers": func(t *testing.T, store CredentialStore, c *storage.Credential) {
			ok(t, store.CreateGrant(t.Context(), grant("grant of bob", "wallet", "bob"), storage.Basis{}))
			c.GrantID = grant("grant of bob", "wallet", "bob").ID
		},
		"GrantIsThatOfAnotherWallet": func(_ *testing.T, _ CredentialStore, c *storage.Credential) { c.ClientID = "other" },
		"StatusHasChanged": func(t *testing.T, store CredentialStore, c *storage.Credential) {
			ok(t, store.SetStatus(t.Context(), "ann", storage.Status{Group: "student", Verified: true}, c.StatusRevision))
		},
		"StatusIsGone": func(t *testing.T, store CredentialStore, _ *storage.Credential) {
			ok(t, store.RemoveStatus(t.Context(), "ann", "student"))
		},
		"StatusIsOfAnotherGroup": func(_ *testing.T, _ CredentialStore, c *storage.Credential) { c.Group = "staff" },
		"StatusIsNotVerified": func(t *testing.T, store CredentialStore, c *storage.Credential) {
			ok(t, store.SetStatus(t.Context(), "ann", storage.Status{Group: "student"}, c.StatusRevision))
			c.StatusRevision = credential(t, store, "ann", 1).StatusRevision
		},
		"StatusIsOver": func(_ *testing.T, _ CredentialStore, c *storage.Credential) { c.IssuedAt = t0.Add(2 * month) },
	} {
		t.Run(name, func(t *testing.T) {
			store := s.issued(t)
			c := credential(t, store, "ann", 1)
			end(t, store, &c)
			fails(t, store.SaveCredential(t.Context(), c), storage.ErrEnded)
			equal(t, ids(must(store.Credentials(t.Context(), storage.CredentialFilter{ID: c.ID}))(t)), "")
		})
	}
	t.Run("WordOfTheHostIsRecordedNowhere", func(t *testing.T) {
		store := s.issued(t)
		ok(t, store.RemoveStatus(t.Context(), "ann", "student"))
		ok(t, store.SaveCredential(t.Context(), credential(t, store, "ann", 1)))
	})
	t.Run("PlaceIsTaken", func(t *testing.T) {
		store := s.issued(t)
		save(t, store, "ann", 1)
		c := credential(t, store, "ann", 1)
		c.ID, c.Notification = "another", digest("another")
		fails(t, store.SaveCredential(t.Context(), c), storage.ErrConflict)
		c.Place, c.Notification = 2, digest("notification ann1")
		fails(t, store.SaveCredential(t.Context(), c), storage.ErrConflict)
		c.List, c.Notification = 2, digest("another")
		fails(t, store.SaveCredential(t.Context(), c), storage.ErrNotFound)
		c.List = 1
		ok(t, store.SaveCredential(t.Context(), c))
	})
}

func (s *credentialSuite) availability(t *testing.T) {
	prepared := func(t *testing.T) CredentialStore {
		store := s.issued(t)
		save(t, store, "ann", 1)
		return store
	}
	availability(t, prepared, map[string]func(context.Context, CredentialStore) error{
		"OpenList": func(ctx context.Context, store CredentialStore) error { return errOf(store.OpenList(ctx, 9, t0)) },
		"EndedPlaces": func(ctx context.Context, store CredentialStore) error {
			return errOf(store.EndedPlaces(ctx, 1))
		},
		"Credentials": func(ctx context.Context, store CredentialStore) error {
			return errOf(store.Credentials(ctx, storage.CredentialFilter{Subject: "ann"}))
		},
		"LapsedCredentials": func(ctx context.Context, store CredentialStore) error {
			_, _, err := store.LapsedCredentials(ctx, t0, t0, "", 9)
			return err
		},
		"EndCredentials": func(ctx context.Context, store CredentialStore) error {
			return errOf(store.EndCredentials(ctx, storage.CredentialFilter{Subject: "nobody"}, storage.EndedByOwner, t0))
		},
		"KeepCredential": func(ctx context.Context, store CredentialStore) error {
			return store.KeepCredential(ctx, "unknown", 1, t0)
		},
	})
}

package storagetest

import (
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// lapsed are the credentials that may have to end, with what has ended.
func lapsed(t *testing.T, store CredentialStore, at time.Time) string {
	t.Helper()
	found, last, err := store.LapsedCredentials(t.Context(), at, at, "", 99)
	ok(t, err)
	equal(t, last, "")
	var said []string
	for _, l := range found {
		said = append(said, l.ID+" "+string(l.By))
	}
	return strings.Join(said, ", ")
}

func (s *credentialSuite) lapses(t *testing.T) {
	word := func(store CredentialStore) error { // the host's, of a group that is recorded nowhere
		c := storage.Credential{
			ID: "ann 009", Subject: "ann", ClientID: "wallet", GrantID: grant("grant of ann", "wallet", "ann").ID, Group: "staff",
			List: 1, Place: 9, Notification: digest("9"), IssuedAt: t0, ExpiresAt: t0.Add(month),
		}
		return store.SaveCredential(t.Context(), c)
	}
	type lapse struct {
		change func(t *testing.T, store CredentialStore) error
		at     time.Time
		want   string
	}
	status := func(change func(*storage.Status)) func(t *testing.T, store CredentialStore) error {
		return func(t *testing.T, store CredentialStore) error {
			now := storage.Status{Group: "student", Verified: true, ExpiresAt: t0.Add(2 * month)}
			change(&now)
			return store.SetStatus(t.Context(), "ann", now, storage.AnyRevision)
		}
	}
	for name, c := range map[string]lapse{
		"NothingHasChanged": {func(*testing.T, CredentialStore) error { return nil }, t0, ""},
		"OtherStatus": {func(t *testing.T, store CredentialStore) error {
			return store.SetStatus(t.Context(), "ann", storage.Status{Group: "other"}, storage.NoStatus)
		}, t0, ""},
		"StatusOfAnotherRevision": {status(func(*storage.Status) {}), t0, "ann 001 "},
		"StatusIsGone": {func(t *testing.T, store CredentialStore) error {
			return store.RemoveStatus(t.Context(), "ann", "student")
		}, t0, "ann 001 "},
		"Expired": {func(t *testing.T, store CredentialStore) error {
			return store.RemoveStatus(t.Context(), "ann", "student")
		}, t0.Add(month), ""},
		"ConsentIsWithdrawn": {func(t *testing.T, store CredentialStore) error {
			return store.RevokeConsent(t.Context(), "ann", "wallet", t0)
		}, t0, "ann 001 grant"},
		"LongAfterTheTokens": {func(t *testing.T, store CredentialStore) error {
			sweepAll(t, store, t0.Add(month-time.Hour))
			return store.RevokeConsent(t.Context(), "ann", "wallet", t0)
		}, t0, "ann 001 grant"},
		"EverythingIsEnded": {func(t *testing.T, store CredentialStore) error { return store.EndIssued(t.Context(), "ann", t0) }, t0, "ann 001 grant"},
		"GrantIsRemoved": {func(t *testing.T, store CredentialStore) error {
			return errOf(store.RemoveGrants(t.Context(), []storage.GrantID{grant("grant of ann", "wallet", "ann").ID}))
		}, t0, "ann 001 grant"},
		"WalletIsGone": {func(t *testing.T, store CredentialStore) error {
			deleteClient(t, store, "wallet")
			return nil
		}, t0, "ann 001 grant, bob 002 grant"},
		"AccountIsLocked": {func(t *testing.T, store CredentialStore) error {
			return store.SetDisabled(t.Context(), "ann", true, t0)
		}, t0, "ann 001 account"},
		"AccountIsToBeDeleted": {func(t *testing.T, store CredentialStore) error {
			return store.SetDeletion(t.Context(), "ann", storage.Proof{}, t0.Add(month), t0)
		}, t0, "ann 001 account"},
		"WordOfTheHostIsOld":   {func(_ *testing.T, store CredentialStore) error { return word(store) }, t0.Add(time.Microsecond), "ann 009 "},
		"WordOfTheHostIsFresh": {func(_ *testing.T, store CredentialStore) error { return word(store) }, t0, ""},
		"Ended": {func(t *testing.T, store CredentialStore) error {
			ok(t, store.RemoveStatus(t.Context(), "ann", "student"))
			return errOf(store.EndCredentials(t.Context(), storage.CredentialFilter{Subject: "ann"}, storage.EndedByOwner, t0))
		}, t0, ""},
		"RestsOnTheNewStatus": {func(t *testing.T, store CredentialStore) error {
			ok(t, status(func(s *storage.Status) { s.VerifiedBy = "another" })(t, store))
			return store.KeepCredential(t.Context(), "ann 001", credential(t, store, "ann", 1).StatusRevision, t0)
		}, t0, ""},
		"WordOfTheHostWasChecked": {func(t *testing.T, store CredentialStore) error {
			ok(t, word(store))
			return store.KeepCredential(t.Context(), "ann 009", 0, t0.Add(time.Hour))
		}, t0.Add(time.Hour), ""},
	} {
		t.Run(name, func(t *testing.T) {
			store := s.issued(t)
			prepareIssue(t, store, "bob")
			save(t, store, "ann", 1)
			save(t, store, "bob", 2)
			ok(t, c.change(t, store))
			equal(t, lapsed(t, store, c.at), c.want)
		})
	}
	t.Run("StatusEndsWithItsCase", func(t *testing.T) {
		store := s.issued(t)
		ok(t, store.RemoveStatus(t.Context(), "ann", "student"))
		ok(t, errOf(store.MoveCase(t.Context(), approval(startCase(t, store, "1", "ann")), nobody)))
		save(t, store, "ann", 1)
		equal(t, lapsed(t, store, t0), "")
		ok(t, errOf(store.EndStatus(t.Context(), storage.StatusEnd{CaseID: "1", At: t0})))
		equal(t, lapsed(t, store, t0), "ann 001 ")
	})
	t.Run("StatusIsApprovedAgain", func(t *testing.T) {
		store := s.issued(t)
		c := startCase(t, store, "1", "ann")
		save(t, store, "ann", 1)
		ok(t, errOf(store.MoveCase(t.Context(), approval(c), nobody)))
		equal(t, lapsed(t, store, t0), "ann 001 ")
	})
	t.Run("LinkOfWhoVouchesIsGone", func(t *testing.T) {
		store := s.issued(t)
		for _, name := range []string{"one", "two"} {
			ok(t, store.AddLink(t.Context(), link(name, "ann"), 2, proofOf(t, store, "ann")))
		}
		vouched := storage.Status{Group: "student", Verified: true, VerifiedBy: link("", "").Issuer, Method: storage.MethodVouched, VerifiedAt: t0}
		ok(t, store.SetStatus(t.Context(), "ann", vouched, storage.AnyRevision))
		save(t, store, "ann", 1)
		ok(t, store.RemoveLink(t.Context(), "ann", link("one", "").Digest, proofOf(t, store, "ann"), t0))
		equal(t, lapsed(t, store, t0), "ann 001 ")
	})
	t.Run("IsNotKeptForWhatHasChangedAgain", func(t *testing.T) {
		store := s.issued(t)
		save(t, store, "ann", 1)
		set := status(func(*storage.Status) {})
		ok(t, set(t, store))
		read := credential(t, store, "ann", 1).StatusRevision
		ok(t, set(t, store))
		ok(t, store.KeepCredential(t.Context(), "ann 001", read, t0))
		equal(t, lapsed(t, store, t0), "ann 001 ")
	})
	t.Run("AreFoundAPageAtATime", func(t *testing.T) {
		store := s.issued(t)
		save(t, store, "ann", 1, 2, 3, 4, 5)
		ok(t, store.RemoveStatus(t.Context(), "ann", "student"))
		var pages []string
		for after := ""; len(pages) < 4; {
			found, last, err := store.LapsedCredentials(t.Context(), t0, t0, after, 2)
			ok(t, err)
			text := ""
			for _, l := range found {
				text += l.ID + " "
			}
			if pages, after = append(pages, text), last; last == "" {
				break
			}
		}
		equal(t, pages, []string{"ann 001 ann 002 ", "ann 003 ann 004 ", "ann 005 "})
	})
}

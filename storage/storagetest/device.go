package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *suite) trustedDevices(t *testing.T) {
	setup := func(t *testing.T) storage.Store {
		t.Helper()
		store := s.equipped(t)
		createAccount(t, store, "other")
		for _, account := range []string{"account", "other"} {
			for _, name := range []string{"laptop of ", "phone of "} {
				ok(t, store.TrustDevice(t.Context(), device(name+account, account), proofOf(t, store, account)))
			}
		}
		return store
	}
	t.Run("AreKnownByTheirDigest", func(t *testing.T) {
		store := setup(t)
		before := has(t, store, "account")
		again := device("laptop of account", "other")
		fails(t, store.TrustDevice(t.Context(), again, proofOf(t, store, "other")), storage.ErrConflict)
		equal(t, has(t, store, "account"), before)
	})
	t.Run("HaveAnEnd", func(t *testing.T) {
		store := setup(t)
		endless := device("endless", "account")
		endless.ExpiresAt = time.Time{}
		if err := store.TrustDevice(t.Context(), endless, proofOf(t, store, "account")); err == nil {
			t.Error("a device without an end was recorded")
		}
	})
	t.Run("AreForgotten", func(t *testing.T) {
		store := setup(t)
		for _, tc := range []struct {
			account string
			digest  storage.Digest
			want    int
		}{
			{"account", digest("laptop of other"), 0}, {"account", digest("laptop of account"), 1}, {"account", digest("laptop of account"), 0},
			{"account", storage.Digest{}, 1}, {"nobody", storage.Digest{}, 0}, {"", storage.Digest{}, 0},
		} {
			equal(t, must(store.ForgetDevices(t.Context(), tc.account, tc.digest))(t), tc.want)
		}
		equal(t, len(has(t, store, "other").Devices), 2)
	})
	t.Run("GoWithWhatWasIssued", func(t *testing.T) {
		for name, end := range map[string]func(t *testing.T, s storage.Store, on storage.Proof) error{
			"SetPassword": func(t *testing.T, s storage.Store, on storage.Proof) error {
				return s.SetPassword(t.Context(), "account", on, "new", t0)
			},
			"ChangeEmail": func(t *testing.T, s storage.Store, on storage.Proof) error {
				c := emailChange("account", 0, "new")
				c.On = on
				return s.ChangeEmail(t.Context(), c)
			},
			"ReturnEmail": func(t *testing.T, s storage.Store, on storage.Proof) error {
				c := change("account", 0, "new")
				c.On = on
				if err := s.ChangeEmail(t.Context(), c); err != nil {
					return err
				}
				if err := s.TrustDevice(t.Context(), device("since", "account"), proofOf(t, s, "account")); err != nil {
					return err
				}
				return errOf(s.ReturnEmail(t.Context(), emailReturn("account", 1)))
			},
			"Lock": func(t *testing.T, s storage.Store, _ storage.Proof) error {
				return s.SetDisabled(t.Context(), "account", true, t0)
			},
			"SetDeletion": func(t *testing.T, s storage.Store, on storage.Proof) error {
				return s.SetDeletion(t.Context(), "account", on, t0.Add(time.Hour), t0)
			},
			"EndIssued": func(t *testing.T, s storage.Store, _ storage.Proof) error {
				return s.EndIssued(t.Context(), "account", t0)
			},
		} {
			t.Run(name, func(t *testing.T) {
				store := setup(t)
				equal(t, len(has(t, store, "account").Devices), 2)
				ok(t, end(t, store, proofOf(t, store, "account")))
				equal(t, len(has(t, store, "account").Devices), 0)
				equal(t, len(has(t, store, "other").Devices), 2)
			})
		}
	})
}

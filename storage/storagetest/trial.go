package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *developerSuite) trials(t *testing.T) {
	s.test(t, "SettingsAreZeroAtFirst", func(t *testing.T, store DeveloperStore) {
		for _, id := range []string{"acme", "unknown"} {
			equal(t, must(store.SandboxSettings(t.Context(), id))(t), storage.SandboxSettings{OrganizationID: id})
		}
	})
	s.test(t, "SettingsAreReplacedAsTheyWereRead", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		want := storage.SandboxSettings{OrganizationID: "acme", Personas: []byte(`[{"name":"é"}]`), ClockOffset: -time.Hour - 1}
		ok(t, store.SaveSandboxSettings(t.Context(), want))
		fails(t, store.SaveSandboxSettings(t.Context(), want), storage.ErrChanged) // they exist
		first := must(store.SandboxSettings(t.Context(), "acme"))(t)
		if first.Version == 0 {
			t.Error("settings have no version")
		}
		want.Version = first.Version
		equal(t, first, want)

		second := first
		second.Personas, second.ClockOffset = nil, 1<<62
		ok(t, store.SaveSandboxSettings(t.Context(), second))
		fails(t, store.SaveSandboxSettings(t.Context(), first), storage.ErrChanged)
		got := must(store.SandboxSettings(t.Context(), "acme"))(t)
		second.Version = got.Version
		equal(t, got, second)
	})
	s.test(t, "SettingsNeedTheOrganization", func(t *testing.T, store DeveloperStore) {
		fails(t, store.SaveSandboxSettings(t.Context(), storage.SandboxSettings{OrganizationID: "unknown"}), storage.ErrNotFound)
		createOrganization(t, store, "acme")
		ok(t, store.SaveSandboxSettings(t.Context(), storage.SandboxSettings{OrganizationID: "acme"}))
		read := must(store.SandboxSettings(t.Context(), "acme"))(t)
		ok(t, store.DeleteOrganization(t.Context(), "acme"))
		fails(t, store.SaveSandboxSettings(t.Context(), read), storage.ErrNotFound)
	})
	s.test(t, "FaultTakesThePlaceOfTheOneBefore", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client", "other")
		fails(t, errOf(store.Fault(t.Context(), "client")), storage.ErrNotFound)
		ok(t, store.SetFault(t.Context(), storage.Fault{ClientID: "client", Name: "slow", ExpiresAt: t0}))
		want := storage.Fault{ClientID: "client", Name: "broken", ExpiresAt: elsewhere}
		ok(t, store.SetFault(t.Context(), want))
		want.ExpiresAt = asStored
		equal(t, must(store.Fault(t.Context(), "client"))(t), want)
		fails(t, errOf(store.Fault(t.Context(), "other")), storage.ErrNotFound)
		for range 2 {
			ok(t, store.SetFault(t.Context(), storage.Fault{ClientID: "client"}))
			fails(t, errOf(store.Fault(t.Context(), "client")), storage.ErrNotFound)
		}
	})
	s.test(t, "FaultNeedsAnApplicationOfTheSandbox", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		a := application("client", "acme")
		a.Environment = storage.Production
		ok(t, store.CreateApplication(t.Context(), a, many))
		for _, client := range []string{"client", "unknown"} {
			fails(t, store.SetFault(t.Context(), storage.Fault{ClientID: client, Name: "slow", ExpiresAt: t0}), storage.ErrNotFound)
			ok(t, store.SetFault(t.Context(), storage.Fault{ClientID: client}))
			fails(t, errOf(store.Fault(t.Context(), client)), storage.ErrNotFound)
		}
	})
	s.test(t, "LatestMailsStay", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		append := func(organization string, n, keep int) {
			t.Helper()
			ok(t, store.AppendMail(t.Context(), storage.SandboxMail{
				ID: 99, OrganizationID: organization, At: elsewhere, Content: fmt.Append(nil, n),
			}, keep))
		}
		mails := func(organization string, limit int) (found string) {
			t.Helper()
			mails := must(store.Mails(t.Context(), organization, limit))(t)
			for i, m := range mails {
				found += string(m.Content)
				equal(t, m.At, asStored)
				equal(t, m.OrganizationID, organization)
				if i > 0 && m.ID >= mails[i-1].ID {
					t.Errorf("the identifiers are %d, then %d", m.ID, mails[i-1].ID)
				}
			}
			return found
		}
		append("other", 0, 1)
		for n := range 5 {
			append("acme", n, 3)
		}
		equal(t, mails("acme", 10), "432")
		equal(t, mails("acme", 2), "43")
		equal(t, mails("acme", 0)+mails("acme", -1), "")
		append("acme", 5, 1)
		equal(t, mails("acme", 10), "5")
		equal(t, mails("other", 10), "0")
		fails(t, store.AppendMail(t.Context(), storage.SandboxMail{OrganizationID: "unknown", At: t0, Content: []byte("x")}, 1), storage.ErrNotFound)
	})
}

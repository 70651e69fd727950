package storagetest

import (
	"fmt"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// contests are those of the roles of the dashboard that the races do not have.
func (s *developerSuite) contests(t *testing.T) {
	hold(t, s.stores, map[string]contest[DeveloperStore]{
		"OrganizationOfAVersion": func(t *testing.T, store DeveloperStore, id string) (func(int, DeveloperStore) error, error) {
			createOrganization(t, store, id)
			read := must(store.Organization(t.Context(), id))(t)
			return func(i int, s DeveloperStore) error {
				o := read
				o.Name = fmt.Sprint(i)
				return s.SaveOrganization(t.Context(), o)
			}, storage.ErrChanged
		},
		"ApplicationOfAVersion": func(t *testing.T, store DeveloperStore, id string) (func(int, DeveloperStore) error, error) {
			createApplications(t, store, id, "client of "+id)
			read := must(store.Application(t.Context(), storage.Sandbox, "client of "+id))(t)
			return func(i int, s DeveloperStore) error {
				a := read
				a.Name = fmt.Sprint(i)
				if i%2 == 0 {
					return s.SaveApplication(t.Context(), a, many)
				}
				return s.SaveApplication(t.Context(), a)
			}, storage.ErrChanged
		},
		"DecisionOfAVersion": func(t *testing.T, store DeveloperStore, id string) (func(int, DeveloperStore) error, error) {
			createApplications(t, store, id, "client of "+id)
			read := must(store.Application(t.Context(), storage.Sandbox, "client of "+id))(t)
			return func(i int, s DeveloperStore) error {
				a := read
				a.Name = fmt.Sprint(i)
				return s.DecideApplication(t.Context(), a, "operator")
			}, storage.ErrChanged
		},
		"MoveOfAVersion": func(t *testing.T, store DeveloperStore, id string) (func(int, DeveloperStore) error, error) {
			createApplications(t, store, id, "client of "+id)
			createOrganization(t, store, "left "+id)
			createOrganization(t, store, "right "+id)
			read := must(store.Application(t.Context(), storage.Sandbox, "client of "+id))(t)
			return func(i int, s DeveloperStore) error {
				to := []string{"left ", "right "}[i%2] + id
				return s.MoveApplication(t.Context(), storage.Sandbox, read.ClientID, read.Version, to, many)
			}, storage.ErrChanged
		},
		"Stop": func(t *testing.T, store DeveloperStore, id string) (func(int, DeveloperStore) error, error) {
			createOrganization(t, store, id)
			return func(i int, s DeveloperStore) error {
				return s.StopOrganization(t.Context(), id, storage.Stop{At: t0, Reason: fmt.Sprint(i), By: fmt.Sprint(i)})
			}, storage.ErrChanged
		},
		"EndOfAStop": func(t *testing.T, store DeveloperStore, id string) (func(int, DeveloperStore) error, error) {
			createOrganization(t, store, id)
			ok(t, store.StopOrganization(t.Context(), id, stop(t0)))
			return func(_ int, s DeveloperStore) error {
				return s.StartOrganization(t.Context(), id, t0, "operator")
			}, storage.ErrChanged
		},
		"Halt": func(t *testing.T, store DeveloperStore, id string) (func(int, DeveloperStore) error, error) {
			createApplications(t, store, id, "client of "+id)
			return func(i int, s DeveloperStore) error {
				to := []storage.Halt{storage.HaltBegun, storage.HaltIdle}[i%2]
				return s.MarkApplication(t.Context(), storage.Sandbox, "client of "+id, storage.ApplicationMark{From: storage.HaltNone, To: to})
			}, storage.ErrChanged
		},
		"NewApplication": func(t *testing.T, store DeveloperStore, id string) (func(int, DeveloperStore) error, error) {
			createOrganization(t, store, id)
			return func(_ int, s DeveloperStore) error {
				return s.CreateApplication(t.Context(), application("client of "+id, id), many)
			}, storage.ErrConflict
		},
		"SettingsOfAVersion": func(t *testing.T, store DeveloperStore, id string) (func(int, DeveloperStore) error, error) {
			createOrganization(t, store, id)
			ok(t, store.SaveSandboxSettings(t.Context(), storage.SandboxSettings{OrganizationID: id}))
			read := must(store.SandboxSettings(t.Context(), id))(t)
			return func(_ int, s DeveloperStore) error { return s.SaveSandboxSettings(t.Context(), read) }, storage.ErrChanged
		},
		"FirstSettings": func(t *testing.T, store DeveloperStore, id string) (func(int, DeveloperStore) error, error) {
			createOrganization(t, store, id)
			return func(_ int, s DeveloperStore) error {
				return s.SaveSandboxSettings(t.Context(), storage.SandboxSettings{OrganizationID: id})
			}, storage.ErrChanged
		},
	})
}

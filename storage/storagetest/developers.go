package storagetest

import (
	"context"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// DeveloperStore is a store with the records of the dashboard.
type DeveloperStore interface {
	storage.Store
	storage.Developers
}

// RunDevelopers tests everything that the comments of storage.Developers promise, as
// [Run] does for storage.Store.
func RunDevelopers(t *testing.T, newDatabase func(t *testing.T) (open func() DeveloperStore)) {
	suite := &developerSuite{newDatabase}
	t.Run("Organizations", suite.organizations)
	t.Run("Stops", suite.stops)
	t.Run("Halting", suite.halting)
	t.Run("Members", suite.members)
	t.Run("Invitations", suite.invitations)
	t.Run("RegistrationTokens", suite.registrationTokens)
	t.Run("Changes", suite.changes)
	t.Run("RemovalOfChanges", suite.removalOfChanges)
	t.Run("Applications", suite.applications)
	t.Run("Deleting", suite.deleting)
	t.Run("ApplicationLists", suite.applicationLists)
	t.Run("Moves", suite.moves)
	t.Run("RequestLog", suite.requestLog)
	t.Run("RemovalOfLog", suite.removalOfLog)
	t.Run("Trials", suite.trials)
	t.Run("Neighbours", suite.neighbours)
	t.Run("Races", suite.races)
	t.Run("Availability", suite.availability)
}

type developerSuite struct{ databases[DeveloperStore] }

// many exceeds every number of records in a test.
const many = 1000

// createOrganization makes an organization of one owner, "owner of" and its ID.
func createOrganization(t *testing.T, store storage.Developers, id string) {
	t.Helper()
	ok(t, store.CreateOrganization(t.Context(), storage.Organization{ID: id, Name: "Name of " + id, CreatedAt: t0},
		storage.Member{UserID: "owner of " + id, JoinedAt: t0}, many))
}

// join makes a user a member by an invitation.
func join(t *testing.T, store storage.Developers, organization, user string, role storage.Role, at time.Time) {
	t.Helper()
	i := invitation(organization+" for "+user, organization)
	i.Role, i.CreatedAt, i.ExpiresAt = role, at, at.Add(time.Hour)
	ok(t, store.CreateInvitation(t.Context(), i, many))
	ok(t, errOf(store.AcceptInvitation(t.Context(), i.Token, user, at, many)))
}

// application makes an application of the sandbox.
func application(client, organization string) storage.Application {
	return storage.Application{
		Environment: storage.Sandbox, ClientID: client, OrganizationID: organization, Name: "Name of " + client,
		Kind: "web", CreatedBy: "owner of " + organization, CreatedAt: t0, UpdatedAt: t0,
	}
}

// createApplications makes an organization of the sandbox's applications.
func createApplications(t *testing.T, store storage.Developers, organization string, clients ...string) {
	t.Helper()
	createOrganization(t, store, organization)
	for _, client := range clients {
		ok(t, store.CreateApplication(t.Context(), application(client, organization), many))
	}
}

// availability tests that a store that cannot read never answers that there is no record: an
// owner would lose access, and a fault would be off.
func (s *developerSuite) availability(t *testing.T) {
	prepared := func(t *testing.T) DeveloperStore {
		store := s.store(t)
		createApplications(t, store, "acme", "client")
		return store
	}
	availability(t, prepared, map[string]func(context.Context, DeveloperStore) error{
		"Organization": func(ctx context.Context, store DeveloperStore) error { return errOf(store.Organization(ctx, "acme")) },
		"Member": func(ctx context.Context, store DeveloperStore) error {
			return errOf(storage.One(store.Members(ctx, "acme", "owner of acme")))
		},
		"RemoveMember": func(ctx context.Context, store DeveloperStore) error {
			return store.RemoveMember(ctx, "acme", "nobody")
		},
		"Applications": func(ctx context.Context, store DeveloperStore) error {
			return errOf(store.Applications(ctx, storage.ApplicationFilter{}))
		},
		"Log": func(ctx context.Context, store DeveloperStore) error {
			return errOf(store.Log(ctx, storage.LogFilter{Environment: storage.Sandbox, ClientID: "client"}))
		},
		"Organizations": func(ctx context.Context, store DeveloperStore) error {
			return errOf(store.Organizations(ctx, storage.OrganizationFilter{Stopped: true}, "", many))
		},
		"AppendLog": func(ctx context.Context, store DeveloperStore) error {
			return store.AppendLog(ctx, []storage.LogEntry{line("client", "")})
		},
		"Trim": func(ctx context.Context, store DeveloperStore) error {
			_, err := store.Trim(ctx, storage.Trim{Kind: storage.SurplusLog, Environment: storage.Sandbox, ClientID: "client", Successes: 1, Failures: 1}, many)
			return err
		},
		"SandboxSettings": func(ctx context.Context, store DeveloperStore) error {
			return errOf(store.SandboxSettings(ctx, "acme"))
		},
	})
}

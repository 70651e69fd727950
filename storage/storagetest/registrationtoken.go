package storagetest

import (
	"context"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// registrationToken makes a token of an hour for two applications; its digest is that of its
// name.
func registrationToken(name, organization string) storage.RegistrationToken {
	return storage.RegistrationToken{
		Digest: digest(name), OrganizationID: organization, Environment: storage.Sandbox, Name: name, Hosts: []string{"app.example"},
		Remaining: 2, MadeBy: "owner of " + organization, CreatedAt: t0, ExpiresAt: t0.Add(time.Hour),
	}
}

func (s *developerSuite) registrationTokens(t *testing.T) {
	s.test(t, "ComeBackWhole", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		first, second := registrationToken("first", "acme"), registrationToken("second", "acme")
		second.CreatedAt, second.Hosts = t0.Add(time.Minute), nil
		for _, token := range []storage.RegistrationToken{first, second, registrationToken("third", "other")} {
			ok(t, store.CreateRegistrationToken(t.Context(), token, many))
		}
		equal(t, must(storage.One(store.RegistrationTokens(t.Context(), storage.TokenFilter{Token: digest("first")})))(t), first)
		list, err := store.RegistrationTokens(t.Context(), storage.TokenFilter{OrganizationID: "acme", Now: t0.Add(time.Hour).Add(-time.Microsecond)})
		ok(t, err)
		equal(t, list, []storage.RegistrationToken{second, first})
		list = must(store.RegistrationTokens(t.Context(), storage.TokenFilter{OrganizationID: "acme", Now: t0.Add(time.Hour)}))(t)
		equal(t, len(list), 0)
		fails(t, errOf(storage.One(store.RegistrationTokens(t.Context(), storage.TokenFilter{Token: digest("unknown")}))), storage.ErrNotFound)
		fails(t, store.CreateRegistrationToken(t.Context(), first, many), storage.ErrConflict)
	})
	s.test(t, "AreMadeByAnOwnerWhileThereIsRoom", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		join(t, store, "acme", "dev", storage.RoleDeveloper, t0)
		for _, user := range []string{"dev", "nobody", ""} {
			token := registrationToken("token", "acme")
			token.MadeBy = user
			fails(t, store.CreateRegistrationToken(t.Context(), token, many), storage.ErrNotFound)
		}
		fails(t, store.CreateRegistrationToken(t.Context(), registrationToken("token", "unknown"), many), storage.ErrNotFound)
		ok(t, store.CreateRegistrationToken(t.Context(), registrationToken("token", "acme"), 1)) // nothing was left
		fails(t, store.CreateRegistrationToken(t.Context(), registrationToken("one more", "acme"), 1), storage.ErrLimit)
		later := registrationToken("later", "acme")
		later.CreatedAt, later.ExpiresAt = t0.Add(time.Hour), t0.Add(time.Hour).Add(time.Hour) // the first has expired
		ok(t, store.CreateRegistrationToken(t.Context(), later, 1))
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		fails(t, store.CreateRegistrationToken(t.Context(), registrationToken("stopped", "acme"), many), storage.ErrOrganizationStopped)
	})
	s.test(t, "RegisterAsManyAsTheySay", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		ok(t, store.CreateRegistrationToken(t.Context(), registrationToken("token", "acme"), many))
		ok(t, store.RegisterApplication(t.Context(), application("one", "acme"), digest("token"), t0, many))
		fails(t, store.RegisterApplication(t.Context(), application("one", "acme"), digest("token"), t0, many), storage.ErrConflict)
		fails(t, store.RegisterApplication(t.Context(), application("two", "acme"), digest("token"), t0, 1), storage.ErrLimit)
		got, err := storage.One(store.RegistrationTokens(t.Context(), storage.TokenFilter{Token: digest("token")})) // the two have used up nothing
		ok(t, err)
		equal(t, got.Remaining, 1)
		ok(t, store.RegisterApplication(t.Context(), application("two", "acme"), digest("token"), t0, many))
		fails(t, store.RegisterApplication(t.Context(), application("three", "acme"), digest("token"), t0, many), storage.ErrNotFound)
		equal(t, must(store.Application(t.Context(), storage.Sandbox, "two"))(t).OrganizationID, "acme")
	})
	s.test(t, "RegisterNothingElse", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		ok(t, store.CreateRegistrationToken(t.Context(), registrationToken("token", "acme"), many))
		elsewhere := application("client", "acme")
		elsewhere.Environment = storage.Production
		fails(t, store.RegisterApplication(t.Context(), elsewhere, digest("token"), t0, many), storage.ErrNotFound)
		fails(t, store.RegisterApplication(t.Context(), application("client", "other"), digest("token"), t0, many), storage.ErrNotFound)
		fails(t, store.RegisterApplication(t.Context(), application("client", "acme"), digest("guess"), t0, many), storage.ErrNotFound)
		fails(t, store.RegisterApplication(t.Context(), application("client", "acme"), digest("token"), t0.Add(time.Hour), many), storage.ErrNotFound)
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		fails(t, store.RegisterApplication(t.Context(), application("client", "acme"), digest("token"), t0, many), storage.ErrOrganizationStopped)
		ok(t, store.StartOrganization(t.Context(), "acme", t0, "operator"))
		ok(t, store.RemoveRegistrationToken(t.Context(), "other", digest("token")))
		ok(t, store.RegisterApplication(t.Context(), application("client", "acme"), digest("token"), t0, many))
		ok(t, store.RemoveRegistrationToken(t.Context(), "acme", digest("token")))
		ok(t, store.RemoveRegistrationToken(t.Context(), "acme", digest("token")))
		fails(t, store.RegisterApplication(t.Context(), application("next", "acme"), digest("token"), t0, many), storage.ErrNotFound)
	})
	t.Run("GoWithTheOneWhoHasMadeThem", func(t *testing.T) {
		for name, end := range map[string]func(storage.Developers) error{
			"Removed": func(d storage.Developers) error { return d.RemoveMember(t.Context(), "acme", "owner of acme") },
			"Demoted": func(d storage.Developers) error {
				return d.SetRole(t.Context(), "acme", "owner of acme", storage.RoleDeveloper)
			},
			"Deleted": func(d storage.Developers) error { return d.EndMemberships(t.Context(), "owner of acme", "gone") },
		} {
			s.test(t, name, func(t *testing.T, store DeveloperStore) {
				createOrganization(t, store, "acme")
				join(t, store, "acme", "ann", storage.RoleOwner, t0)
				stays := registrationToken("stays", "acme")
				stays.MadeBy = "ann"
				ok(t, store.CreateRegistrationToken(t.Context(), stays, many))
				ok(t, store.CreateRegistrationToken(t.Context(), registrationToken("gone", "acme"), many))
				ok(t, end(store))
				fails(t, errOf(storage.One(store.RegistrationTokens(t.Context(), storage.TokenFilter{Token: digest("gone")}))), storage.ErrNotFound)
				ok(t, store.RegisterApplication(t.Context(), application("client", "acme"), digest("stays"), t0, many))
			})
		}
	})
	s.test(t, "RestWhileTheOneWhoHasMadeThemIsLocked", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "owner of acme", CreatedAt: t0}))
		ok(t, store.CreateRegistrationToken(t.Context(), registrationToken("token", "acme"), many))
		ok(t, store.SetDisabled(t.Context(), "owner of acme", true, t0))
		fails(t, store.RegisterApplication(t.Context(), application("client", "acme"), digest("token"), t0, many), storage.ErrNotFound)
		fails(t, store.CreateRegistrationToken(t.Context(), registrationToken("another", "acme"), many), storage.ErrNotFound)
		ok(t, store.SetDisabled(t.Context(), "owner of acme", false, t0))
		ok(t, store.RegisterApplication(t.Context(), application("client", "acme"), digest("token"), t0, many))
	})
	s.test(t, "AreSweptAtTheirEnd", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		ok(t, store.CreateRegistrationToken(t.Context(), registrationToken("token", "acme"), many))
		for _, tc := range []struct {
			now     time.Time
			removed int
		}{{t0.Add(time.Hour).Add(-time.Microsecond), 0}, {t0.Add(time.Hour), 1}, {t0.Add(time.Hour), 0}} {
			removed := must(store.Sweep(t.Context(), tc.now, 10))(t)
			equal(t, removed, tc.removed)
		}
	})
}

var registrationTokenDeeds = map[string]deed[DeveloperStore]{
	"CreateRegistrationToken": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.CreateRegistrationToken(ctx, registrationToken("next", "acme"), 3) // those of others do not count
	}, "registrations acme"),
	"RemoveRegistrationToken": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.RemoveRegistrationToken(ctx, "acme", digest("acme by ann"))
	}, "registration acme by ann", "registrations acme"),
	"RemoveRegistrationTokenOfAnother": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.RemoveRegistrationToken(ctx, "zeal", digest("acme by ann"))
	}),
	"RegisterApplication": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.RegisterApplication(ctx, application("next", "acme"), digest("acme by ann"), t0, 3)
	}, "registration acme by ann", "applications"),
}

package storagetest

import (
	"context"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// neighbours tests that no write of the dashboard's roles changes more than it names.
func (s *developerSuite) neighbours(t *testing.T) {
	for name, deeds := range map[string]map[string]deed[DeveloperStore]{
		"OfOrganizations": organizationDeeds, "OfMembers": memberDeeds, "OfInvitations": invitationDeeds, "OfRegistrationTokens": registrationTokenDeeds,
		"OfApplications": applicationDeeds(), "OfRequestLog": logDeeds, "OfTrials": trialDeeds,
	} {
		t.Run(name, func(t *testing.T) { leave(t, s.store, fillDevelopers, lookDevelopers, deeds) })
	}
}

var organizationDeeds = map[string]deed[DeveloperStore]{
	"CreateOrganization": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.CreateOrganization(ctx, storage.Organization{ID: "new", Name: "New", CreatedAt: t0},
			storage.Member{UserID: "ann", JoinedAt: t0}, many)
	}, "memberships ann"),
	"CreateOrganizationAsTheLast": doing(func(ctx context.Context, s DeveloperStore) error { // those of others do not count
		return s.CreateOrganization(ctx, storage.Organization{ID: "new", Name: "New", CreatedAt: t0},
			storage.Member{UserID: "ann", JoinedAt: t0}, 4)
	}, "memberships ann"),
	"SaveOrganization": doing(func(ctx context.Context, s DeveloperStore) error {
		return saveOrganizationOf(ctx, s, "acme")
	}, "organization acme"),
	"SaveOrganizationOfTheVersionOfAnother": failing(storage.ErrChanged, func(ctx context.Context, s DeveloperStore) error {
		return saveOrganizationOf(ctx, s, "zeal")
	}),
	"DeleteOrganization": doing(func(ctx context.Context, s DeveloperStore) error { return s.DeleteOrganization(ctx, "bare") },
		"organization bare", "settings bare", "member ann of bare", "member bob of bare", "member owner of bare",
		"memberships", "invitation bare", "invitations bare", "registration bare", "registrations bare", "mail first of bare", "mail second of bare",
		"change done by ann at bare", "change done by bob at bare",
	),
	"DeleteOrganizationOfApplications": failing(storage.ErrConflict, func(ctx context.Context, s DeveloperStore) error { return s.DeleteOrganization(ctx, "acme") }),
	"StopOrganization": doing(func(ctx context.Context, s DeveloperStore) error { return s.StopOrganization(ctx, "acme", stop(t0)) },
		"organization acme", "application sandbox red of acme", "application production red of acme",
		"application sandbox blue of acme", "application production blue of acme",
		"invitation acme", // nobody may accept one
	),
	"StartOrganization": doing(func(ctx context.Context, s DeveloperStore) error {
		for _, id := range []string{"acme", "zeal"} {
			if err := s.StopOrganization(ctx, id, stop(t0)); err != nil {
				return err
			}
		}
		return s.StartOrganization(ctx, "acme", t0, "operator")
	},
		"organization zeal", "application sandbox red of zeal", "application production red of zeal",
		"application sandbox blue of zeal", "application production blue of zeal", "invitation zeal",
	),
	"StartOrganizationThatRuns": failing(storage.ErrChanged, func(ctx context.Context, s DeveloperStore) error {
		return s.StartOrganization(ctx, "acme", t0, "operator")
	}),
	"AppendChange": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.AppendChange(ctx, storage.Change{OrganizationID: "acme", At: t0, UserID: "ann", What: "new"})
	}, "change new at acme"),
}

// saveOrganizationOf saves one organization with the version of another.
func saveOrganizationOf(ctx context.Context, s DeveloperStore, another string) error {
	read, err := s.Organization(ctx, another)
	if err != nil {
		return err
	}
	return s.SaveOrganization(ctx, storage.Organization{ID: "acme", Name: "New", Version: read.Version})
}

var memberDeeds = map[string]deed[DeveloperStore]{
	"SetRole": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.SetRole(ctx, "acme", "ann", storage.RoleViewer)
	}, "member ann of acme", "invitation acme by ann", "invitations acme", "registration acme by ann", "registrations acme"),
	"SetRoleOfWhoIsNone": failing(storage.ErrNotFound, func(ctx context.Context, s DeveloperStore) error {
		return s.SetRole(ctx, "acme", "carol", storage.RoleViewer)
	}),
	"SetRoleToTheSame": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.SetRole(ctx, "acme", "ann", storage.RoleOwner)
	}),
	"RemoveMember": doing(func(ctx context.Context, s DeveloperStore) error { return s.RemoveMember(ctx, "acme", "ann") },
		"member ann of acme", "memberships ann", "invitation acme by ann", "invitations acme", "invitation acme by bob for ann",
		"registration acme by ann", "registrations acme",
	),
	"RemoveMemberWhoIsNone": doing(func(ctx context.Context, s DeveloperStore) error { return s.RemoveMember(ctx, "acme", "owner of zeal") }),
	"EndMemberships": doing(func(ctx context.Context, s DeveloperStore) error { return s.EndMemberships(ctx, "ann", "someone") },
		"member ann", "memberships ann", "change done by ann", "maker sandbox red", "maker production red", "invitations", "registrations",
		"registration acme by ann", "registration zeal by ann", "registration bare by ann",
		"invitation acme by ann", "invitation zeal by ann", "invitation bare by ann",
		"invitation acme by bob for ann", "invitation zeal by bob for ann", "invitation bare by bob for ann",
	),
	"EndMembershipsOfOne": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.EndMemberships(ctx, "owner of acme", "someone")
	},
		"member owner of acme", "memberships owner of acme",
		"invitation acme by ann for owner of acme", "invitation acme by bob for owner of acme",
	),
}

var invitationDeeds = map[string]deed[DeveloperStore]{
	"CreateInvitation": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.CreateInvitation(ctx, invitation("next", "acme"), many)
	}, "invitations acme"),
	"CreateInvitationOfWhoIsAnOwnerElsewhere": failing(storage.ErrNotFound, func(ctx context.Context, s DeveloperStore) error {
		i := invitation("next", "acme")
		i.InvitedBy = "owner of zeal"
		return s.CreateInvitation(ctx, i, many)
	}),
	"CreateInvitationAsTheLast": doing(func(ctx context.Context, s DeveloperStore) error { // those of others do not count
		return s.CreateInvitation(ctx, invitation("next", "acme"), 3)
	}, "invitations acme"),
	"AcceptInvitation": doing(func(ctx context.Context, s DeveloperStore) error {
		return accept(ctx, s, "acme", "carol")
	}, "invitation acme by ann", "invitations acme", "member carol of acme", "memberships carol"),
	"AcceptInvitationToTheLastOrganization": doing(func(ctx context.Context, s DeveloperStore) error { // whose turn it is in no order of tokens
		return accept(ctx, s, "zeal", "carol")
	}, "invitation zeal by ann", "invitations zeal", "member carol of zeal", "memberships carol"),
	"RemoveInvitation": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.RemoveInvitation(ctx, "acme", digest("acme by ann"))
	}, "invitation acme by ann", "invitations acme"),
	"RemoveInvitationOfAnother": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.RemoveInvitation(ctx, "zeal", digest("acme by ann"))
	}),
}

// accept makes somebody a member by the invitation of ann.
func accept(ctx context.Context, s DeveloperStore, organization, who string) error {
	return errOf(s.AcceptInvitation(ctx, digest(organization+" by ann"), who, t0, many))
}

var logDeeds = map[string]deed[DeveloperStore]{
	"AppendLog": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.AppendLog(ctx, []storage.LogEntry{line("red of acme", "new")})
	}, "line new sandbox red of acme", "day 2026-03-14 sandbox red of acme"),
	"TrimSurplusLog": doing(func(ctx context.Context, s DeveloperStore) error {
		_, err := s.Trim(ctx, storage.Trim{Kind: storage.SurplusLog, Environment: storage.Sandbox, ClientID: "red of acme", Successes: 1, Failures: 0}, many)
		return err
	}, "line early sandbox red of acme"),
	"TrimOfLines": doing(func(ctx context.Context, s DeveloperStore) error {
		return errOf(s.Trim(ctx, storage.Trim{Kind: storage.OldLog, Before: t0.Add(time.Hour)}, many))
	}, "line early"),
	"TrimOfDays": doing(func(ctx context.Context, s DeveloperStore) error {
		return errOf(s.Trim(ctx, storage.Trim{Kind: storage.OldLog, DaysBefore: t0.AddDate(0, 0, 1)}, many))
	}, "day 2026-03-14"),
}

var trialDeeds = map[string]deed[DeveloperStore]{
	"SaveSandboxSettings": doing(func(ctx context.Context, s DeveloperStore) error {
		return saveSettingsOf(ctx, s, "acme")
	}, "settings acme"),
	"SaveSandboxSettingsOfTheVersionOfAnother": failing(storage.ErrChanged, func(ctx context.Context, s DeveloperStore) error {
		return saveSettingsOf(ctx, s, "zeal")
	}),
	"SetFault": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.SetFault(ctx, storage.Fault{ClientID: "red of acme", Name: "broken", ExpiresAt: t0})
	}, "fault red of acme"),
	"SetNoFault": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.SetFault(ctx, storage.Fault{ClientID: "red of acme"})
	}, "fault red of acme"),
	"AppendMail": doing(func(ctx context.Context, s DeveloperStore) error {
		return s.AppendMail(ctx, storage.SandboxMail{OrganizationID: "zeal", At: t0, Content: []byte("third")}, 2)
	}, "mail first of zeal", "mail third of zeal"),
}

// saveSettingsOf saves the settings of one organization with the version of another.
func saveSettingsOf(ctx context.Context, s DeveloperStore, another string) error {
	read, err := s.SandboxSettings(ctx, another)
	if err != nil {
		return err
	}
	return s.SaveSandboxSettings(ctx, storage.SandboxSettings{OrganizationID: "acme", ClockOffset: 2, Version: read.Version})
}

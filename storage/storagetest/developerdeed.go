package storagetest

import (
	"context"
	"maps"
	"math"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// neighbours tests that no write of the dashboard's roles changes more than it names.
func (s *developerSuite) neighbours(t *testing.T) {
	for name, deeds := range map[string]map[string]deed[DeveloperStore]{
		"OfOrganizations": organizationDeeds, "OfMembers": memberDeeds, "OfInvitations": invitationDeeds,
		"OfApplications": applicationDeeds(), "OfRequestLog": logDeeds, "OfTrials": trialDeeds,
	} {
		t.Run(name, func(t *testing.T) { leave(t, s.store, fillDevelopers, lookDevelopers, deeds) })
	}
}

var organizationDeeds = map[string]deed[DeveloperStore]{
	"CreateOrganization": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.CreateOrganization(ctx, storage.Organization{ID: "new", Name: "New", CreatedAt: t0},
				storage.Member{UserID: "ann", JoinedAt: t0}, many)
		},
		changes: []string{"memberships ann"},
	},
	"CreateOrganizationAsTheLast": { // those of others do not count
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.CreateOrganization(ctx, storage.Organization{ID: "new", Name: "New", CreatedAt: t0},
				storage.Member{UserID: "ann", JoinedAt: t0}, 4)
		},
		changes: []string{"memberships ann"},
	},
	"SaveOrganization": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return saveOrganizationOf(ctx, s, "acme")
		},
		changes: []string{"organization acme"},
	},
	"SaveOrganizationOfTheVersionOfAnother": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return saveOrganizationOf(ctx, s, "zeal")
		},
		fails: storage.ErrChanged,
	},
	"DeleteOrganization": {
		do: func(ctx context.Context, s DeveloperStore) error { return s.DeleteOrganization(ctx, "bare") },
		changes: []string{
			"organization bare", "settings bare", "member ann of bare", "member bob of bare", "member owner of bare",
			"memberships", "invitation bare", "invitations bare", "mail first of bare", "mail second of bare",
			"change done by ann at bare", "change done by bob at bare",
		},
	},
	"DeleteOrganizationOfApplications": {
		do:    func(ctx context.Context, s DeveloperStore) error { return s.DeleteOrganization(ctx, "acme") },
		fails: storage.ErrConflict,
	},
	"StopOrganization": {
		do: func(ctx context.Context, s DeveloperStore) error { return s.StopOrganization(ctx, "acme", stop(t0)) },
		changes: []string{
			"organization acme", "application sandbox red of acme", "application production red of acme",
			"application sandbox blue of acme", "application production blue of acme",
			"invitation acme", // nobody may accept one
		},
	},
	"StartOrganization": {
		do: func(ctx context.Context, s DeveloperStore) error {
			for _, id := range []string{"acme", "zeal"} {
				if err := s.StopOrganization(ctx, id, stop(t0)); err != nil {
					return err
				}
			}
			return s.StartOrganization(ctx, "acme", t0, "operator")
		},
		changes: []string{
			"organization zeal", "application sandbox red of zeal", "application production red of zeal",
			"application sandbox blue of zeal", "application production blue of zeal", "invitation zeal",
		},
	},
	"StartOrganizationThatRuns": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.StartOrganization(ctx, "acme", t0, "operator")
		},
		fails: storage.ErrChanged,
	},
	"AppendChange": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.AppendChange(ctx, storage.Change{OrganizationID: "acme", At: t0, UserID: "ann", What: "new"})
		},
		changes: []string{"change new at acme"},
	},
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
	"SetRole": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.SetRole(ctx, "acme", "ann", storage.RoleViewer)
		},
		changes: []string{"member ann of acme", "invitation acme by ann", "invitations acme"},
	},
	"SetRoleOfWhoIsNone": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.SetRole(ctx, "acme", "carol", storage.RoleViewer)
		},
		fails: storage.ErrNotFound,
	},
	"SetRoleToTheSame": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.SetRole(ctx, "acme", "ann", storage.RoleOwner)
		},
	},
	"RemoveMember": {
		do: func(ctx context.Context, s DeveloperStore) error { return s.RemoveMember(ctx, "acme", "ann") },
		changes: []string{
			"member ann of acme", "memberships ann", "invitation acme by ann", "invitations acme", "invitation acme by bob for ann",
		},
	},
	"RemoveMemberWhoIsNone": {
		do: func(ctx context.Context, s DeveloperStore) error { return s.RemoveMember(ctx, "acme", "owner of zeal") },
	},
	"EndMemberships": {
		do: func(ctx context.Context, s DeveloperStore) error { return s.EndMemberships(ctx, "ann", "someone") },
		changes: []string{
			"member ann", "memberships ann", "change done by ann", "maker sandbox red", "maker production red", "invitations",
			"invitation acme by ann", "invitation zeal by ann", "invitation bare by ann",
			"invitation acme by bob for ann", "invitation zeal by bob for ann", "invitation bare by bob for ann",
		},
	},
	"EndMembershipsOfOne": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.EndMemberships(ctx, "owner of acme", "someone")
		},
		changes: []string{
			"member owner of acme", "memberships owner of acme",
			"invitation acme by ann for owner of acme", "invitation acme by bob for owner of acme",
		},
	},
}

var invitationDeeds = map[string]deed[DeveloperStore]{
	"CreateInvitation": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.CreateInvitation(ctx, invitation("next", "acme"), many)
		},
		changes: []string{"invitations acme"},
	},
	"CreateInvitationOfWhoIsAnOwnerElsewhere": {
		do: func(ctx context.Context, s DeveloperStore) error {
			i := invitation("next", "acme")
			i.InvitedBy = "owner of zeal"
			return s.CreateInvitation(ctx, i, many)
		},
		fails: storage.ErrNotFound,
	},
	"CreateInvitationAsTheLast": { // those of others do not count
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.CreateInvitation(ctx, invitation("next", "acme"), 3)
		},
		changes: []string{"invitations acme"},
	},
	"AcceptInvitation": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return accept(ctx, s, "acme", "carol")
		},
		changes: []string{"invitation acme by ann", "invitations acme", "member carol of acme", "memberships carol"},
	},
	"AcceptInvitationToTheLastOrganization": { // whose turn it is in no order of tokens
		do: func(ctx context.Context, s DeveloperStore) error {
			return accept(ctx, s, "zeal", "carol")
		},
		changes: []string{"invitation zeal by ann", "invitations zeal", "member carol of zeal", "memberships carol"},
	},
	"RemoveInvitation": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.RemoveInvitation(ctx, "acme", digest("acme by ann"))
		},
		changes: []string{"invitation acme by ann", "invitations acme"},
	},
	"RemoveInvitationOfAnother": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.RemoveInvitation(ctx, "zeal", digest("acme by ann"))
		},
	},
}

// accept makes somebody a member by the invitation of ann.
func accept(ctx context.Context, s DeveloperStore, organization, who string) error {
	_, err := s.AcceptInvitation(ctx, digest(organization+" by ann"), who, t0, many)
	return err
}

// applicationDeeds has each way to save with the version of the application, of another,
// and of the same client elsewhere.
func applicationDeeds() map[string]deed[DeveloperStore] {
	all := map[string]deed[DeveloperStore]{
		"CreateApplication": {
			do: func(ctx context.Context, s DeveloperStore) error {
				return s.CreateApplication(ctx, application("new", "acme"), 3)
			},
			changes: []string{"applications"},
		},
		"SetHalt": {
			do: func(ctx context.Context, s DeveloperStore) error {
				return s.SetHalt(ctx, storage.Sandbox, "red of acme", storage.HaltNone, storage.HaltIdle)
			},
			changes: []string{"application sandbox red of acme"},
		},
		"SetHaltInPlaceOfAnother": {
			do: func(ctx context.Context, s DeveloperStore) error {
				return s.SetHalt(ctx, storage.Sandbox, "red of acme", storage.HaltAsked, storage.HaltIdle)
			},
			fails: storage.ErrChanged,
		},
		"SetDeleting": {
			do: func(ctx context.Context, s DeveloperStore) error {
				return s.SetDeleting(ctx, storage.Sandbox, "red of acme")
			},
			changes: []string{"applications", "application sandbox red of acme"},
		},
		"DeleteApplication": {
			do: func(ctx context.Context, s DeveloperStore) error {
				return s.DeleteApplication(ctx, storage.Sandbox, "red of acme")
			},
			changes: []string{
				"applications", "application sandbox red of acme", "maker sandbox red of acme", "fault red of acme",
				"line early sandbox red of acme", "line late sandbox red of acme",
				"day 2026-03-14 sandbox red of acme", "day 2026-03-15 sandbox red of acme",
			},
		},
		"DeleteApplicationElsewhere": {
			do: func(ctx context.Context, s DeveloperStore) error {
				return s.DeleteApplication(ctx, storage.Production, "red of acme")
			},
			changes: []string{
				"applications", "application production red of acme", "maker production red of acme",
				"line early production red of acme", "line late production red of acme",
				"day 2026-03-14 production red of acme", "day 2026-03-15 production red of acme",
			},
		},
		"SaveApplicationWithinWhatOthersTake": { // which is nine bytes with the two of its own
			do: func(ctx context.Context, s DeveloperStore) error {
				return savePictures(ctx, s, storage.Sandbox, 3, 10)
			},
			changes: []string{"application sandbox red of acme"},
		},
		"SaveApplicationWithinLess": {
			do: func(ctx context.Context, s DeveloperStore) error {
				return savePictures(ctx, s, storage.Sandbox, 3, 9)
			},
			fails: storage.ErrLimit,
		},
		"SaveApplicationWithinNothingThatDoesNotGrow": {
			do: func(ctx context.Context, s DeveloperStore) error {
				return savePictures(ctx, s, storage.Production, 3, 0)
			},
		},
		"DecideApplicationByAnOwnerElsewhere": {
			do: func(ctx context.Context, s DeveloperStore) error {
				return saveApplicationOf(ctx, s, storage.Sandbox, "red of acme", decide("owner of zeal"))
			},
			changes: []string{"application sandbox red of acme"},
		},
		"DecideApplicationByAMember": {
			do: func(ctx context.Context, s DeveloperStore) error {
				return saveApplicationOf(ctx, s, storage.Sandbox, "red of acme", decide("ann"))
			},
			fails: storage.ErrConflict,
		},
	}
	for name, save := range map[string]func(context.Context, DeveloperStore, storage.Application) error{
		"SaveApplication": func(ctx context.Context, s DeveloperStore, a storage.Application) error {
			return s.SaveApplication(ctx, a)
		},
		"SaveApplicationWithin": func(ctx context.Context, s DeveloperStore, a storage.Application) error {
			return s.SaveApplicationWithin(ctx, a, math.MaxInt64)
		},
		"DecideApplication": decide("operator"),
	} {
		maps.Copy(all, map[string]deed[DeveloperStore]{
			name: {
				do: func(ctx context.Context, s DeveloperStore) error {
					return saveApplicationOf(ctx, s, storage.Sandbox, "red of acme", save)
				},
				changes: []string{"application sandbox red of acme"},
			},
			name + "OfTheVersionOfAnother": {
				do: func(ctx context.Context, s DeveloperStore) error {
					return saveApplicationOf(ctx, s, storage.Sandbox, "blue of acme", save)
				},
				fails: storage.ErrChanged,
			},
			name + "OfTheVersionElsewhere": {
				do: func(ctx context.Context, s DeveloperStore) error {
					return saveApplicationOf(ctx, s, storage.Production, "red of acme", save)
				},
				fails: storage.ErrChanged,
			},
		})
	}
	return all
}

// savePictures saves how much the pictures of the red application take.
func savePictures(ctx context.Context, s DeveloperStore, environment string, bytes, most int64) error {
	a, err := s.Application(ctx, environment, "red of acme")
	if err != nil {
		return err
	}
	a.PictureBytes = bytes
	return s.SaveApplicationWithin(ctx, a, most)
}

func decide(who string) func(context.Context, DeveloperStore, storage.Application) error {
	return func(ctx context.Context, s DeveloperStore, a storage.Application) error {
		return s.DecideApplication(ctx, a, who)
	}
}

// saveApplicationOf saves the red application of the sandbox with the version of another.
func saveApplicationOf(ctx context.Context, s DeveloperStore, environment, client string, save func(context.Context, DeveloperStore, storage.Application) error) error {
	a, err := s.Application(ctx, storage.Sandbox, "red of acme")
	if err != nil {
		return err
	}
	read, err := s.Application(ctx, environment, client)
	if err != nil {
		return err
	}
	a.Name, a.Version = "New", read.Version
	return save(ctx, s, a)
}

var logDeeds = map[string]deed[DeveloperStore]{
	"AppendLog": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.AppendLog(ctx, []storage.LogEntry{line("red of acme", "new")})
		},
		changes: []string{"line new sandbox red of acme", "day 2026-03-14 sandbox red of acme"},
	},
	"TrimLog": {
		do: func(ctx context.Context, s DeveloperStore) error {
			_, err := s.TrimLog(ctx, storage.Sandbox, "red of acme", 1, 0, many)
			return err
		},
		changes: []string{"line early sandbox red of acme"},
	},
	"RemoveLogOfLines": {
		do: func(ctx context.Context, s DeveloperStore) error {
			_, err := s.RemoveLog(ctx, t0.Add(time.Hour), time.Time{}, many)
			return err
		},
		changes: []string{"line early"},
	},
	"RemoveLogOfDays": {
		do: func(ctx context.Context, s DeveloperStore) error {
			_, err := s.RemoveLog(ctx, time.Time{}, t0.AddDate(0, 0, 1), many)
			return err
		},
		changes: []string{"day 2026-03-14"},
	},
}

var trialDeeds = map[string]deed[DeveloperStore]{
	"SaveSandboxSettings": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return saveSettingsOf(ctx, s, "acme")
		},
		changes: []string{"settings acme"},
	},
	"SaveSandboxSettingsOfTheVersionOfAnother": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return saveSettingsOf(ctx, s, "zeal")
		},
		fails: storage.ErrChanged,
	},
	"SetFault": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.SetFault(ctx, storage.Fault{ClientID: "red of acme", Name: "broken", ExpiresAt: t0})
		},
		changes: []string{"fault red of acme"},
	},
	"SetNoFault": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.SetFault(ctx, storage.Fault{ClientID: "red of acme"})
		},
		changes: []string{"fault red of acme"},
	},
	"AppendMail": {
		do: func(ctx context.Context, s DeveloperStore) error {
			return s.AppendMail(ctx, storage.SandboxMail{OrganizationID: "zeal", At: t0, Content: []byte("third")}, 2)
		},
		changes: []string{"mail first of zeal", "mail third of zeal"},
	},
}

// saveSettingsOf saves the settings of one organization with the version of another.
func saveSettingsOf(ctx context.Context, s DeveloperStore, another string) error {
	read, err := s.SandboxSettings(ctx, another)
	if err != nil {
		return err
	}
	return s.SaveSandboxSettings(ctx, storage.SandboxSettings{OrganizationID: "acme", ClockOffset: 2, Version: read.Version})
}

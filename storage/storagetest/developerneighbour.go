package storagetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// The organizations, the developers and the applications of the neighbourhood. The last
// organization has no application, and carol no organization.
var (
	organizations = []string{"acme", "zeal", "bare"}
	developers    = []string{"ann", "bob", "carol", "owner of acme"}
	environments  = []string{storage.Sandbox, storage.Production}
)

// applicationsOf are those that an organization has in each environment.
func applicationsOf(organization string) []string {
	if organization == "bare" {
		return nil
	}
	return []string{"red of " + organization, "blue of " + organization}
}

// pictureBytes are of one application more than of another, and fewer than of a third.
var pictureBytes = map[string]int64{"sandbox red": 2, "production red": 3, "sandbox blu": 3, "production blu": 1}

// fillDevelopers makes two of everything that the dashboard keeps, as equal as they may be.
func fillDevelopers(t *testing.T, store DeveloperStore) {
	t.Helper()
	ctx := t.Context()
	for _, organization := range organizations {
		createOrganization(t, store, organization)
		ok(t, store.SaveSandboxSettings(ctx, storage.SandboxSettings{OrganizationID: organization, ClockOffset: 1}))
		for _, who := range []string{"ann", "bob"} {
			join(t, store, organization, who, storage.RoleOwner, t0)
			i := invitation(organization+" by "+who, organization)
			i.InvitedBy = who
			ok(t, store.CreateInvitation(ctx, i, many))
			token := registrationToken(organization+" by "+who, organization)
			token.MadeBy = who
			ok(t, store.CreateRegistrationToken(ctx, token, many))
			ok(t, store.AppendChange(ctx, storage.Change{OrganizationID: organization, At: t0, UserID: who, What: "done by " + who}))
		}
		for _, client := range applicationsOf(organization) {
			for _, environment := range environments {
				a := application(client, organization)
				a.Environment, a.PictureBytes = environment, pictureBytes[environment+" "+client[:3]]
				a.CreatedBy = map[string]string{"red": "ann", "blu": "bob"}[client[:3]]
				ok(t, store.CreateApplication(ctx, a, many))
				early, late := line(client, "early"), line(client, "late")
				early.Environment, late.Environment, late.At = environment, environment, t0.AddDate(0, 0, 1)
				early.RequestID, late.RequestID = environment, environment
				ok(t, store.AppendLog(ctx, []storage.LogEntry{early, late}))
			}
			ok(t, store.SetFault(ctx, storage.Fault{ClientID: client, Name: "slow", ExpiresAt: t0}))
		}
	}
	for _, when := range []string{"first", "second"} { // so that those of all take turns
		for _, organization := range organizations {
			ok(t, store.AppendMail(ctx, storage.SandboxMail{OrganizationID: organization, At: t0, Content: []byte(when)}, many))
		}
	}
}

// lookDevelopers names everything that fillDevelopers has made.
func lookDevelopers(ctx context.Context, store DeveloperStore) map[string]string {
	all := map[string]string{}
	for _, organization := range organizations {
		lookOrganization(ctx, store, organization, all)
		for _, client := range applicationsOf(organization) {
			for _, environment := range environments {
				lookApplication(ctx, store, environment, client, all)
			}
			all["fault "+client] = seen(store.Fault(ctx, client))
		}
	}
	found, err := store.Applications(ctx, storage.ApplicationFilter{})
	all["applications"] = fmt.Sprint(len(found), err)
	for _, who := range developers {
		memberships, err := store.Memberships(ctx, who)
		all["memberships "+who] = fmt.Sprint(len(memberships), err)
	}
	return all
}

func lookOrganization(ctx context.Context, store DeveloperStore, id string, all map[string]string) {
	o, err := store.Organization(ctx, id)
	o.Version = 0
	all["organization "+id] = seen(o, err)
	settings, err := store.SandboxSettings(ctx, id)
	settings.Version = 0
	all["settings "+id] = seen(settings, err)
	members, err := store.Members(ctx, id)
	all["members "+id] = fmt.Sprint(err)
	for _, m := range members {
		all["member "+m.UserID+" of "+id] = seen(m, nil)
	}
	open, err := store.Invitations(ctx, storage.TokenFilter{OrganizationID: id, Now: t0})
	all["invitations "+id] = fmt.Sprint(len(open), err)
	tokens, err := store.RegistrationTokens(ctx, storage.TokenFilter{OrganizationID: id, Now: t0})
	all["registrations "+id] = fmt.Sprint(len(tokens), err)
	for _, by := range []string{"ann", "bob"} {
		name := id + " by " + by
		all["registration "+name] = seen(storage.One(store.RegistrationTokens(ctx, storage.TokenFilter{Token: digest(name)})))
		all["invitation "+name] = seen(storage.One(store.Invitations(ctx, storage.TokenFilter{Token: digest(name)})))
		for _, who := range developers { // nobody has room for it, so that it is not spent
			_, err := store.AcceptInvitation(ctx, digest(name), who, t0, 0)
			all["invitation "+name+" for "+who] = fmt.Sprint(err)
		}
	}
	changes, err := store.Changes(ctx, storage.ChangeFilter{OrganizationID: id})
	all["changes "+id] = fmt.Sprint(err)
	for _, c := range changes {
		c.ID = 0
		all["change "+c.What+" at "+id] = seen(c, nil)
	}
	mails, err := store.Mails(ctx, id, many)
	all["mails "+id] = fmt.Sprint(err)
	for _, m := range mails {
		all["mail "+string(m.Content)+" of "+id] = fmt.Sprint(m.At)
	}
}

func lookApplication(ctx context.Context, store DeveloperStore, environment, client string, all map[string]string) {
	name := environment + " " + client
	a, err := store.Application(ctx, environment, client)
	all["maker "+name] = a.CreatedBy
	a.Version, a.CreatedBy = 0, ""
	all["application "+name] = seen(a, err)
	lines, err := store.Log(ctx, storage.LogFilter{Environment: environment, ClientID: client})
	all["log "+name] = fmt.Sprint(err)
	for _, l := range lines {
		all["line "+l.Cause+" "+name] = fmt.Sprint(l.At, " ", l.RequestID)
	}
	days, err := store.LogDays(ctx, environment, client, t0)
	all["days "+name] = fmt.Sprint(err)
	for _, d := range days {
		all["day "+d.Day.Format(time.DateOnly)+" "+name] = fmt.Sprint(d)
	}
}

package service

import (
	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// What strangers choose: names of applications and organizations, and what a log has of them.
var (
	foul = ApplicationRow{
		Name: audiencetest.Hostile, ID: audiencetest.LongID, URL: "/desk/applications/c1", Organization: audiencetest.Endless,
		States: []State{StateSuspended, StateUnreviewed, StateWaiting},
	}
	endless = ApplicationRow{Name: audiencetest.Endless, ID: "c1", URL: "/desk/applications/c1", Organization: audiencetest.Hostile, States: []State{StateActive}}
)

var hostileFixtures = []audiencetest.Fixture{
	{Name: "applications-hostile", Render: func(p ui.Page) templ.Component {
		return Applications(ApplicationsView{
			Page: page(p, desk.SectionApplications), SearchURL: "/desk/applications", Search: audiencetest.Hostile, Rows: []ApplicationRow{foul, endless},
		})
	}},
	{Name: "application-hostile", Render: func(p ui.Page) templ.Component {
		return ApplicationScreen(ApplicationView{
			Page: page(p, desk.SectionApplications), ApplicationRow: foul, ListURL: "/desk/applications", OrganizationURL: museum.URL, Reason: audiencetest.Hostile,
			Owners: []string{audiencetest.LongID, "c2"}, Kind: "web", Redirects: []string{"https://" + audiencetest.LongID + ".example/" + audiencetest.LongID},
			Scopes: []string{audiencetest.LongID, "openid"}, Requests: counted(SeriesRequests, 1_000_000), Errors: counted(SeriesErrors), Days: days,
			TrailURL: "/desk/trail", Acts: []Act{{"stop_application", "/desk/applications/c1/do/stop_application"}},
		})
	}},
	{Name: "organization-hostile", Render: func(p ui.Page) templ.Component {
		return OrganizationScreen(OrganizationView{
			Page: page(p, desk.SectionOrganizations), OrganizationRow: OrganizationRow{Name: audiencetest.Endless, ID: audiencetest.LongID, URL: museum.URL, Applications: 100_000},
			ListURL: "/desk/organizations", Created: audiencetest.Now, Reason: audiencetest.Hostile, SuspendedAt: audiencetest.Now,
			Members: []Member{{audiencetest.LongID, RoleOwner, audiencetest.Now}}, Apps: []ApplicationRow{foul, endless},
		})
	}},
	{Name: "trail-hostile", Render: func(p ui.Page) templ.Component {
		return Trail(TrailView{
			Page: page(p, desk.SectionTrail), URL: "/desk/trail", Filtered: true, Filter: TrailFilter{Person: audiencetest.LongID, Application: audiencetest.Hostile},
			Lines: []Line{{
				At: audiencetest.Now, Event: "registration_access_token_refused", Detail: audiencetest.Hostile, Person: audiencetest.LongID, Application: audiencetest.LongID,
				Staff: "staff:" + audiencetest.Endless, Matter: audiencetest.LongID, Network: "2001:db8:ffff::/48",
				EventURL: "?event=c1", PersonURL: "?person=c1", ApplicationURL: "?application=c1", StaffURL: "?staff=c1", MatterURL: "?matter=c1",
			}},
		})
	}},
	{Name: "looks-hostile", Render: func(p ui.Page) templ.Component {
		return Looks(LooksView{
			Page: page(p, desk.SectionLooks), Form: audiencetest.Form(), URL: "/desk/looks", Staff: audiencetest.Hostile,
			Days: []LookDay{{Day: audiencetest.Now, Staff: audiencetest.Endless, Looks: []Look{{
				Matter: audiencetest.LongID, URL: "/desk/trail", Person: audiencetest.LongID, Reason: ui.Label{Text: audiencetest.Endless, Lang: ui.Undetermined},
				At: audiencetest.Now, Parts: []string{"account", "factors", "sessions", "applications", "groups", "cases", "history", "actions"},
				Acts: []string{"account_disabled", "sessions_ended"}, WithheldUntil: audiencetest.Now, MayRelease: true, Note: audiencetest.Hostile,
			}}}},
		})
	}},
}

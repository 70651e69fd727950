package service

import (
	"slices"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// page is a page of the desk around a sample page.
func page(p ui.Page, current desk.Section) Page {
	p.Client = ui.Client{}
	d := desk.Page{Page: p, HomeURL: "/desk/", Account: audiencetest.Ada, AccountURL: "/account"}
	for _, area := range desk.Areas() {
		one := desk.AreaLink{Area: area.Area, Current: slices.Contains(area.Sections, current)}
		for _, s := range area.Sections {
			one.Sections = append(one.Sections, desk.SectionLink{Section: s, URL: "/desk/" + string(s), Current: s == current})
		}
		d.Areas = append(d.Areas, one)
	}
	return d
}

var (
	shop   = ApplicationRow{Name: "Shop", ID: "museum", URL: "/desk/applications/museum", Organization: "Museum", States: []State{StateActive, StateUnreviewed}}
	museum = OrganizationRow{Name: "Museum", ID: "museum", URL: "/desk/organizations/museum", Applications: -1}
	days   = func() (all []time.Time) {
		for i := range 30 {
			all = append(all, audiencetest.Day(2026, time.February, 11).AddDate(0, 0, i))
		}
		return all
	}()
)

// counted is a series of some days.
func counted(name SeriesName, counts ...int) Series {
	return Series{Name: name, Counts: append(counts, make([]int, 30-len(counts))...)}
}

var fixtures = slices.Concat(applicationFixtures, hostFixtures, receiverFixtures, serviceFixtures, recordFixtures, hostileFixtures)

var applicationFixtures = []audiencetest.Fixture{
	{Name: "applications", Render: func(p ui.Page) templ.Component {
		host := ApplicationRow{Name: "Ada", ID: "c1", URL: "/desk/applications/c1", States: []State{StateDisabled}}
		return Applications(ApplicationsView{
			Page: page(p, desk.SectionApplications), SearchURL: "/desk/applications", AllURL: "?all=1", Rows: []ApplicationRow{shop, host}, MoreURL: "?after=c1",
		})
	}},
	{Name: "applications-none", Render: func(p ui.Page) templ.Component {
		return Applications(ApplicationsView{Page: page(p, desk.SectionApplications), SearchURL: "/desk/applications", NameURL: "/desk/applications"})
	}},
	{Name: "applications-not-found", Render: func(p ui.Page) templ.Component {
		return Applications(ApplicationsView{Page: page(p, desk.SectionApplications), SearchURL: "/desk/applications", Search: "Museum"})
	}},
	{Name: "application", Render: func(p ui.Page) templ.Component {
		return ApplicationScreen(ApplicationView{
			Page: page(p, desk.SectionApplications), ApplicationRow: shop, ListURL: "/desk/applications", OrganizationURL: museum.URL,
			Owners: []string{"Ada"}, Kind: "web", Redirects: []string{"https://riverbikes.example/terms"}, Scopes: []string{"openid", "login"},
			Secrets: []Secret{
				{Created: audiencetest.Day(2026, time.March, 1), Used: audiencetest.Now},
				{Created: audiencetest.Day(2024, time.March, 1), Ends: audiencetest.Day(2026, time.March, 13), Old: true},
			},
			Requests: counted(SeriesRequests, 2, 17, 1), Errors: counted(SeriesErrors, 0, 1), Days: days,
			TrailURL: "/desk/trail?application=museum", ReviewURL: "/developer/review/production/museum",
			Acts: []Act{{"stop_application", "/desk/applications/museum/do/stop_application"}, {"take_scopes", "/desk/applications/museum/do/take_scopes"}},
		})
	}},
	{Name: "application-stopped", Render: func(p ui.Page) templ.Component {
		stopped := shop
		stopped.States, stopped.Organization = []State{StateStopped}, ""
		return ApplicationScreen(ApplicationView{
			Page: page(p, desk.SectionApplications), ApplicationRow: stopped, ListURL: "/desk/applications", Reason: "Museum", TrailURL: "/desk/trail", Days: days,
			Requests: counted(SeriesRequests), Errors: counted(SeriesErrors),
		})
	}},
	{Name: "application-ownerless", Render: func(p ui.Page) templ.Component {
		return ApplicationScreen(ApplicationView{
			Page: page(p, desk.SectionApplications), ApplicationRow: shop, ListURL: "/desk/applications", OrganizationURL: museum.URL, TrailURL: "/desk/trail", Days: days,
			Requests: counted(SeriesRequests, 1), Errors: counted(SeriesErrors),
		})
	}},
	{Name: "organizations", Render: func(p ui.Page) templ.Component {
		ownerless, suspended := museum, museum
		ownerless.States, ownerless.Applications = []State{StateOwnerless}, 2
		suspended.States = []State{StateSuspended}
		return Organizations(OrganizationsView{
			Page: page(p, desk.SectionOrganizations), SearchURL: "/desk/organizations", Search: "Museum", Found: []OrganizationRow{museum}, FoundMoreURL: "?found_after=c1",
			Ownerless: []OrganizationRow{ownerless}, OwnerlessMoreURL: "?ownerless_after=c1", Suspended: []OrganizationRow{suspended}, SuspendedMoreURL: "?suspended_after=c1",
		})
	}},
	{Name: "organizations-none", Render: func(p ui.Page) templ.Component {
		return Organizations(OrganizationsView{Page: page(p, desk.SectionOrganizations), SearchURL: "/desk/organizations", Search: "Shop"})
	}},
	{Name: "organizations-no-dashboard", Render: func(p ui.Page) templ.Component {
		return Organizations(OrganizationsView{Page: page(p, desk.SectionOrganizations), NoDashboard: true})
	}},
	{Name: "organization", Render: func(p ui.Page) templ.Component {
		return OrganizationScreen(OrganizationView{
			Page: page(p, desk.SectionOrganizations), OrganizationRow: museum, ListURL: "/desk/organizations",
			Created: audiencetest.Day(2026, time.March, 1), SuspendedAt: audiencetest.Now, Reason: "Museum",
			Members: []Member{
				{"Ada", RoleOwner, audiencetest.Now}, {"c1", RoleDeveloper, audiencetest.Now}, {"c2", RoleViewer, audiencetest.Now},
			},
			Apps: []ApplicationRow{shop}, MoreURL: "?after=c1", Acts: []Act{{"suspend_organization", "/desk/organizations/museum/do/suspend_organization"}},
		})
	}},
	{Name: "organization-empty", Render: func(p ui.Page) templ.Component {
		return OrganizationScreen(OrganizationView{
			Page: page(p, desk.SectionOrganizations), OrganizationRow: museum, ListURL: "/desk/organizations", Created: audiencetest.Day(2026, time.March, 1),
		})
	}},
	{Name: "reviews", Render: func(p ui.Page) templ.Component {
		return Reviews(ReviewsView{Page: page(p, desk.SectionReviews), Rows: []ApplicationRow{shop}, MoreURL: "?after=c1"})
	}},
	{Name: "reviews-none", Render: func(p ui.Page) templ.Component {
		return Reviews(ReviewsView{Page: page(p, desk.SectionReviews)})
	}},
}

var serviceFixtures = []audiencetest.Fixture{
	{Name: "keys", Render: func(p ui.Page) templ.Component {
		key := func(id string, turn Turn) Key {
			return Key{ID: id, Alg: "ES256", Turn: turn, Created: audiencetest.Day(2026, time.March, 1), From: audiencetest.Now, Until: audiencetest.Now, Published: audiencetest.Now}
		}
		return Keys(KeysView{
			Page: page(p, desk.SectionKeys), Keys: []Key{key("c1", TurnFormer), key("c2", TurnSigns), key("c3", TurnNext)},
			Acts: []Act{{"rotate_keys", "/desk/service/do/rotate_keys"}, {"revoke_keys", "/desk/service/do/revoke_keys"}, {"revoke_before", "/desk/service/do/revoke_before"}},
		})
	}},
	{Name: "keys-host", Render: func(p ui.Page) templ.Component {
		return Keys(KeysView{Page: page(p, desk.SectionKeys), Keys: []Key{{ID: "c1", Alg: "RS256", Turn: TurnSigns}}, Host: true})
	}},
	{Name: "health", Render: func(p ui.Page) templ.Component {
		v := HealthView{Page: page(p, desk.SectionHealth), CountedAt: audiencetest.Now, Settings: []Setting{
			{"BaseURL", "/account", true}, {"Secret", "", true}, {"Signer", "", false},
		}}
		for i, c := range []Check{CheckDatabase, CheckBackground, CheckMail, CheckQueue, CheckSealed, CheckVerified, CheckAnchor, CheckSchema, CheckVersion, CheckGo} {
			one := Checked{Check: c, At: audiencetest.Now, Wrong: i%4 == 1}
			if i%3 == 0 {
				one.At, one.Value = time.Time{}, "17"
			}
			if c == CheckAnchor {
				one.Value = ""
			}
			v.Checks = append(v.Checks, one)
		}
		for _, c := range []Count{
			CountAccounts, CountDisabled, CountSessions, CountGrants, CountEvents, CountApplications, CountOrganizations, CountCases, CountPlans, CountBreaks,
		} {
			v.Report = append(v.Report, Counted{c, 17})
		}
		return Health(v)
	}},
	{Name: "health-new", Render: func(p ui.Page) templ.Component {
		return Health(HealthView{Page: page(p, desk.SectionHealth), Checks: []Checked{{Check: CheckBackground, Wrong: true}, {Check: CheckSealed}}})
	}},
	{Name: "numbers", Render: func(p ui.Page) templ.Component {
		return Numbers(NumbersView{Page: page(p, desk.SectionNumbers), Days: days, Series: []Series{
			counted(SeriesSignIns, 2, 17, 1), counted(SeriesFailures, 1), counted(SeriesSignUps, 2), counted(SeriesConsents, 1), counted(SeriesDeleted), counted(SeriesLooks, 1, 2),
		}})
	}},
}

var recordFixtures = []audiencetest.Fixture{
	{Name: "trail", Render: func(p ui.Page) templ.Component {
		return Trail(TrailView{
			Page: page(p, desk.SectionTrail), URL: "/desk/trail", Filtered: true, Filter: TrailFilter{Event: "c1", From: "2026-03-12", Until: "2026-03-12"},
			Lines: []Line{
				{At: audiencetest.Now, Event: "c1", Detail: "Museum", Person: "Ada", Application: "museum", Staff: "c2", Matter: "c3", Network: "c4",
					EventURL: "?event=c1", PersonURL: "?person=Ada", ApplicationURL: "?application=museum", StaffURL: "?staff=c2", MatterURL: "?matter=c3", NetworkURL: "?network=c4"},
				{At: audiencetest.Now, Event: "c2", EventURL: "?event=c2", Network: "c4"},
			},
			EarlierURL: "?after=c1", CSVURL: "/desk/trail.csv", JSONURL: "/desk/trail.jsonl", PlanURL: "/desk/plans/new?lines=c1",
		})
	}},
	{Name: "trail-none", Render: func(p ui.Page) templ.Component {
		return Trail(TrailView{Page: page(p, desk.SectionTrail), URL: "/desk/trail", Wrong: FieldNetwork, Filter: TrailFilter{Network: "c4"}})
	}},
	{Name: "looks", Render: func(p ui.Page) templ.Component {
		return Looks(LooksView{
			Page: page(p, desk.SectionLooks), Form: audiencetest.Form(), URL: "/desk/looks", Staff: "Ada", EarlierURL: "?after=c1",
			Days: []LookDay{{Day: audiencetest.Day(2026, time.March, 12), Staff: "Ada", Looks: []Look{
				{Matter: "c1", URL: "/desk/trail?matter=c1", Person: "c2", Reason: ui.Label{Text: "login"}, At: audiencetest.Now, Parts: []string{"login"}, Acts: []string{"c3"}},
				{Matter: "c4", URL: "/desk/trail?matter=c4", Person: "c2", Reason: ui.Label{Text: "login"}, At: audiencetest.Now, WithheldUntil: audiencetest.Day(2026, time.May, 1), MayRelease: true, Note: "login"},
			}}},
		})
	}},
	{Name: "looks-none", Render: func(p ui.Page) templ.Component {
		return Looks(LooksView{Page: page(p, desk.SectionLooks), Form: audiencetest.Form(), URL: "/desk/looks"})
	}},
}

package developer

import (
	"slices"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// page is a page of the dashboard around a sample page.
func page(p ui.Page, sections ...Section) Page {
	p.Client = ui.Client{}
	d := Page{
		Page: p, HomeURL: "/developer/", DocsURL: "/developer/docs", Account: audiencetest.Ada, AccountURL: "/account",
	}
	for i, s := range sections {
		d.Sections = append(d.Sections, SectionLink{s, "/developer/o/1/" + string(s), i == 0})
	}
	return d
}

// organizationPage is a page of an organization.
func organizationPage(p ui.Page, current Section) Page {
	d := page(p, SectionApplications, SectionMembers, SectionPersonas, SectionInbox, SectionActivity, SectionOrganization)
	for i := range d.Sections {
		d.Sections[i].Current = d.Sections[i].Section == current
	}
	d.Trail = []Link{{"River Bikes", "/developer/o/1"}}
	return d
}

// applicationPage is a page of an application in the sandbox.
func applicationPage(p ui.Page, current Section) Page {
	d := page(p, SectionOverview, SectionSettings, SectionSecrets, SectionBranding, SectionSamples,
		SectionTry, SectionLog, SectionNumbers, SectionFaults, SectionAccess)
	for i := range d.Sections {
		d.Sections[i].Current = d.Sections[i].Section == current
	}
	d.Trail = []Link{{"River Bikes", "/developer/o/1"}, {"Shop", "/developer/o/1/sandbox/c1"}}
	d.Environment, d.SandboxURL, d.ProductionURL = Sandbox, "/developer/o/1/sandbox", "/developer/o/1/production"
	return d
}

// inProduction is the same page in the other environment.
func inProduction(d Page) Page {
	d.Environment = Production
	return d
}

// noticed is a page on which something has just happened.
func noticed(d Page, n Notice) Page {
	d.Notice = n
	return d
}

var organizationFixtures = []audiencetest.Fixture{
	{Name: "home", Render: func(p ui.Page) templ.Component {
		return Home(HomeView{
			Page: page(p), CreateURL: "/developer/new", ReviewsURL: "/developer/review",
			Organizations: []Organization{
				{"River Bikes", "/developer/o/1", RoleOwner, false}, {"Lovelace & Co", "/developer/o/2", RoleDeveloper, false},
				{"Museum", "/developer/o/3", RoleViewer, true},
			},
		})
	}},
	{Name: "welcome", Render: func(p ui.Page) templ.Component {
		d := page(p)
		d.Account, d.AccountURL = ui.Account{}, ""
		return Welcome(WelcomeView{Page: d, StartURL: "/developer/start", Personas: true})
	}},
	{Name: "home-empty", Render: func(p ui.Page) templ.Component {
		return Home(HomeView{Page: page(p), CreateURL: "/developer/new"})
	}},
	{Name: "home-live", Render: func(p ui.Page) templ.Component {
		return Home(HomeView{Page: page(p), CreateURL: "/developer/new", Live: true})
	}},
	{Name: "organization-new", Render: func(p ui.Page) templ.Component {
		return OrganizationForm(OrganizationView{
			Page: page(p), Form: audiencetest.Form(ui.Problem{Code: ui.NameMissing}), New: true,
		})
	}},
	{Name: "organization", Render: func(p ui.Page) templ.Component {
		return OrganizationForm(OrganizationView{
			Page: noticed(organizationPage(p, SectionOrganization), NoticeSaved), Form: audiencetest.Form(),
			Name: "River Bikes", Contact: audiencetest.Ada.Email, Version: "v1", Kept: "River Bikes", MayChange: true, MayDelete: true,
		})
	}},
	{Name: "organization-viewer", Render: func(p ui.Page) templ.Component {
		return OrganizationForm(OrganizationView{
			Page: organizationPage(p, SectionOrganization), Form: audiencetest.Form(), Name: "River Bikes",
		})
	}},
	{Name: "applications", Render: func(p ui.Page) templ.Component {
		d := applicationPage(p, "")
		d.Trail, d.Sections = d.Trail[:1], organizationPage(p, SectionApplications).Sections
		return Applications(ApplicationsView{
			Page: d, SearchURL: "/developer/o/1/sandbox", RegisterURL: "/developer/o/1/sandbox/new", MoreURL: "?after=c3",
			Applications: []Application{
				{Name: "Shop", LogoURL: "sample/client.svg", URL: "/c1", ClientID: "c1", Kind: "web", Dialect: "standard"},
				{Name: "Till", URL: "/c2", ClientID: "c2", Kind: "native", Dialect: "v3", Disabled: true},
				{Name: "Workshop", URL: "/c3", ClientID: "c3", Kind: "spa", Dialect: "standard", Unreviewed: true},
				{Name: "Yard", URL: "/c4", ClientID: "c4", Kind: "web", Incomplete: true},
				{Name: "Zoo", URL: "/c5", ClientID: "c5", Kind: "web", Deleting: true},
			},
		})
	}},
	{Name: "applications-suspended", Render: func(p ui.Page) templ.Component {
		d := inProduction(applicationPage(p, ""))
		d.Trail, d.Sections = d.Trail[:1], organizationPage(p, SectionApplications).Sections
		d.Suspension = &Suspension{Since: audiencetest.Now, Reason: "Its applications pass for those of a bank."}
		return Applications(ApplicationsView{
			Page: d, Applications: []Application{{Name: "Till", URL: "/c2", ClientID: "c2", Kind: "native", Dialect: "v3", Disabled: true}},
		})
	}},
	{Name: "applications-none", Render: func(p ui.Page) templ.Component {
		d := inProduction(applicationPage(p, ""))
		d.Trail, d.Sections = d.Trail[:1], organizationPage(p, SectionApplications).Sections
		return Applications(ApplicationsView{Page: d, RegisterURL: "/developer/o/1/sandbox/new", DocumentURL: "/developer/o/1/sandbox/document"})
	}},
	{Name: "applications-not-found", Render: func(p ui.Page) templ.Component {
		return Applications(ApplicationsView{
			Page: organizationPage(p, SectionApplications), SearchURL: "/developer/o/1/sandbox", Search: "shop", TokensURL: "/developer/o/1/sandbox/tokens",
		})
	}},
	{Name: "members", Render: func(p ui.Page) templ.Component {
		return Members(MembersView{
			Page: organizationPage(p, SectionMembers), Form: audiencetest.Form(), MayChange: true,
			Members: []Member{
				{"u1", audiencetest.Ada, RoleOwner, audiencetest.Now.Add(-40 * 24 * time.Hour), true},
				{"u2", ui.Account{Name: "Grace Hopper", Email: "grace@example.com"}, RoleViewer, audiencetest.Now.Add(-2 * 24 * time.Hour), false},
			},
			Invitations: []Invitation{
				{"i1", "alan@example.com", audiencetest.Ada.Email, RoleDeveloper, audiencetest.Now.Add(5 * 24 * time.Hour)},
				{"i2", "", "", RoleViewer, audiencetest.Now.Add(6 * 24 * time.Hour)},
			},
			Link: "https://id.example/developer/join#Xk3", LinkFor: "alan@example.com",
		})
	}},
	{Name: "members-link", Render: func(p ui.Page) templ.Component {
		return Members(MembersView{
			Page: organizationPage(p, SectionMembers), Form: audiencetest.Form(), MayChange: true, Link: "https://id.example/developer/join/XK3",
		})
	}},
	{Name: "members-viewer", Render: func(p ui.Page) templ.Component {
		return Members(MembersView{
			Page: organizationPage(p, SectionMembers), Form: audiencetest.Form(),
			Members: []Member{{"u1", audiencetest.Ada, RoleViewer, audiencetest.Now.Add(-40 * 24 * time.Hour), true}},
			NoOwner: true, NoOwnerKnown: true,
		})
	}},
	{Name: "registration", Render: func(p ui.Page) templ.Component {
		return RegistrationTokens(RegistrationTokensView{
			Page: organizationPage(p, SectionApplications), Form: audiencetest.Form(), MayMake: true, Name: "Deployments", Hosts: "app.example", Count: 10, Days: 30,
			New: "XK3W7QZP2M", Endpoint: "https://id.example/oauth/register",
			Tokens: []RegistrationToken{
				{"t1", "Deployments", []string{"app.example", "*.app.example"}, 10, audiencetest.Ada.Email, audiencetest.Now.Add(5 * 24 * time.Hour)},
				{"t2", "Command line", nil, 1, "", audiencetest.Now.Add(24 * time.Hour)},
			},
		})
	}},
	{Name: "invitation", Render: func(p ui.Page) templ.Component {
		return InvitationScreen(InvitationView{
			Page: page(p), Form: audiencetest.Form(), Organization: "River Bikes", Role: RoleDeveloper,
		})
	}},
	{Name: "invitation-other", Render: func(p ui.Page) templ.Component {
		return InvitationScreen(InvitationView{Page: page(p), Other: true})
	}},
	{Name: "invitation-gone", Render: func(p ui.Page) templ.Component {
		return InvitationScreen(InvitationView{Page: page(p), Gone: true})
	}},
	{Name: "activity", Render: func(p ui.Page) templ.Component {
		return Activity(ActivityView{
			Page: organizationPage(p, SectionActivity), EarlierURL: "?before=3",
			Changes: []Change{
				{audiencetest.Now, audiencetest.Ada.Email, false, "organization.change", "", []ChangedField{{Name: "name", Before: "River", After: "River Bikes"}}},
				{audiencetest.Now.Add(-time.Hour), "", false, "member.role", "Shop", []ChangedField{{Name: "role", After: "owner"}}},
				{audiencetest.Now.Add(-2 * time.Hour), audiencetest.Ada.Email, false, "application.change", "Shop", []ChangedField{
					{Name: "redirect_uris", Added: []string{"https://riverbikes.example/new"}, Removed: []string{"https://riverbikes.example/old"}, Cut: 3},
					{Name: "logo"}, {Name: "wordmark", After: "on"}, {Name: "wordmark_dark", Before: "on"}, {Name: "tos_uri", Before: "https://riverbikes.example/terms"},
				}},
				{audiencetest.Now.Add(-150 * time.Minute), "", true, "application.register", "Shop", []ChangedField{{Name: "registration_token", After: "Deployments"}}},
				{audiencetest.Now.Add(-3 * time.Hour), audiencetest.Ada.Email, false, "application.copy", "Shop", []ChangedField{
					{Name: "copy_of", After: "test_sh0p"}, {Name: "client_id", After: "prod_sh0p"}, {Name: "grant_types", Added: []string{"authorization_code", "refresh_token"}},
				}},
			},
		})
	}},
	{Name: "activity-empty", Render: func(p ui.Page) templ.Component {
		return Activity(ActivityView{Page: organizationPage(p, SectionActivity)})
	}},
}

var sandboxFixtures = []audiencetest.Fixture{
	{Name: "personas", Render: func(p ui.Page) templ.Component {
		return Personas(PersonasView{
			Page: organizationPage(p, SectionPersonas), Form: audiencetest.Form(ui.Problem{Field: FieldPersonas, Text: "line 3: a comma is missing"}),
			MayChange: true, Own: true, Version: "v1", Text: `[{"name": "veteran"}]`,
			Personas: []Persona{
				{"veteran", p.Locale.OrEnglish().Word("Maria – verified veteran"), "persona:veteran", "veteran@acme.sandbox.test"},
				{"plain", ui.Label{}, "persona:plain", "plain@acme.sandbox.test"},
			},
		})
	}},
	{Name: "inbox", Render: func(p ui.Page) templ.Component {
		return Inbox(InboxView{
			Page: organizationPage(p, SectionInbox), Example: "anybody@acme.sandbox.test",
			Mails: []Mail{{audiencetest.Now, "veteran@acme.sandbox.test", "Your code", "The code is 12345678."}},
		})
	}},
	{Name: "clock", Render: func(p ui.Page) templ.Component {
		return Clock(ClockView{
			Page: organizationPage(p, SectionClock), Form: audiencetest.Form(), Now: audiencetest.Now, Moved: 25 * time.Hour, Version: "v1", MayChange: true,
		})
	}},
	{Name: "clock-days", Render: func(p ui.Page) templ.Component {
		return Clock(ClockView{Page: organizationPage(p, SectionClock), Now: audiencetest.Now, Moved: 72 * time.Hour})
	}},
	{Name: "clock-still", Render: func(p ui.Page) templ.Component {
		return Clock(ClockView{Page: organizationPage(p, SectionClock), Now: audiencetest.Now})
	}},
	{Name: "faults", Render: func(p ui.Page) templ.Component {
		var all []string
		for name := range textOf(p.Locale.OrEnglish()).Sandbox.FaultNames {
			all = append(all, name)
		}
		slices.Sort(all)
		return Faults(FaultsView{
			Page: applicationPage(p, SectionFaults), Form: audiencetest.Form(), Faults: all, Fault: "token_slow", Until: audiencetest.Now, MayChange: true,
		})
	}},
	{Name: "inbox-empty", Render: func(p ui.Page) templ.Component {
		return Inbox(InboxView{Page: organizationPage(p, SectionInbox), Example: "anybody@acme.sandbox.test"})
	}},
}

// fixtures are the pages of the dashboard.
var fixtures = slices.Concat(organizationFixtures, registrationFixtures, docsFixtures, samplesFixtures, sandboxFixtures, webhooksFixtures,
	productionFixtures, brandingFixtures, logFixtures, tryFixtures)

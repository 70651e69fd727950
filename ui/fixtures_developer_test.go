package ui

import (
	"slices"
	"time"

	"github.com/a-h/templ"
)

// developerPage is a page of the dashboard around a sample page.
func developerPage(p Page, sections ...DeveloperSection) DeveloperPage {
	p.Client = Client{}
	d := DeveloperPage{
		Page: p, HomeURL: "/developer/", DocsURL: "/developer/docs", Account: ada, AccountURL: "/account",
	}
	for i, s := range sections {
		d.Sections = append(d.Sections, DeveloperSectionLink{s, "/developer/o/1/" + string(s), i == 0})
	}
	return d
}

// organizationPage is a page of an organization.
func organizationPage(p Page, current DeveloperSection) DeveloperPage {
	d := developerPage(p, SectionApplications, SectionMembers, SectionPersonas, SectionInbox, SectionActivity, SectionOrganization)
	for i := range d.Sections {
		d.Sections[i].Current = d.Sections[i].Section == current
	}
	d.Trail = []DeveloperLink{{"River Bikes", "/developer/o/1"}}
	return d
}

// applicationPage is a page of an application in the sandbox.
func applicationPage(p Page, current DeveloperSection) DeveloperPage {
	d := developerPage(p, SectionOverview, SectionSettings, SectionSecrets, SectionBranding, SectionSamples,
		SectionTry, SectionLog, SectionNumbers, SectionFaults, SectionAccess)
	for i := range d.Sections {
		d.Sections[i].Current = d.Sections[i].Section == current
	}
	d.Trail = []DeveloperLink{{"River Bikes", "/developer/o/1"}, {"Shop", "/developer/o/1/sandbox/c1"}}
	d.Environment, d.SandboxURL, d.ProductionURL = DeveloperSandbox, "/developer/o/1/sandbox", "/developer/o/1/production"
	return d
}

// inProduction is the same page in the other environment.
func inProduction(d DeveloperPage) DeveloperPage {
	d.Environment = DeveloperProduction
	return d
}

// noticed is a page on which something has just happened.
func noticed(d DeveloperPage, n DeveloperNotice) DeveloperPage {
	d.Notice = n
	return d
}

var organizationFixtures = []fixture{
	{"developer-home", func(p Page) templ.Component {
		return DeveloperHome(DeveloperHomeView{
			DeveloperPage: developerPage(p), CreateURL: "/developer/new", ReviewsURL: "/developer/review",
			Organizations: []DeveloperOrganization{
				{"River Bikes", "/developer/o/1", DeveloperOwner, false}, {"Lovelace & Co", "/developer/o/2", DeveloperDeveloper, false},
				{"Museum", "/developer/o/3", DeveloperViewer, true},
			},
		})
	}},
	{"developer-welcome", func(p Page) templ.Component {
		d := developerPage(p)
		d.Account, d.AccountURL = Account{}, ""
		return DeveloperWelcome(DeveloperWelcomeView{DeveloperPage: d, StartURL: "/developer/start", Personas: true})
	}},
	{"developer-home-empty", func(p Page) templ.Component {
		return DeveloperHome(DeveloperHomeView{DeveloperPage: developerPage(p), CreateURL: "/developer/new"})
	}},
	{"developer-organization-new", func(p Page) templ.Component {
		return DeveloperOrganizationForm(DeveloperOrganizationView{
			DeveloperPage: developerPage(p), Form: with(Problem{Code: NameMissing}), New: true,
		})
	}},
	{"developer-organization", func(p Page) templ.Component {
		return DeveloperOrganizationForm(DeveloperOrganizationView{
			DeveloperPage: noticed(organizationPage(p, SectionOrganization), DeveloperSaved), Form: sampleForm,
			Name: "River Bikes", Contact: ada.Email, Version: "v1", Kept: "River Bikes", MayChange: true, MayDelete: true,
		})
	}},
	{"developer-organization-viewer", func(p Page) templ.Component {
		return DeveloperOrganizationForm(DeveloperOrganizationView{
			DeveloperPage: organizationPage(p, SectionOrganization), Form: sampleForm, Name: "River Bikes",
		})
	}},
	{"developer-applications", func(p Page) templ.Component {
		d := applicationPage(p, "")
		d.Trail, d.Sections = d.Trail[:1], organizationPage(p, SectionApplications).Sections
		return DeveloperApplications(DeveloperApplicationsView{
			DeveloperPage: d, SearchURL: "/developer/o/1/sandbox", RegisterURL: "/developer/o/1/sandbox/new", MoreURL: "?after=c3",
			Applications: []DeveloperApplication{
				{Name: "Shop", LogoURL: "sample/client.svg", URL: "/c1", ClientID: "c1", Kind: "web", Dialect: "standard"},
				{Name: "Till", URL: "/c2", ClientID: "c2", Kind: "native", Dialect: "v3", Disabled: true},
				{Name: "Workshop", URL: "/c3", ClientID: "c3", Kind: "spa", Dialect: "standard", Unreviewed: true},
				{Name: "Yard", URL: "/c4", ClientID: "c4", Kind: "web", Incomplete: true},
				{Name: "Zoo", URL: "/c5", ClientID: "c5", Kind: "web", Deleting: true},
			},
		})
	}},
	{"developer-applications-suspended", func(p Page) templ.Component {
		d := inProduction(applicationPage(p, ""))
		d.Trail, d.Sections = d.Trail[:1], organizationPage(p, SectionApplications).Sections
		d.Suspension = &DeveloperSuspension{Since: fixedNow, Reason: "Its applications pass for those of a bank."}
		return DeveloperApplications(DeveloperApplicationsView{
			DeveloperPage: d, Applications: []DeveloperApplication{{Name: "Till", URL: "/c2", ClientID: "c2", Kind: "native", Dialect: "v3", Disabled: true}},
		})
	}},
	{"developer-applications-none", func(p Page) templ.Component {
		d := inProduction(applicationPage(p, ""))
		d.Trail, d.Sections = d.Trail[:1], organizationPage(p, SectionApplications).Sections
		return DeveloperApplications(DeveloperApplicationsView{DeveloperPage: d, RegisterURL: "/developer/o/1/sandbox/new"})
	}},
	{"developer-applications-not-found", func(p Page) templ.Component {
		return DeveloperApplications(DeveloperApplicationsView{
			DeveloperPage: organizationPage(p, SectionApplications), SearchURL: "/developer/o/1/sandbox", Search: "shop",
		})
	}},
	{"developer-members", func(p Page) templ.Component {
		return DeveloperMembers(DeveloperMembersView{
			DeveloperPage: organizationPage(p, SectionMembers), Form: sampleForm, MayChange: true,
			Members: []DeveloperMember{
				{"u1", ada, DeveloperOwner, fixedNow.Add(-40 * 24 * time.Hour), true},
				{"u2", Account{Name: "Grace Hopper", Email: "grace@example.com"}, DeveloperViewer, fixedNow.Add(-2 * 24 * time.Hour), false},
			},
			Invitations: []DeveloperInvitation{
				{"i1", "alan@example.com", ada.Email, DeveloperDeveloper, fixedNow.Add(5 * 24 * time.Hour)},
				{"i2", "", "", DeveloperViewer, fixedNow.Add(6 * 24 * time.Hour)},
			},
			Link: "https://id.example/developer/join#Xk3", LinkFor: "alan@example.com",
		})
	}},
	{"developer-members-link", func(p Page) templ.Component {
		return DeveloperMembers(DeveloperMembersView{
			DeveloperPage: organizationPage(p, SectionMembers), Form: sampleForm, MayChange: true, Link: "https://id.example/developer/join/XK3",
		})
	}},
	{"developer-members-viewer", func(p Page) templ.Component {
		return DeveloperMembers(DeveloperMembersView{
			DeveloperPage: organizationPage(p, SectionMembers), Form: sampleForm,
			Members: []DeveloperMember{{"u1", ada, DeveloperViewer, fixedNow.Add(-40 * 24 * time.Hour), true}},
			NoOwner: true, NoOwnerKnown: true,
		})
	}},
	{"developer-invitation", func(p Page) templ.Component {
		return DeveloperInvitationScreen(DeveloperInvitationView{
			DeveloperPage: developerPage(p), Form: sampleForm, Organization: "River Bikes", Role: DeveloperDeveloper,
		})
	}},
	{"developer-invitation-other", func(p Page) templ.Component {
		return DeveloperInvitationScreen(DeveloperInvitationView{DeveloperPage: developerPage(p), Other: true})
	}},
	{"developer-invitation-gone", func(p Page) templ.Component {
		return DeveloperInvitationScreen(DeveloperInvitationView{DeveloperPage: developerPage(p), Gone: true})
	}},
	{"developer-activity", func(p Page) templ.Component {
		return DeveloperActivity(DeveloperActivityView{
			DeveloperPage: organizationPage(p, SectionActivity), EarlierURL: "?before=3",
			Changes: []DeveloperChange{
				{fixedNow, ada.Email, "organization.change", "", []DeveloperChangedField{{Name: "name", Before: "River", After: "River Bikes"}}},
				{fixedNow.Add(-time.Hour), "", "member.role", "Shop", []DeveloperChangedField{{Name: "role", After: "owner"}}},
				{fixedNow.Add(-2 * time.Hour), ada.Email, "application.change", "Shop", []DeveloperChangedField{
					{Name: "redirect_uris", Added: []string{"https://riverbikes.example/new"}, Removed: []string{"https://riverbikes.example/old"}, Cut: 3},
					{Name: "logo"}, {Name: "wordmark", After: "on"}, {Name: "wordmark_dark", Before: "on"}, {Name: "tos_uri", Before: "https://riverbikes.example/terms"},
				}},
				{fixedNow.Add(-3 * time.Hour), ada.Email, "application.copy", "Shop", []DeveloperChangedField{
					{Name: "copy_of", After: "test_sh0p"}, {Name: "client_id", After: "prod_sh0p"}, {Name: "grant_types", Added: []string{"authorization_code", "refresh_token"}},
				}},
			},
		})
	}},
	{"developer-activity-empty", func(p Page) templ.Component {
		return DeveloperActivity(DeveloperActivityView{DeveloperPage: organizationPage(p, SectionActivity)})
	}},
}

var sandboxFixtures = []fixture{
	{"developer-personas", func(p Page) templ.Component {
		return DeveloperPersonas(DeveloperPersonasView{
			DeveloperPage: organizationPage(p, SectionPersonas), Form: with(Problem{Field: FieldPersonas, Text: "line 3: a comma is missing"}),
			MayChange: true, Own: true, Version: "v1", Text: `[{"name": "veteran"}]`,
			Personas: []DeveloperPersona{
				{"veteran", p.locale().Word("Maria – verified veteran"), "persona:veteran", "veteran@acme.sandbox.test"},
				{"plain", Label{}, "persona:plain", "plain@acme.sandbox.test"},
			},
		})
	}},
	{"developer-inbox", func(p Page) templ.Component {
		return DeveloperInbox(DeveloperInboxView{
			DeveloperPage: organizationPage(p, SectionInbox), Example: "anybody@acme.sandbox.test",
			Mails: []DeveloperMail{{fixedNow, "veteran@acme.sandbox.test", "Your code", "The code is 12345678."}},
		})
	}},
	{"developer-clock", func(p Page) templ.Component {
		return DeveloperClock(DeveloperClockView{
			DeveloperPage: organizationPage(p, SectionClock), Form: sampleForm, Now: fixedNow, Moved: 25 * time.Hour, Version: "v1", MayChange: true,
		})
	}},
	{"developer-clock-days", func(p Page) templ.Component {
		return DeveloperClock(DeveloperClockView{DeveloperPage: organizationPage(p, SectionClock), Now: fixedNow, Moved: 72 * time.Hour})
	}},
	{"developer-clock-still", func(p Page) templ.Component {
		return DeveloperClock(DeveloperClockView{DeveloperPage: organizationPage(p, SectionClock), Now: fixedNow})
	}},
	{"developer-faults", func(p Page) templ.Component {
		var all []string
		for name := range p.locale().developer().Sandbox.FaultNames {
			all = append(all, name)
		}
		slices.Sort(all)
		return DeveloperFaults(DeveloperFaultsView{
			DeveloperPage: applicationPage(p, SectionFaults), Form: sampleForm, Faults: all, Fault: "token_slow", Until: fixedNow, MayChange: true,
		})
	}},
	{"developer-inbox-empty", func(p Page) templ.Component {
		return DeveloperInbox(DeveloperInboxView{DeveloperPage: organizationPage(p, SectionInbox), Example: "anybody@acme.sandbox.test"})
	}},
}

// developerFixtures are the pages of the dashboard.
var developerFixtures = slices.Concat(organizationFixtures, registrationFixtures, docsFixtures, samplesFixtures, sandboxFixtures,
	productionFixtures, brandingFixtures, previewFixtures, brandPreviewFixtures, logFixtures, tryFixtures)

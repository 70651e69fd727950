package developer

import (
	"slices"

	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// The dashboard is a frame with rooms. A room knows the frame and what it names here, and no room
// that knows it. In the paths of pages, {org} is an organization, {env} an environment, and {client}
// an application that the organization has in it.

// frame is what is around the rooms: who asks, what they may, the page around theirs, and the
// record of what they do.
type frame struct {
	Config
	base      string // the path at which the dashboard is mounted, without a trailing slash
	announcer announcer

	// unfinished is what is left of acts, and woken has a value for who goes on with it.
	unfinished unfinished
	woken      chan struct{}

	// mounted is the audience of each page, by path.
	mounted map[string]need
}

// forms read what a developer posts about a registration, and know what it may have.
type forms struct{ *frame }

// drafts are what developers want of a registration that is reviewed, until it is.
type drafts struct {
	*frame
	forms *forms
}

// halts carry out what was decided about applications.
type halts struct{ *frame }

// rooms are those of a dashboard.
type rooms struct {
	halts   *halts
	team    *teamPages
	apps    *appPages
	brand   *brandPages
	hooks   *hookPages
	reviews *reviewPages
	record  *logPages
	trial   *trialPages
	tries   *tryPages
}

func furnish(f *frame) rooms {
	forms, halts, team := &forms{f}, &halts{f}, &teamPages{f}
	drafts := &drafts{f, forms}
	return rooms{
		halts, team, &appPages{f, forms, drafts, halts}, &brandPages{f, forms, drafts}, &hookPages{f, drafts}, &reviewPages{f, forms, drafts, halts, team},
		&logPages{f}, &trialPages{f}, &tryPages{f, forms},
	}
}

// routes returns every page of the dashboard.
func (d *Dashboard) routes() []route {
	return slices.Concat(
		[]route{{path: "/docs", looks: everybody, show: d.showDocs}},
		d.team.routes(), d.apps.routes(), d.brand.routes(), d.hooks.routes(), d.reviews.routes(), d.record.routes(), d.trial.routes(), d.tries.routes(),
	)
}

// teamPages are those of an organization: its name, members, invitations and activity.
type teamPages struct{ *frame }

func (d *teamPages) routes() []route {
	return []route{
		{path: "/{$}", looks: everybody, show: d.showHome},
		{path: "/start", looks: users, show: d.leadHome},
		{path: "/new", looks: users, show: d.showNewOrganization, posts: users, act: d.createOrganization, mild: every},
		{path: "/join/{token}", looks: users, show: d.showInvitation, posts: users, act: d.acceptInvitation},
		{path: "/o/{org}/settings", looks: viewers, show: d.showOrganization, posts: owners, act: d.changeOrganization},
		// Every member may leave: the action decides who may do what else.
		{path: "/o/{org}/members", looks: viewers, show: d.showMembers, posts: viewers, act: d.changeMembers, mild: mildMembers, gives: actsBut(screens.ActionRemove, screens.ActionRole, screens.ActionWithdraw)},
		{path: "/o/{org}/activity", looks: viewers, show: d.showActivity},
	}
}

// appPages are those of an application, and register one.
type appPages struct {
	*frame
	forms  *forms
	drafts *drafts
	halts  *halts
}

func (d *appPages) routes() []route {
	return []route{
		{path: "/o/{org}", looks: viewers, show: d.leadToApplications},
		{path: "/o/{org}/{env}", looks: viewers, show: d.showApplications},
		{path: "/o/{org}/{env}/new", looks: developers, show: d.showRegister, posts: developers, act: d.registerApplication, mild: inTheSandbox, keep: d.keepRegistration},
		{path: "/o/{org}/{env}/tokens", looks: owners, show: d.showTokens, posts: owners, act: d.changeTokens, shows: true, gives: actsBut(ui.ActionEnd)},
		{path: "/o/{org}/{env}/check", looks: viewers, show: d.forms.checkField},
		{path: pathOfApplication, looks: viewers, show: d.showOverview, posts: developers, act: d.changeOverview, gives: actsBut(screens.ActionReveal)},
		{path: "/o/{org}/{env}/{client}/settings", looks: viewers, show: d.showSettings, posts: developers, act: d.changeSettings, keep: d.keepSettings, gives: actsBut(screens.ActionDisable)},
		{path: "/o/{org}/{env}/{client}/secrets", looks: developers, show: d.showSecrets, posts: developers, act: d.changeSecrets, shows: true, gives: actsBut(ui.ActionEnd, screens.ActionRevoke)},
		{path: "/o/{org}/{env}/{client}/delete", looks: developers, show: d.showDelete, posts: developers, act: d.deleteApplication, shows: true, gives: actsBut("", screens.ActionDelete)},
		{path: "/o/{org}/{env}/{client}/samples", looks: viewers, show: d.showSamples},
		{path: "/o/{org}/{env}/{client}/access", looks: viewers, show: d.showAccess, posts: developers, act: d.changeAccess, mild: every, gives: actsBut(screens.ActionWithdraw)},
	}
}

// brandPages are what an application looks like to users.
type brandPages struct {
	*frame
	forms  *forms
	drafts *drafts
}

func (d *brandPages) routes() []route {
	return []route{
		{path: "/o/{org}/{env}/{client}/branding", looks: viewers, show: d.showBranding, posts: developers, act: d.changeBranding, mild: every},
		{path: "/o/{org}/{env}/{client}/branding/{picture}", looks: viewers, show: d.servePicture},
		{path: "/o/{org}/{env}/{client}/branding/preview/{screen}/{scheme}", looks: viewers, show: d.showPreview},
	}
}

// reviewPages are those on which operators decide about applications and organizations.
type reviewPages struct {
	*frame
	forms  *forms
	drafts *drafts
	halts  *halts
	team   *teamPages
}

func (d *reviewPages) routes() []route {
	return []route{
		{path: "/review", looks: operators, show: d.showReviews},
		{path: "/review/{env}/{client}", looks: operators, show: d.showReview, posts: operators, act: d.decide, keep: d.keepDecision},
		{path: "/review/organization/{org}", looks: operators, show: d.ofOperators(d.showOrganizationReview), posts: operators, act: d.ofOperators(d.decideOrganization), keep: d.ofOperators(d.keepOrganizationReview)},
		{path: "/review/{env}/{client}/{which}/{picture}", looks: operators, show: d.serveReviewPicture},
	}
}

// logPages are the request log of an application and its numbers.
type logPages struct{ *frame }

func (d *logPages) routes() []route {
	return []route{
		{path: "/o/{org}/{env}/{client}/log", looks: viewers, show: d.showLog},
		{path: "/o/{org}/{env}/{client}/log/{flow}", looks: viewers, show: d.showTrace},
		{path: "/o/{org}/{env}/{client}/log.csv", looks: viewers, show: d.downloadLog},
		{path: "/o/{org}/{env}/{client}/numbers", looks: viewers, show: d.showNumbers},
	}
}

// trialPages are what an organization makes of the sandbox: personas, clock, inbox and faults.
type trialPages struct{ *frame }

func (d *trialPages) routes() []route {
	return []route{
		{path: "/o/{org}/personas", looks: viewers, show: d.inTrials(d.showPersonas), posts: developers, act: d.inTrials(d.changePersonas), mild: every},
		{path: "/o/{org}/clock", looks: viewers, show: d.inTrials(d.showClock), posts: developers, act: d.inTrials(d.changeClock), mild: every},
		{path: "/o/{org}/inbox", looks: viewers, show: d.inTrials(d.showInbox)},
		{path: "/o/{org}/{env}/{client}/faults", looks: viewers, show: d.inSandbox(d.showFaults), posts: developers, act: d.inSandbox(d.changeFault), mild: every},
	}
}

// tryPages try the sign-in of an application, and the document of one that nobody has registered.
type tryPages struct {
	*frame
	forms *forms
}

func (d *tryPages) routes() []route {
	return []route{
		{path: "/o/{org}/{env}/document", looks: viewers, show: d.showDocument, posts: viewers, act: d.tryDocument, mild: every},
		{path: "/o/{org}/{env}/{client}/try", looks: viewers, show: d.showTry, posts: developers, act: d.beginTry, mild: every},
		// What it is about is in the state of the response, which the page opens itself.
		{path: "/try/callback", looks: users, show: d.finishTry},
	}
}

package developer

import (
	"slices"

	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// need is the audience of a page.
type need int

const (
	// everybody, signed in or not.
	everybody need = iota
	// users are signed in.
	users
	// viewers, developers and owners are members of the organization in the path with at
	// least that role.
	viewers
	developers
	owners
	// operators run the service.
	operators
)

// route is a page, with its audience and that of its form, which is nil for a page without
// one.
type route struct {
	path  string
	looks need
	show  handler
	posts need
	act   handler

	// mild reports whether a posted form is no power (see power.go). Nil means that every
	// form is one, so that a new page is safe by default.
	mild func(*request) bool

	// gives reports whether a posted form is refused while the organization is suspended,
	// because it gives it something. Nil means that every form does. The write refuses it,
	// too: an operator may suspend the organization at that moment.
	gives func(*request) bool

	// keep shows a power's form again, with the entered values, to a user who must
	// reauthenticate. Nil if nothing is lost by that.
	keep handler

	// shows has the user reauthenticate before the page opens: it shows secrets, or exists
	// only for its form.
	shows bool
}

// pathOfApplication is the page of an application, which exists as long as anything is left
// of it.
const pathOfApplication = "/o/{org}/{env}/{client}"

// handler answers a request of a user with the right.
type handler func(*request) error

// routes returns every page of the dashboard. {org} is an organization, {env} an
// environment, and {client} an application that the organization has in it.
func (d *Dashboard) routes() []route {
	return []route{
		{path: "/{$}", looks: everybody, show: d.showHome},
		{path: "/start", looks: users, show: d.leadHome},
		{path: "/new", looks: users, show: d.showNewOrganization, posts: users, act: d.createOrganization, mild: every},
		{path: "/docs", looks: everybody, show: d.showDocs},
		{path: "/join/{token}", looks: users, show: d.showInvitation, posts: users, act: d.acceptInvitation},
		{path: "/o/{org}", looks: viewers, show: d.leadToApplications},
		{path: "/o/{org}/settings", looks: viewers, show: d.showOrganization, posts: owners, act: d.changeOrganization},
		// Every member may leave: the action decides who may do what else.
		{path: "/o/{org}/members", looks: viewers, show: d.showMembers, posts: viewers, act: d.changeMembers, mild: mildMembers, gives: actsBut(screens.ActionRemove, screens.ActionRole, screens.ActionWithdraw)},
		{path: "/o/{org}/activity", looks: viewers, show: d.showActivity},
		{path: "/o/{org}/personas", looks: viewers, show: d.inTrials(d.showPersonas), posts: developers, act: d.inTrials(d.changePersonas), mild: every},
		{path: "/o/{org}/clock", looks: viewers, show: d.inTrials(d.showClock), posts: developers, act: d.inTrials(d.changeClock), mild: every},
		{path: "/o/{org}/inbox", looks: viewers, show: d.inTrials(d.showInbox)},
		{path: "/o/{org}/{env}", looks: viewers, show: d.showApplications},
		{path: "/o/{org}/{env}/new", looks: developers, show: d.showRegister, posts: developers, act: d.registerApplication, mild: inTheSandbox, keep: d.keepRegistration},
		{path: "/o/{org}/{env}/tokens", looks: owners, show: d.showTokens, posts: owners, act: d.changeTokens, shows: true, gives: actsBut(ui.ActionEnd)},
		{path: "/o/{org}/{env}/check", looks: viewers, show: d.checkField},
		{path: "/o/{org}/{env}/document", looks: viewers, show: d.showDocument, posts: viewers, act: d.tryDocument, mild: every},
		{path: pathOfApplication, looks: viewers, show: d.showOverview, posts: developers, act: d.changeOverview, gives: actsBut(screens.ActionReveal)},
		{path: "/o/{org}/{env}/{client}/settings", looks: viewers, show: d.showSettings, posts: developers, act: d.changeSettings, keep: d.keepSettings, gives: actsBut(screens.ActionDisable)},
		{path: "/o/{org}/{env}/{client}/secrets", looks: developers, show: d.showSecrets, posts: developers, act: d.changeSecrets, shows: true, gives: actsBut(ui.ActionEnd, screens.ActionRevoke)},
		{path: "/o/{org}/{env}/{client}/delete", looks: developers, show: d.showDelete, posts: developers, act: d.deleteApplication, shows: true, gives: actsBut("", screens.ActionDelete)},
		{path: "/o/{org}/{env}/{client}/branding", looks: viewers, show: d.showBranding, posts: developers, act: d.changeBranding, mild: every},
		{path: "/o/{org}/{env}/{client}/branding/{picture}", looks: viewers, show: d.servePicture},
		{path: "/o/{org}/{env}/{client}/branding/preview/{screen}/{scheme}", looks: viewers, show: d.showPreview},
		{path: "/o/{org}/{env}/{client}/samples", looks: viewers, show: d.showSamples},
		{path: "/o/{org}/{env}/{client}/access", looks: viewers, show: d.showAccess, posts: developers, act: d.changeAccess, mild: every, gives: actsBut(screens.ActionWithdraw)},
		{path: "/review", looks: operators, show: d.showReviews},
		{path: "/review/{env}/{client}", looks: operators, show: d.showReview, posts: operators, act: d.decide, keep: d.keepDecision},
		{path: "/review/organization/{org}", looks: operators, show: d.ofOperators(d.showOrganizationReview), posts: operators, act: d.ofOperators(d.decideOrganization), keep: d.ofOperators(d.keepOrganizationReview)},
		{path: "/review/{env}/{client}/{which}/{picture}", looks: operators, show: d.serveReviewPicture},
		{path: "/o/{org}/{env}/{client}/log", looks: viewers, show: d.showLog},
		{path: "/o/{org}/{env}/{client}/log/{flow}", looks: viewers, show: d.showTrace},
		{path: "/o/{org}/{env}/{client}/log.csv", looks: viewers, show: d.downloadLog},
		{path: "/o/{org}/{env}/{client}/numbers", looks: viewers, show: d.showNumbers},
		{path: "/o/{org}/{env}/{client}/faults", looks: viewers, show: d.inSandbox(d.showFaults), posts: developers, act: d.inSandbox(d.changeFault), mild: every},
		{path: "/o/{org}/{env}/{client}/try", looks: viewers, show: d.showTry, posts: developers, act: d.beginTry, mild: every},
		// What it is about is in the state of the response, which the page opens itself.
		{path: "/try/callback", looks: users, show: d.finishTry},
	}
}

// actsBut is for forms of which all acts but these give the organization something.
func actsBut(acts ...string) func(*request) bool {
	return func(r *request) bool { return !slices.Contains(acts, r.posted(ui.FieldAction)) }
}

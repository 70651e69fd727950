package desk_test

import (
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/verification"
)

// silent are the pages that leave no line, and why.
var silent = map[string]string{
	"GET /{$}": "counts, and the own matters of who asks", "GET /find": "the form, and the own matters of who asks",
	"GET /matters/{matter}/proof": "the form, and the own note of who asks",
	"GET /cases":                  "nobody: cases that wait, before one is taken", "GET /cases/numbers": "counts",
	"GET /rosters": "counts", "GET /rosters/{roster}": "counts", "GET /codes": "batches",
	"POST /rosters/{roster}": "counts, and leads to the form of the action that puts a list in force",
	"GET /plans":             "who proposed which action, and counts", "GET /plans/new": "the form",
	"GET /applications": "names of applications", "GET /hosts": "counts", "GET /hosts/{id}": "counts",
	"GET /organizations": "names of organizations", "GET /reviews": "names of applications",
	"GET /reviews/{env}/{client}/{which}/{picture}": "a picture of the application",
	"GET /applications/{target}/do/{action}":        "the application", "GET /hosts/{target}/do/{action}": "the host",
	"GET /organizations/{target}/do/{action}": "the organization", "GET /service/do/{action}": "the service",
	"GET /receivers": "counts, and hosts of applications", "GET /receivers/{target}/do/{action}": "the receiver",
	"GET /health": "the service", "GET /keys": "the service", "GET /numbers": "counts",
}

// walk walks the pages of a desk, and demands a line of each.
type walk struct {
	*place
	// demanded reports for each page whether a line was.
	demanded map[string]bool
}

// demand has a member of the staff be at a page, and demands a line of them with this detail. In a
// matter it has that, or any if that is "*".
func (w *walk) demand(route, staff string, do func(), name string, detail, matter string) {
	w.T.Helper()
	if _, served := w.demanded[route]; !served {
		w.T.Errorf("there is no page %q", route)
	}
	w.demanded[route] = true
	do()
	lines := testkit.Must(w.Events().List(w.T.Context(), provider.EventFilter{Name: name, Actor: "staff:" + staff}))(w.T)
	if !slices.ContainsFunc(lines, func(e provider.RecordedEvent) bool {
		return e.Detail == detail && (matter == e.Matter || matter == "*" && e.Matter != "")
	}) {
		w.T.Errorf("%s: no line %s %q of %s in %q, but %+v", route, name, detail, staff, matter, lines)
	}
}

func TestEveryActAndLookHasItsLine(t *testing.T) {
	t.Parallel()
	var d *desk.Desk
	w := &walk{place: newPlaceWith(t, given{
		desk:  func(w *place, c *desk.Config) { c.Dashboard = dashboard(w.Fixture) },
		after: func(made *desk.Desk) { d = made },
	}, byDocument, func(p *verification.Policy) {
		p.Rule = verification.AnyOf(p.Rule, verification.By(verification.Invitation()), verification.By(verification.Roster(verification.RosterConfig{
			Roster: "members", Columns: []verification.RosterColumn{{Name: "number", Label: verification.Text{English: "Number"}}},
		})))
	}), demanded: map[string]bool{}}
	for _, route := range d.Served() {
		if silent[route] == "" {
			w.demanded[route] = false
		}
	}
	for _, name := range []string{"olga", "oleg"} {
		w.hires(name, desk.RoleOperator)
	}
	w.hires("sam", desk.RoleSupport)
	w.hires("aude", desk.RoleAuditor)
	w.reviews()
	w.helps()
	w.operates()
	w.plans()
	w.audits()
	for _, route := range slices.Sorted(maps.Keys(w.demanded)) {
		if !w.demanded[route] {
			t.Errorf("%s: no line is demanded of it, nor is it said why it leaves none", route)
		}
	}
}

// reviews walks the pages of reviewers.
func (w *walk) reviews() {
	w.sends(w.Bob())
	c := w.caseOf("bob").ID
	rita := w.reviewer("rita")
	var p lab.Page
	w.demand("POST /cases", "rita", func() { p = next(rita) }, event.CaseTaken, "student", c)
	w.demand("GET /case/{case}", "rita", func() {}, event.StaffLooked, "case", c)
	for _, address := range addresses(p) {
		for range 3 {
			rita.Get(address)
		}
	}
	files := testkit.Must(w.service.Evidence(w.T.Context(), c))(w.T)
	for _, file := range files {
		w.demand("GET /evidence/{sealed}", "rita", func() {}, event.EvidenceOpened, file.ID, c)
	}
	if n := w.lines(event.EvidenceOpened, ""); n != len(files) || n != 2 {
		w.T.Errorf("%d lines say that two files were opened", n)
	}
	w.demand("POST /case/{case}", "rita", func() { rita.Follow(post(rita, p, "return")) }, event.CaseReturned, "student", c)
	p = next(rita)
	yes := []string{"name", "yes", "answer.card.0", "yes", "answer.card.1", "yes"}
	w.demand("POST /case/{case}", "rita", func() { p = rita.Follow(post(rita, p, "approve", yes...)) }, event.CaseDecided, "student approve", c)
	w.demand("POST /cases", "rita", func() { p = rita.Follow(post(rita, p, "undo", "case", c)) }, event.DecisionUndone, "student", c)
	rita.Follow(post(rita, p, "approve", yes...))
	if n := w.lines(event.CaseDecided, ""); n != 2 {
		w.T.Errorf("%d lines of two decisions", n)
	}
	// It is carried out when somebody else looks, and not in their name.
	w.Advance(11 * time.Second)
	w.reviewer("raul").Get("/desk/case/" + c)
	lines := testkit.Must(w.Events().List(w.T.Context(), provider.EventFilter{Name: event.VerificationEnded}))(w.T)
	if len(lines) != 1 || lines[0].Actor != "" {
		w.T.Errorf("the end of the case: %+v", lines)
	}
}

// helps walks the pages about people.
func (w *walk) helps() {
	sam := w.reviewer("sam")
	var p lab.Page
	w.demand("POST /find", "sam", func() { p = sam.Submit(sam.Open("/desk/find"), "sought", "bob@example.com") }, event.PersonFound, "", "")
	w.demand("POST /matters", "sam", func() { p = sam.Submit(p, "reason", "authority") }, event.MatterOpened, "authority", "*")
	at, m := at(p), path.Base(p.Request.URL.Path)
	w.demand("GET /matters/{matter}", "sam", func() {}, event.SupportLooked, "overview", m)
	for _, part := range []string{"overview", "account", "factors", "sessions", "applications", "groups", "cases", "history"} {
		w.demand("GET /matters/{matter}/"+part, "sam", func() { sam.Open(at + "/" + part) }, event.SupportLooked, part, m)
	}
	w.demand("GET /matters/{matter}/do/{action}", "sam", func() { p = sam.Open(at + "/do/lock") }, event.SupportLooked, "actions", m)
	w.demand("POST /matters/{matter}/do/{action}", "sam", func() { does(sam, p) }, event.AccountDisabled, "", m)
	w.demand("GET /matters/{matter}/actions", "sam", func() { sam.Open(at + "/actions") }, event.SupportLooked, "actions", m)
	w.OK(w.Accounts().SetDisabled(w.T.Context(), "bob", false))
	w.demand("POST /matters/{matter}/proof", "sam", func() { send(sam, at+"/proof", "send") }, event.CallerCodeMade, "mailbox", m)
	olga := w.reviewer("olga")
	w.demand("POST /looks", "olga", func() { send(olga, "/desk/looks", "release", "matter", m) }, event.MatterReleased, "", m)
	w.demand("POST /matters/{matter}/close", "sam", func() { send(sam, at+"/close", "") }, event.MatterClosed, "", m)
}

// operates walks the pages of operators about what is no person.
func (w *walk) operates() {
	olga := w.reviewer("olga")
	does := func(target, action string, values ...string) func() {
		return func() {
			p := send(olga, target+"/do/"+action, "check", values...)
			shows(testingOf(olga), send(olga, target+"/do/"+action, "do", append(values, "revision", hiddenOf(p, "revision"))...), http.StatusOK)
		}
	}
	const why = "It sends people elsewhere."
	w.demand("POST /applications/{target}/do/{action}", "olga", does("/desk/applications/app", "stop_application", "reason", why), event.ClientStopped, "", "")
	w.decidesReviews(olga, why)
	w.demand("POST /hosts/{target}/do/{action}", "olga", does("/desk/hosts/app.example", "deny_host", "reason", why), event.HostDenied, "app.example", "")
	w.demand("POST /organizations/{target}/do/{action}", "olga", does("/desk/organizations/river", "suspend_organization", "reason", why), event.OrganizationSuspended, "river", "")
	w.demand("POST /service/do/{action}", "olga", does("/desk/service", "rotate_keys"), event.KeyRotated, "RS256, by the host", "")
	hook := hooked(w.Fixture)
	w.demand("POST /receivers/{target}/do/{action}", "olga", does("/desk/receivers/"+hook, "switch_off"), event.ReceiverChanged, "switched off", "")
	w.demand("GET /receivers/{id}", "olga", func() { olga.Open("/desk/receivers/" + hook) }, event.StaffLooked, "receiver "+hook, "")
	w.demand("GET /applications/{id}", "olga", func() { olga.Open("/desk/applications/app") }, event.StaffLooked, "application", "")
	w.demand("GET /organizations/{id}", "olga", func() { olga.Open("/desk/organizations/river") }, event.StaffLooked, "organization river", "")

	var p lab.Page
	w.demand("/rosters/{roster}/file", "olga", func() { sendFile(olga, olga.Open("/desk/rosters/members"), numbers(3)) }, event.RosterStaged, "members", "members")
	until := w.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	w.demand("POST /codes", "olga", func() {
		post(olga, olga.Open("/desk/codes"), "issue", "group", "student", "count", "1", "uses", "1", "until", until)
	}, event.CodesIssued, "student", "*")
	p = olga.Open("/desk/codes")
	batch := regexp.MustCompile(`<code dir="ltr">([A-Z2-7]{13})</code>`).FindStringSubmatch(p.Text)[1]
	w.OK(w.service.ReleaseCodes(w.T.Context(), batch, w.Now().AddDate(0, 0, 3)))
	p = olga.Open("/desk/codes")
	w.demand("POST /codes", "olga", func() { post(olga, p, "end", "batch", batch) }, event.CodesEnded, "", batch)
	w.demand("GET /holds", "olga", func() { p = olga.Open("/desk/holds") }, event.StaffLooked, "holds", "")
	c := w.caseOf("bob").ID
	w.demand("POST /holds", "olga", func() { post(olga, p, "hold", "case", c, "until", until, "hold_reason", "A court asks.") }, event.EvidenceHeld, "student", c)
}

// decidesReviews walks the pages of the dashboard that are at the desk.
func (w *walk) decidesReviews(olga *lab.Browser, why string) {
	var p lab.Page
	within := func(address string) func() {
		return func() {
			p = olga.Open(address)
			shows(testingOf(olga), p, http.StatusOK, `<a href="/desk/reviews" aria-current="page"`, "Pages of the desk")
			if strings.Contains(p.Text, `"/developer/`) {
				w.T.Errorf("%s leads to the dashboard", address)
			}
		}
	}
	app, lake := "/desk/reviews/production/app", "/desk/reviews/organization/lake"
	w.demand("GET /reviews/{env}/{client}", "olga", within(app), event.StaffLooked, "review in production", "")
	w.demand("POST /reviews/{env}/{client}", "olga", func() {
		shows(testingOf(olga), send(olga, app, "start", "version", hiddenOf(p, "version")), http.StatusOK, "/desk/reviews")
	}, event.ClientStarted, "", "")
	w.demand("GET /reviews/organization/{org}", "olga", within(lake), event.StaffLooked, "organization lake", "")
	w.demand("POST /reviews/organization/{org}", "olga", func() {
		shows(testingOf(olga), send(olga, lake, "stop", "version", hiddenOf(p, "version"), "reason", why), http.StatusOK, "/desk/reviews")
	}, event.OrganizationSuspended, "lake", "")
}

// plans walks the pages of what takes two, and of what one does alone.
func (w *walk) plans() {
	olga, oleg := w.reviewer("olga"), w.reviewer("oleg")
	var address string
	w.demand("POST /plans/new", "olga", func() { address = lockPlan(olga, "alice", "bob") }, event.StaffLooked, "draft of a plan: lock", "")
	id := path.Base(address)
	w.demand("POST /plans/new", "olga", func() {}, event.PlanProposed, "lock", id)
	w.demand("GET /plans/{plan}", "oleg", func() { oleg.Open(address) }, event.StaffLooked, "plan: lock", id)
	w.demand("GET /plans/{plan}/targets.csv", "oleg", func() { oleg.Open(address + "/targets.csv") }, event.StaffLooked, "targets of a plan: lock", id)
	w.demand("POST /plans/{plan}", "oleg", func() { send(oleg, address, "approve", "shown", shownAt(oleg, address), "count", "2") }, event.PlanApproved, "lock", id)

	m := w.opens("olga", "alice")
	values := []string{"name", "lock", "targets", "alice", "matter", m}
	var p lab.Page
	w.demand("GET /breaks/new", "olga", func() { p = olga.Open("/desk/breaks/new?" + lab.Form(values...).Encode()) }, event.SupportLooked, "actions", m)
	w.demand("POST /breaks/new", "olga", func() {
		send(olga, "/desk/breaks/new", "alone", append(values, "sentence", "Nobody else is here tonight.", "revision", hiddenOf(p, "revision"))...)
	}, event.BreakMade, "lock", m)
	w.demand("GET /breaks", "oleg", func() { p = oleg.Open("/desk/breaks") }, event.StaffLooked, "breaks", "")
	w.demand("POST /breaks", "oleg", func() { send(oleg, "/desk/breaks", "sign_off", "break", hiddenOf(p, "break")) }, event.BreakSignedOff, "lock", "*")
}

// audits walks the pages of auditors.
func (w *walk) audits() {
	aude := w.reviewer("aude")
	for range 3 {
		w.demand("GET /trail", "aude", func() { aude.Open("/desk/trail?person=bob") }, event.StaffLooked, "trail by person", "")
	}
	if n := w.lines(event.StaffLooked, "trail by person"); n != 1 {
		w.T.Errorf("%d lines of the same look", n)
	}
	w.demand("GET /trail.csv", "aude", func() { aude.Open("/desk/trail.csv") }, event.TrailExported, "csv", "")
	w.demand("GET /trail.jsonl", "aude", func() { aude.Open("/desk/trail.jsonl") }, event.TrailExported, "jsonl", "")
	w.demand("GET /looks", "aude", func() { aude.Open("/desk/looks") }, event.StaffLooked, "looks", "")
}

package developer_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// faultyForm is a form of the dashboard of which every statement fails in turn.
type faultyForm struct {
	user string
	what string // its entry in the activity log

	// page prepares what the form is about, for the nth time, and returns the page that has the
	// form and the values to fill in.
	page func(w *fixture, n int) (address string, values []string)

	// parts are all that the form changes. A fault changes each of them, or none.
	parts func(w *fixture) []string

	// anew is a form that is opened again after a failure: its first write has been taken back.
	anew bool

	// shows looks at the answer of a form that is done.
	shows func(w *fixture, p page)
}

// called is the name that the nth form gives.
func called(n int) string { return fmt.Sprint("Org name ", n) }

// names are those that an application has in the two databases.
func names(env string) func(w *fixture) []string {
	return func(w *fixture) []string {
		return []string{w.client(env, "shop").Name, w.application(env, "shop").Name}
	}
}

// registeredIn are the applications of river that stay, and their clients.
func registeredIn(env string) func(w *fixture) []string {
	return func(w *fixture) []string {
		apps := testkit.Must(w.store.Applications(w.t.Context(), storage.ApplicationFilter{Environment: env, OrganizationID: river, Limit: 1000}))(w.t)
		clients := testkit.Must(w.provider(env).Clients().List(w.t.Context(), "", 1000))(w.t)
		stay := 0
		for _, a := range apps {
			if !a.Deleting {
				stay++
			}
		}
		return []string{fmt.Sprint(stay), fmt.Sprint(len(clients))}
	}
}

func newestSecret(env string) func(w *fixture) []string {
	return func(w *fixture) []string {
		secret := testkit.Must(w.provider(env).Clients().Secret(w.t.Context(), "shop"))(w.t)
		return []string{secret}
	}
}

func pathIn(env, page string) string { return "/developer/o/river/" + env + "/shop" + page }

// inEnvironment are the forms about an application of an environment. Production is in the database
// of the dashboard, and the sandbox is not.
func inEnvironment(env string) map[string]faultyForm {
	return map[string]faultyForm{
		"Register": {user: dev, what: "application.create", parts: registeredIn(env), page: func(_ *fixture, n int) (string, []string) {
			return "/developer/o/river/" + env + "/new", []string{"name", called(n), "kind", "web", "redirect_uris", callbackURI}
		}},
		"Settings": {user: dev, what: "application.change", parts: names(env), page: func(_ *fixture, n int) (string, []string) {
			return pathIn(env, "/settings"), []string{"name", called(n), "action", "save"}
		}},
		"Disable": {user: dev, what: "application.disable", parts: func(w *fixture) []string {
			return []string{fmt.Sprint(w.client(env, "shop").Disabled)}
		}, page: func(w *fixture, _ int) (string, []string) {
			w.ok(w.provider(env).Clients().SetDisabled(w.t.Context(), "shop", false, 0))
			return pathIn(env, "/settings"), []string{"action", "disable"}
		}},
		"Rotate": {user: dev, what: "secret.rotate", parts: newestSecret(env), page: func(*fixture, int) (string, []string) {
			return pathIn(env, "/secrets"), []string{"overlap", "none", "action", "rotate"}
		}, shows: func(w *fixture, p page) {
			if shown := secretOn(w.t, p); shown != newestSecret(env)(w)[0] {
				w.t.Errorf("the page shows %q", shown)
			}
		}},
		"EndSecret": {user: dev, what: "secret.end", parts: func(w *fixture) []string {
			list := testkit.Must(w.provider(env).Clients().ListSecrets(w.t.Context(), "shop"))(w.t)
			return []string{fmt.Sprint(len(list))}
		}, page: func(w *fixture, _ int) (string, []string) {
			for _, overlap := range []time.Duration{0, time.Hour} {
				_, err := w.provider(env).Clients().RotateSecret(w.t.Context(), "shop", overlap, 0)
				w.ok(err)
			}
			return pathIn(env, "/secrets"), []string{"action", "end"}
		}},
		"Token": {user: owner, what: "token.create", parts: registrationTokens, page: func(_ *fixture, n int) (string, []string) {
			return "/developer/o/river/" + env + "/tokens", []string{"name", called(n), "action", "make"}
		}, shows: func(w *fixture, p page) { says(w.t, p, http.StatusOK, `id="new-token"`) }},
		"RevokeToken": {user: owner, what: "token.revoke", parts: registrationTokens, page: func(w *fixture, n int) (string, []string) {
			w.ok(w.store.CreateRegistrationToken(w.t.Context(), storage.RegistrationToken{
				Digest: sha256.Sum256([]byte(called(n))), OrganizationID: river, Environment: env, Name: called(n), Remaining: 1,
				MadeBy: owner, CreatedAt: w.now(), ExpiresAt: w.now().Add(time.Hour),
			}, 1000))
			return "/developer/o/river/" + env + "/tokens", []string{"action", "end"}
		}},
		"Delete": {user: dev, what: "application.delete", parts: registeredIn(env), page: func(w *fixture, n int) (string, []string) {
			id := fmt.Sprint("app", n)
			w.withApplication(river, env, id)
			return "/developer/o/river/" + env + "/" + id + "/delete", []string{"confirm", "App " + id, "action", "delete"}
		}},
		"Publish": {user: dev, what: "branding.publish", anew: true, parts: func(w *fixture) []string {
			return []string{w.client(env, "shop").ButtonColor}
		}, page: func(_ *fixture, n int) (string, []string) {
			return pathIn(env, "/branding"), []string{"color", fmt.Sprintf("#%06x", n), "action", "publish"}
		}},
		"Copy": {user: dev, what: "application.copy", parts: registeredIn(other(env)), page: func(*fixture, int) (string, []string) {
			return pathIn(env, ""), []string{"action", "copy"}
		}},
		"Try": {user: dev, what: "application.change", parts: func(w *fixture) []string {
			return []string{fmt.Sprint(w.client(env, "shop").RedirectURIs)}
		}, page: func(w *fixture, _ int) (string, []string) {
			c := w.client(env, "shop")
			c.RedirectURIs = []string{callbackURI}
			w.ok(w.provider(env).Clients().Save(w.t.Context(), c))
			return pathIn(env, "/try"), []string{"scope", "openid", "action", "try"}
		}},
	}
}

// other is the other environment.
func other(env string) string {
	if env == storage.Sandbox {
		return storage.Production
	}
	return storage.Sandbox
}

func registrationTokens(w *fixture) []string {
	list := testkit.Must(w.store.RegistrationTokens(w.t.Context(), storage.TokenFilter{OrganizationID: river, Now: w.now()}))(w.t)
	return []string{fmt.Sprint(len(list))}
}

func invitationsOf(w *fixture) []string {
	list := testkit.Must(w.store.Invitations(w.t.Context(), storage.TokenFilter{OrganizationID: river, Now: w.now()}))(w.t)
	return []string{fmt.Sprint(len(list))}
}

func isMember(user string) func(w *fixture) []string {
	return func(w *fixture) []string {
		m, err := storage.One(w.store.Members(w.t.Context(), river, user))
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			w.t.Fatal(err)
		}
		return []string{string(m.Role)}
	}
}

// invites makes an invitation to river by its owner, and returns its token.
func (w *fixture) invites(n int) string {
	token := called(n) + w.now().String()
	w.ok(w.store.CreateInvitation(w.t.Context(), storage.Invitation{
		Token: sha256.Sum256([]byte(token)), OrganizationID: river, Role: storage.RoleViewer, InvitedBy: owner, CreatedAt: w.now(), ExpiresAt: w.now().Add(time.Hour),
	}, 1000))
	return token
}

// ofOrganizations are the forms about organizations and their members.
var ofOrganizations = map[string]faultyForm{
	"New": {user: nobody, what: "organization.create", parts: func(w *fixture) []string {
		list := testkit.Must(w.store.Memberships(w.t.Context(), nobody))(w.t)
		return []string{fmt.Sprint(len(list))}
	}, page: func(_ *fixture, n int) (string, []string) {
		return "/developer/new", []string{"name", called(n), "contact", ""}
	}},
	"Save": {user: owner, what: "organization.change", parts: func(w *fixture) []string {
		o := testkit.Must(w.store.Organization(w.t.Context(), river))(w.t)
		return []string{o.Name}
	}, page: func(_ *fixture, n int) (string, []string) {
		return "/developer/o/river/settings", []string{"name", called(n), "action", "save"}
	}},
	"Invite": {user: owner, what: "member.invite", parts: invitationsOf, page: func(*fixture, int) (string, []string) {
		return "/developer/o/river/members", []string{"email", "", "role", "viewer", "action", "invite"}
	}, shows: func(w *fixture, p page) { says(w.t, p, http.StatusOK, "/developer/join/") }},
	"Withdraw": {user: owner, what: "member.withdraw", parts: invitationsOf, page: func(w *fixture, n int) (string, []string) {
		w.invites(n)
		return "/developer/o/river/members", []string{"action", "withdraw"}
	}},
	"Join": {user: nobody, what: "member.join", parts: isMember(nobody), page: func(w *fixture, n int) (string, []string) {
		w.ok(w.store.RemoveMember(w.t.Context(), river, nobody))
		return "/developer/join/" + url.PathEscape(w.invites(n)), nil
	}},
	"Role": {user: owner, what: "member.role", parts: isMember(dev), page: func(w *fixture, _ int) (string, []string) {
		w.ok(w.store.SetRole(w.t.Context(), river, dev, storage.RoleDeveloper))
		return "/developer/o/river/members", []string{"user", dev, "role", "viewer", "action", "role"}
	}},
	"Remove": {user: owner, what: "member.remove", parts: isMember(viewer), page: func(w *fixture, n int) (string, []string) {
		if isMember(viewer)(w)[0] == "" {
			_, err := w.store.AcceptInvitation(w.t.Context(), sha256.Sum256([]byte(w.invites(n))), viewer, w.now(), 100)
			w.ok(err)
		}
		return "/developer/o/river/members", []string{"user", viewer, "action", "remove"}
	}},
	"Suspend": {user: operator, what: "organization.suspend", parts: suspended, page: func(w *fixture, _ int) (string, []string) {
		w.runs()
		return "/developer/review/organization/river", []string{"reason", "Because", "action", "stop"}
	}},
	"Reactivate": {user: operator, what: "organization.reactivate", parts: suspended, page: func(w *fixture, _ int) (string, []string) {
		w.runs()
		w.ok(w.store.StopOrganization(w.t.Context(), river, storage.Stop{At: w.now(), Reason: "Because", By: operator}))
		w.GoOn(w.t.Context())
		return "/developer/review/organization/river", []string{"action", "start"}
	}},
	"Personas": {user: dev, what: "personas.change", parts: func(w *fixture) []string {
		s := testkit.Must(w.store.SandboxSettings(w.t.Context(), river))(w.t)
		return []string{string(s.Personas)}
	}, page: func(_ *fixture, n int) (string, []string) {
		return "/developer/o/river/personas", []string{"personas", fmt.Sprintf(`[{"name": "p%d", "title": "P"}]`, n), "action", "save"}
	}},
	"Clock": {user: dev, what: "clock.move", anew: true, parts: func(w *fixture) []string {
		s := testkit.Must(w.store.SandboxSettings(w.t.Context(), river))(w.t)
		return []string{s.ClockOffset.String()}
	}, page: func(*fixture, int) (string, []string) {
		return "/developer/o/river/clock", []string{"step", "5m"}
	}},
	"Fault": {user: dev, what: "fault.set", parts: func(w *fixture) []string {
		f, err := w.store.Fault(w.t.Context(), "shop")
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			w.t.Fatal(err)
		}
		return []string{f.Name}
	}, page: func(w *fixture, n int) (string, []string) {
		w.ok(w.store.SetFault(w.t.Context(), storage.Fault{ClientID: "shop", ExpiresAt: w.now().Add(time.Hour)}))
		return pathIn(storage.Sandbox, "/faults"), []string{"fault", "token_slow"}
	}},
}

// stands gives the application shop of the sandbox a state of review, as before any decision.
func (w *fixture) stands(state storage.Review) {
	a := w.application(storage.Sandbox, "shop")
	a.Review, a.Document = state, nil
	w.ok(w.store.SaveApplication(w.t.Context(), a))
}

func stateOfReview(w *fixture) []string {
	return []string{string(w.application(storage.Sandbox, "shop").Review)}
}

// documentHas reports whether there are words in the document of an application.
func documentHas(env, id, words string) func(w *fixture) []string {
	return func(w *fixture) []string {
		return []string{fmt.Sprint(strings.Contains(string(w.application(env, id).Document), words))}
	}
}

// underReview are the forms about applications that operators review. What is approved is claimed
// first, and an operator completes what has failed.
var underReview = map[string]faultyForm{
	"Ask": {user: dev, what: "production.ask", parts: stateOfReview, page: func(w *fixture, _ int) (string, []string) {
		w.stands(storage.ReviewNone)
		return accessPath, []string{"note", "", "action", "ask"}
	}},
	"Withdraw": {user: dev, what: "production.withdraw", parts: stateOfReview, page: func(w *fixture, _ int) (string, []string) {
		w.stands(storage.ReviewAsked)
		return accessPath, []string{"action", "withdraw"}
	}},
	"Refuse": {user: operator, what: "production.refuse", parts: stateOfReview, page: func(w *fixture, _ int) (string, []string) {
		w.stands(storage.ReviewAsked)
		return reviewPath, []string{"reason", "Because", "action", "refuse"}
	}},
	"Approve": {user: operator, what: "production.approve", anew: true, parts: documentHas(storage.Sandbox, "shop", `"copied":true`), page: func(w *fixture, _ int) (string, []string) {
		w.stands(storage.ReviewAsked)
		return reviewPath, []string{"action", "approve"}
	}},
	"Change": {user: dev, what: "application.change", parts: func(w *fixture) []string {
		return w.client(storage.Production, "live").RedirectURIs[1:]
	}, page: func(w *fixture, n int) (string, []string) {
		c := w.client(storage.Production, "live")
		c.RedirectURIs = []string{callbackURI, fmt.Sprint(callbackURI, "/", n-1)}
		w.ok(w.id.Clients().Save(w.t.Context(), c))
		return livePath + "/settings", []string{
			"tos_uri", fmt.Sprint("https://other.test/", n), "redirect_uris", fmt.Sprint(callbackURI, "\n", callbackURI, "/", n), "action", "save",
		}
	}, shows: func(w *fixture, p page) { says(w.t, p, http.StatusOK, "Changes people see are waiting for review.") }},
	"ApproveChanges": {user: operator, what: "changes.approve", anew: true, parts: documentHas(storage.Production, "live", `"changes"`), page: func(w *fixture, n int) (string, []string) {
		w.as(dev).submitForm(livePath+"/settings", "tos_uri", fmt.Sprintf("https://terms%d.test/", n), "action", "save")
		return liveReviewPath, []string{"action", "approve"}
	}},
}

// runs ends the stop of river.
func (w *fixture) runs() {
	o := testkit.Must(w.store.Organization(w.t.Context(), river))(w.t)
	if !o.Stopped.At.IsZero() {
		w.ok(w.store.StartOrganization(w.t.Context(), river, o.Stopped.At, operator))
	}
	w.GoOn(w.t.Context())
}

// suspended are whether river is, and whether its applications are disabled.
func suspended(w *fixture) []string {
	o := testkit.Must(w.store.Organization(w.t.Context(), river))(w.t)
	return []string{
		fmt.Sprint(o.Stopped.At.IsZero()), fmt.Sprint(w.client(storage.Production, "shop").Disabled), fmt.Sprint(w.client(storage.Sandbox, "shop").Disabled),
	}
}

// TestFormOfAFailingDatabase tests that a form of which any statement fails, alone or with all that
// follow, is 503 and has changed nothing, or is done whole and recorded, at the latest after the next
// round of the background; and that the same form does it when all is well again. With -short each
// statement fails in one of the two ways, and production is left out, whose database is the dashboard's own.
func TestFormOfAFailingDatabase(t *testing.T) {
	t.Parallel()
	own := func(t *testing.T) *fixture {
		w := newFixture(t, roomy, func(c *developer.Config) { c.Operator = isOperator })
		return w.withApplication(river, storage.Sandbox, "shop").withApplication(river, storage.Production, "shop")
	}
	for kind, of := range map[string]struct {
		forms map[string]faultyForm
		make  func(t *testing.T) *fixture
	}{
		"OfProduction": {inEnvironment(storage.Production), own}, "OfTheSandbox": {inEnvironment(storage.Sandbox), own}, "OfOrganizations": {ofOrganizations, own},
		"UnderReview": {underReview, func(t *testing.T) *fixture { return newApprovedFixture(t, roomy) }},
	} {
		if testing.Short() && kind == "OfProduction" {
			continue
		}
		for name, form := range of.forms {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				w, n := of.make(t), 0
				for i, alone := range []bool{true, false} {
					first, step := 1, 1
					if testing.Short() {
						first, step = 1+i, 2
					}
					for at, over := first, false; !over; at += step {
						n++
						over = form.fails(w, n, at, alone)
					}
				}
			})
		}
	}
}

// roomy has room for what is made for each statement.
func roomy(c *developer.Config) {
	c.Quotas = developer.Quotas{Organizations: 1000, OrganizationsPerDay: 1000, Applications: 1000, Invitations: 1000, RegistrationTokens: 1000}
}

// fails has the form sent while a statement fails, and reports whether it has fewer.
func (f faultyForm) fails(w *fixture, n, at int, alone bool) (over bool) {
	w.t.Helper()
	w.advance(time.Hour)
	b := w.as(f.user)
	address, values := f.page(w, n)
	action, fields := b.open(address).form(w.t, values...)
	before, lines := f.parts(w), w.linesOf(f.what)
	w.tap.Open(at, alone)
	p := b.post(action, fields)
	sent := w.tap.Close()
	w.GoOn(w.t.Context())
	what := fmt.Sprintf("statement %d (alone: %v): %s", at, alone, p.Status)
	if at <= len(sent) {
		what += ": " + sent[at-1]
	}
	if p.StatusCode == http.StatusServiceUnavailable {
		f.compare(w, before, lines, false, what)
		w.advance(10 * time.Second)
		if f.anew {
			_, fields = b.open(address).form(w.t, values...)
		}
		if p = b.post(action, fields); p.StatusCode >= http.StatusBadRequest {
			w.t.Errorf("%s; and again: %s", what, p.Status)
			return at > len(sent)
		}
		what += "; and again"
		w.GoOn(w.t.Context())
	}
	if p.StatusCode >= http.StatusBadRequest {
		w.t.Error(what)
	}
	p = b.follow(p) // the first to read what is done
	f.compare(w, before, lines, true, what)
	if f.shows != nil {
		f.shows(w, p)
	}
	return at > len(sent)
}

// A program that registers an application gets its secret and its token, or there is no application.
func TestRegistrationByAProgramOfAFailingDatabase(t *testing.T) {
	t.Parallel()
	w := newFixture(t, roomy)
	for _, alone := range []bool{true, false} {
		for at, over := 1, false; !over; at++ {
			w.advance(time.Hour)
			token, before := w.makesToken(storage.Production), registeredIn(storage.Production)(w)
			w.tap.Open(at, alone)
			p, said := w.registers(token)
			over = len(w.tap.Close()) < at
			w.GoOn(t.Context())
			now := registeredIn(storage.Production)(w)
			if made := p.StatusCode == http.StatusCreated; (now[0] != before[0]) != made || (now[1] != before[1]) != made || !made && p.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("statement %d (alone: %v): %s; applications and clients %v, then %v", at, alone, p.Status, before, now)
			}
			if p.StatusCode != http.StatusCreated {
				continue
			}
			secret, err := w.id.Clients().Secret(t.Context(), said.text("client_id"))
			if err != nil || secret != said.text("client_secret") || said.text("registration_access_token") == "" {
				t.Errorf("statement %d (alone: %v): %v, %v", at, alone, said, err)
			}
		}
	}
}

// compare looks at all that the form changes.
func (f faultyForm) compare(w *fixture, before []string, lines int, changed bool, what string) {
	w.t.Helper()
	now := f.parts(w)
	for i := range before {
		if (now[i] != before[i]) != changed {
			w.t.Errorf("%s: part %d is %q, was %q", what, i, now[i], before[i])
		}
	}
	if got := w.linesOf(f.what) - lines; (got == 1) != changed || got > 1 {
		w.t.Errorf("%s: %d entries", what, got)
	}
}

// linesOf counts the entries of an act in all activity logs.
func (w *fixture) linesOf(what string) (n int) {
	all := testkit.Must(w.store.Organizations(w.t.Context(), storage.OrganizationFilter{Search: "Org"}, "", 1000))(w.t)
	for _, o := range all {
		for _, c := range w.changes(o.ID) {
			if c.What == what {
				n++
			}
		}
	}
	return n
}

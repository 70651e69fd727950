package desk_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// silentOperations are those that leave no line, and why.
var silentOperations = map[string]string{
	"GET /matters": "the own matters of the client", "GET /matters/{matter}": "an own matter of the client",
	"GET /plans": "the own plans of the client", "GET /plans/{plan}": "an own plan of the client",
	"GET /applications": "applications", "GET /applications/{application}": "an application", "GET /hosts": "counts", "GET /hosts/{host}": "counts",
	"GET /organizations": "names of organizations", "GET /organizations/{organization}": "an organization",
	"GET /receivers": "counts, and hosts of applications", "GET /receivers/{receiver}": "counts",
	"GET /cases": "cases that wait, without a person", "GET /cases/numbers": "counts",
	"GET /checkpoints/latest": "the log as a whole", "GET /blocks": "the log as a whole", "GET /keys": "the service", "GET /report": "counts",
}

// operations are those of the Admin API, by method and path.
func (w *machines) operations() (all []string) {
	w.T.Helper()
	_, document := w.ask(http.MethodGet, "/openapi.json", "")
	for path, methods := range document["paths"].(map[string]any) {
		for method := range methods.(map[string]any) {
			if method != "parameters" {
				all = append(all, strings.ToUpper(method)+" "+path)
			}
		}
	}
	slices.Sort(all)
	return all
}

func TestEveryOperationHasItsLine(t *testing.T) {
	t.Parallel()
	w := newMachinesAt(t, "", func(c *desk.Config, w *machines) {
		c.Dashboard = dashboard(w.Fixture)
		c.Verification = testkit.Must(verification.New(verification.Config{
			Provider: w.Provider, Store: w.Store.(storage.Verification), Clock: w.Now, Mailer: w.Mails,
			Policies: verification.Policies{{Group: "student", Rule: verification.By(verification.Invitation())}},
		}))(w.T)
	})
	all, demanded := w.operations(), map[string]bool{}
	// demand sends a request and demands lines of the client with this detail, in the matter if the
	// request has one.
	demand := func(operation, path, body string, name string, detail string, headers ...string) map[string]any {
		t.Helper()
		demanded[operation] = true
		if !slices.Contains(all, operation) {
			t.Errorf("there is no operation %q", operation)
		}
		w.Exec(`DELETE FROM attempts`)
		w.keys++
		method, _, _ := strings.Cut(operation, " ")
		p, answer := w.ask(method, path, body, append(headers, "Idempotency-Key", fmt.Sprint("key-", w.keys))...)
		if p.StatusCode >= http.StatusBadRequest {
			t.Errorf("%s: %s %v", operation, p.Status, answer)
		}
		lines := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: name, Actor: "client:robot"}))(w.T)
		if !slices.ContainsFunc(lines, func(e provider.RecordedEvent) bool {
			return e.Detail == detail && (w.matter == "" || e.Matter == w.matter)
		}) {
			t.Errorf("%s: no line %s %q in %q, but %+v", operation, name, detail, w.matter, lines)
		}
		return answer
	}
	demand("POST /people/find", "/people/find", `{"by": "id", "value": "bob"}`, event.PersonFound, "")
	opened := demand("POST /matters", "/matters", `{"person": "bob", "reason": "caller"}`, event.MatterOpened, "caller")
	w.matter = opened["id"].(string)
	for path, part := range map[string]string{
		"": "account", "/sessions": "sessions", "/connections": "factors", "/consents": "applications", "/statuses": "groups", "/events": "history",
	} {
		demand("GET /people/{person}"+path, "/people/bob"+path, "", event.SupportLooked, part)
	}
	demand("POST /matters/{matter}/code", "/matters/"+w.matter+"/code", "{}", event.CallerCodeMade, "mailbox")
	mail, _ := w.Mails.Last(t)
	demand("POST /matters/{matter}/proof", "/matters/"+w.matter+"/proof", fmt.Sprintf(`{"code": %q}`, mailedCode.FindStringSubmatch(mail.Text)[1]), event.CallerProved, "mailbox")
	demand("POST /matters/{matter}/close", "/matters/"+w.matter+"/close", "{}", event.MatterClosed, "")
	w.matter = ""
	demand("GET /events", "/events?person=bob", "", event.StaffLooked, "trail by person")
	planned := demand("POST /plans", "/plans", `{"action": "lock", "reason": "incident", "targets": ["bob", "alice"]}`, event.PlanProposed, "lock")
	plan := "/plans/" + planned["id"].(string)
	demand("GET /plans/{plan}/targets", plan+"/targets", "", event.StaffLooked, "targets of a plan: lock")
	demand("POST /plans/{plan}/withdraw", plan+"/withdraw", "{}", event.PlanRefused, "lock")
	hook := hooked(w.Fixture)
	demand("GET /receivers/{receiver}/messages", "/receivers/"+hook+"/messages", "", event.StaffLooked, "receiver "+hook)
	w.acted(all, demanded, hook)
	for _, operation := range all {
		if !demanded[operation] && silentOperations[operation] == "" {
			t.Errorf("%s: no line is demanded of it, nor is it said why it leaves none", operation)
		}
	}
}

// acted does every action of the table, and demands that each line of it is of the client, and in its
// matter.
func (w *machines) acted(all []string, demanded map[string]bool, hook string) {
	w.T.Helper()
	at := map[action.Kind][2]string{
		action.Application: {"/applications/{application}/", "/applications/app/"}, action.Host: {"/hosts/{host}/", "/hosts/app.example/"},
		action.Organization: {"/organizations/{organization}/", "/organizations/river/"}, action.Receiver: {"/receivers/{receiver}/", "/receivers/" + hook + "/"},
	}
	for _, rule := range action.Table() {
		pattern, path, person := at[rule.Target][0]+rule.Name, at[rule.Target][1]+rule.Name, ""
		w.matter = ""
		switch {
		case rule.Target == action.Person:
			person = w.needy(rule.Name)
			w.within("robot", person, storage.SessionProof)
			pattern, path = "/people/{person}/"+rule.Name, "/people/"+person+"/"+rule.Name
		case rule.Name == action.AppointOwner:
			path = "/organizations/lake/" + rule.Name
		}
		if !slices.Contains(all, "POST "+pattern) {
			continue // no client does it
		}
		demanded["POST "+pattern], demanded["POST "+pattern+"/check"] = true, true
		body := clientBody(w, rule, person)
		_, tag := w.try(path+"/check", body)
		before := w.newest()
		if person != "" && w.newest().Name != event.SupportLooked {
			w.T.Errorf("%s/check: the last line is %+v", pattern, before)
		}
		if code, _ := w.try(path, body, "If-Match", tag); code != codeDone {
			w.T.Errorf("%s: %s", pattern, code)
		}
		lines := testkit.Must(w.Events().List(w.T.Context(), provider.EventFilter{Actor: "client:robot", Matter: w.matter, UserID: person, Limit: 1}))(w.T)
		if len(lines) == 0 || lines[0].ID <= before.ID {
			w.T.Errorf("%s: no line, but %+v", pattern, lines)
		}
	}
}

// newest is the last line of the audit log.
func (w *machines) newest() provider.RecordedEvent {
	w.T.Helper()
	lines := testkit.Must(w.Events().List(w.T.Context(), provider.EventFilter{Limit: 1}))(w.T)
	return lines[0]
}

package desk_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/internal/lab/databases"
	"github.com/bonafide-id/bonafide/storage"
)

// The answers of the Admin API, beside the codes of its problems.
const (
	codeDone  = "done"
	codePlan  = "proposed"
	codeNone  = "not_found"
	codeProof = "proof_missing"
)

// codes are what a client meets where the list says what an operator does.
var codes = map[string]string{answerYes: codeDone, answerProof: codeProof, answerTwo: codePlan}

const (
	scopePeople       = "desk.people.act"
	scopeApplications = "desk.applications.act"
)

// try posts with a key of its own and returns the code of the answer, and what it is the revision of.
func (w *machines) try(path, body string, headers ...string) (code, tag string) {
	w.T.Helper()
	w.Exec(`DELETE FROM attempts`) // no client asks as often as this
	w.keys++
	p, answer := w.ask(http.MethodPost, path, body, append(headers, "Idempotency-Key", fmt.Sprint("key-", w.keys))...)
	switch p.StatusCode {
	case http.StatusOK:
		code = codeDone
	case http.StatusCreated:
		code = codePlan
	default:
		code, _ = answer["code"].(string)
	}
	return code, p.Header.Get("ETag")
}

// as runs something with another token.
func (w *machines) as(token string, run func()) {
	was := w.token
	w.token = token
	run()
	w.token = was
}

// meets checks what a client meets that tries something.
func (w *machines) meets(want, path, body string, headers ...string) {
	w.T.Helper()
	if got, _ := w.try(path, body, headers...); got != want {
		w.T.Errorf("%s %s %v: %s, want %s", path, body, headers, got, want)
	}
}

// meetsNothing checks that there is nothing at the address of an act, whatever was looked at.
func (w *machines) meetsNothing(path, body string) {
	w.T.Helper()
	w.meets(codeNone, path+"/check", body)
	w.meets(codeNone, path, body, "If-Match", `"of-nothing"`)
}

// meetsScopes has clients try an act without its scope.
func (w *machines) meetsScopes(path, body, scope string) {
	w.T.Helper()
	for token, want := range map[string]string{w.without[scope]: "insufficient_scope", w.reads: "insufficient_scope", "": "token_missing"} {
		w.as(token, func() {
			w.meets(want, path+"/check", body)
			w.meets(want, path, body, "If-Match", `"of-nothing"`)
		})
	}
}

// acts has a client do an act that there is: unseen, seen otherwise, and then as it is.
func (w *machines) acts(want, path, body, scope string) {
	w.T.Helper()
	w.meets("if_match_missing", path, body)
	w.meets("changed", path, body, "If-Match", `"of-nothing"`)
	got, tag := w.try(path+"/check", body)
	if got != codeDone || tag == "" {
		w.T.Errorf("%s/check: %s", path, got)
		return
	}
	w.as(w.only[scope], func() { w.meets(want, path, body, "If-Match", tag) })
}

// robots is a place with tokens of each kind.
func robots(t *testing.T, url string) *machines {
	t.Helper()
	w := newMachinesAt(t, url, func(c *desk.Config, w *machines) { c.Dashboard = dashboard(w.Fixture) })
	w.without, w.only = map[string]string{}, map[string]string{}
	all := desk.Resource("").Scopes
	for _, scope := range []string{scopePeople, scopeApplications} {
		w.only[scope] = w.granted(scope)
		w.without[scope] = w.granted(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == scope })...)
	}
	w.reads = w.granted("desk.people.read", "desk.applications.read", "desk.events.read")
	return w
}

// clientBody are the values of an action as a body.
func clientBody(w *machines, rule action.Rule, person string) string {
	w.T.Helper()
	values := map[string]string{}
	for _, f := range rule.Fields {
		values[f.Name] = matrixValues[f.Name]
		switch f.Name {
		case action.FieldUntil:
			values[f.Name] = w.Now().AddDate(1, 0, 0).Format(time.DateOnly)
		case action.FieldClient:
			values[f.Name] = "std"
		case action.FieldCredential:
			values[f.Name] = "credential-of-" + person
		case action.FieldSession:
			if data, err := w.People().Get(w.T.Context(), person); err == nil && len(data.Sessions) > 0 {
				values[f.Name] = data.Sessions[0].Handle
			}
		}
	}
	body, err := json.Marshal(values)
	w.OK(err)
	return string(body)
}

// needy returns somebody to whom an action can be done.
func (w *machines) needy(name string) string {
	w.T.Helper()
	ctx := w.T.Context()
	w.keys++
	id := fmt.Sprintf("%s-%d", strings.ReplaceAll(name, "_", "-"), w.keys)
	_, err := w.Accounts().Save(ctx, provider.Account{ID: id, Email: id + "@example.com", EmailVerified: true, Password: staffPass})
	w.OK(err)
	switch name {
	case action.EndSession:
		w.NewBrowser().SignIn(id+"@example.com", staffPass)
	case action.RevokeApplication:
		w.NewBrowser().SignIn(id+"@example.com", staffPass).Allow("client_id", "std", "scope", "openid profile")
	case action.Unlock:
		w.OK(w.Accounts().SetDisabled(ctx, id, true))
	case action.EndStatus:
		w.OK(w.People().SetStatus(ctx, id, provider.Status{Group: "student", Verified: true}))
	case action.StopDeletion:
		w.OK(w.Rooms().Accounts.ScheduleDeletion(ctx, id))
	case action.ResetFactors, action.ResetFactorsNow:
		w.AddApp(id)
	}
	return id
}

// within opens a matter of a client about somebody, in which the caller has proved something.
func (w *machines) within(client, person string, proof storage.CallerProof) {
	w.T.Helper()
	w.keys++
	w.matter = fmt.Sprint("matter-", w.keys)
	now := w.Now()
	w.OK(w.Store.(desk.Store).OpenMatter(w.T.Context(), storage.Matter{
		ID: w.matter, Staff: "client:" + client, Role: "api", Subject: person, Reason: "caller", OpenedAt: now, EndsAt: now.Add(30 * time.Minute),
	}))
	w.MustExec(`UPDATE matters SET proof = ?1, proved_until = ?2 WHERE id = ?3`, int(proof), now.Add(5*time.Minute).UnixMicro(), w.matter)
}

// plansOnly reports whether a client may only propose an action: an operator is told that it takes
// two.
func (r matrixRow) plansOnly() bool { return slices.Contains(r.operator[:], answerTwo) }

// shows reports whether an action only shows something: a client has no eyes.
func (r matrixRow) shows() bool { return strings.HasPrefix(r.action, "show_") }

func ruleOf(t testing.TB, name string) action.Rule {
	t.Helper()
	i := slices.IndexFunc(action.Table(), func(r action.Rule) bool { return r.Name == name })
	if i < 0 {
		t.Fatalf("%s is not in the table", name)
	}
	return action.Table()[i]
}

func TestMatrixOfClients(t *testing.T) {
	t.Parallel()
	databases.OnBoth(t, func(t *testing.T, url string) {
		w := robots(t, url)
		for _, row := range readMatrix(t) {
			for i, proof := range proofs {
				person := w.needy(row.action)
				w.within("robot", person, proof)
				w.meetsRow(row, person, proof, codes[row.operator[i]])
			}
		}
		t.Run("StaleProof", func(t *testing.T) {
			for _, row := range readMatrix(t) {
				person := w.needy(row.action)
				w.within("robot", person, storage.SessionProof)
				w.MustExec(`UPDATE matters SET proved_until = ?1 WHERE id = ?2`, w.Now().UnixMicro(), w.matter)
				w.meetsRow(row, person, storage.NoProof, codes[row.operator[0]])
			}
		})
	})
}

// meetsRow has a client try the action of a row in the matter that is open, whose caller has proved something.
func (w *machines) meetsRow(row matrixRow, person string, proof storage.CallerProof, want string) {
	w.T.Helper()
	rule := ruleOf(w.T, row.action)
	path, body := "/people/"+person+"/"+row.action, clientBody(w, rule, person)
	switch {
	case row.shows():
		w.meetsNothing(path, body)
		w.meets("invalid_value", "/plans", w.proposal(rule.Name, body, person))
	case row.plansOnly():
		w.meetsNothing(path, body)
		w.proposes(want, rule.Name, body, person)
	default:
		if proof == storage.SessionProof {
			w.meetsScopes(path, body, scopePeople)
		}
		w.acts(want, path, body, scopePeople)
	}
}

// proposal is the body of a plan about one person, in the matter that is open.
func (w *machines) proposal(name, values, person string) string {
	matter := fmt.Sprintf(`, "matter": %q`, w.matter)
	if w.matter == "" {
		matter = ""
	}
	return fmt.Sprintf(`{"action": %q, "reason": "caller", "targets": [%q], "values": %s%s}`, name, person, values, matter)
}

// proposes has a client propose what takes two.
func (w *machines) proposes(want, name, values, person string) {
	w.T.Helper()
	body := w.proposal(name, values, person)
	w.as(w.without[scopePeople], func() { w.meets("insufficient_scope", "/plans", body) })
	w.meets(want, "/plans", body)
	for _, other := range []string{"alice", "nobody", "bob"} {
		w.meets(codeNone, "/plans", w.proposal(name, values, other))
	}
	w.matter = ""
	w.meets("invalid_value", "/plans", w.proposal(name, values, person))
}

// What is nobody's for the staff is nobody's for a client: the staff, whoever is gone, and everybody
// whom the matter is not about.
func TestMatrixOfClientsAndNobody(t *testing.T) {
	t.Parallel()
	databases.OnBoth(t, func(t *testing.T, url string) {
		w := robots(t, url)
		_, err := w.Accounts().Save(t.Context(), provider.Account{ID: "gone", Email: "gone@example.com"})
		w.OK(err)
		for name, open := range map[string]struct{ client, about, person string }{
			"Staff":             {"robot", "alice", "alice"},
			"Nobody":            {"robot", "nobody", "nobody"},
			"Deleted":           {"robot", "gone", "gone"},
			"MatterOfAnother":   {"rival", "bob", "bob"},
			"MatterAboutOthers": {"robot", "someone", "bob"},
			"MatterThatIsOver":  {"robot", "bob", "bob"},
		} {
			t.Run(name, func(t *testing.T) {
				w.within(open.client, open.about, storage.SessionProof)
				switch name {
				case "Deleted":
					w.OK(w.Accounts().Delete(t.Context(), "gone"))
				case "MatterThatIsOver":
					w.OK(w.Store.(desk.Store).CloseMatter(t.Context(), w.matter, "client:robot", w.Now()))
				}
				for _, row := range readMatrix(t) {
					rule := ruleOf(t, row.action)
					body := clientBody(w, rule, open.person)
					w.meetsNothing("/people/"+open.person+"/"+rule.Name, body)
					if row.plansOnly() {
						w.meets(codeNone, "/plans", w.proposal(rule.Name, body, open.person))
					}
				}
			})
		}
		t.Run("WithoutAMatter", func(t *testing.T) {
			w.matter = ""
			for _, row := range readMatrix(t) {
				if !row.shows() && !row.plansOnly() {
					w.meets("matter_missing", "/people/bob/"+row.action, "{}", "If-Match", `"of-nothing"`)
				}
			}
		})
	})
}

func TestMatrixOfClientsAndTheService(t *testing.T) {
	t.Parallel()
	databases.OnBoth(t, func(t *testing.T, url string) {
		w := robots(t, url)
		of := map[action.Kind]string{action.Application: "/applications/app", action.Host: "/hosts/app.example", action.Receiver: "/receivers/" + hooked(w.Fixture), action.Organization: "/organizations/river"}
		for _, row := range readServiceMatrix(t) {
			body := clientBody(w, row.Rule, "")
			if row.Target == action.Service {
				w.meetsNothing("/service/"+row.Name, body)
				w.meetsNothing("/keys/"+row.Name, body)
				w.meets("invalid_value", "/plans", w.proposal(row.Name, body, "service"))
				continue
			}
			target := cmp.Or(map[string]string{action.AppointOwner: "/organizations/lake"}[row.Name], of[row.Target])
			w.meetsNothing(noneLike(target)+"/"+row.Name, body)
			w.meetsScopes(target+"/"+row.Name, body, scopeApplications)
			w.acts(codes[row.operator], target+"/"+row.Name, body, scopeApplications)
		}
	})
}

package desk_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// watched is a place with olga, its operator, and alba, its auditor.
func watched(t *testing.T) (w *place, olga, alba *lab.Browser) {
	t.Helper()
	w = newPlace(t)
	w.hires("olga", desk.RoleOperator)
	w.hires("alba", desk.RoleAuditor)
	return w, w.reviewer("olga"), w.reviewer("alba")
}

func TestServicePages(t *testing.T) {
	t.Parallel()
	w, olga, alba := watched(t)
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "seen", Dialect: provider.V3, RedirectURIs: []string{"https://seen.example/in"}}))
	client := "/desk/applications/seen"
	for path, says := range map[string]string{
		"/desk/applications": "Applications", client: "Redirect addresses", "/desk/organizations": "no dashboard", "/desk/keys": "Signs until",
		"/desk/health": "Database", "/desk/numbers": "Failed sign-ins", "/desk/trail": "sign_in", "/desk/looks": "Nobody on the staff",
	} {
		shows(t, olga.Open(path), http.StatusOK, says)
	}
	for _, path := range []string{"/desk/numbers", "/desk/trail", "/desk/looks"} {
		shows(t, alba.Open(path), http.StatusOK)
	}
	rita := w.reviewer("rita")
	for _, path := range []string{"/desk/applications", client, "/desk/organizations", "/desk/keys", "/desk/health"} {
		shows(t, alba.Open(path), http.StatusNotFound)
		shows(t, rita.Open(path), http.StatusNotFound)
	}
	for _, path := range []string{"/desk/trail", "/desk/trail.csv", "/desk/trail.jsonl", "/desk/looks", "/desk/numbers"} {
		shows(t, rita.Open(path), http.StatusNotFound)
	}
	for _, path := range []string{"/desk/applications/none", "/desk/none"} {
		shows(t, olga.Open(path), http.StatusNotFound, `href="/desk/">Back to the start page`)
		if p := w.Bob().Open(path); p.StatusCode != http.StatusNotFound || strings.Contains(p.Text, "/desk/\"") {
			t.Errorf("%s tells anybody of the desk", path)
		}
	}
}

func TestTrailThatNobodyVerifiesIsWrong(t *testing.T) {
	t.Parallel()
	w, olga, _ := watched(t)
	olga.Open("/desk/")
	w.seals()
	for _, wrong := range []bool{false, true} {
		w.Advance(7*24*time.Hour + time.Minute) // when it is due first
		if p := w.reviewer("olga").Open("/desk/"); strings.Contains(p.Text, "Failed checks of the trail") != wrong {
			t.Errorf("want %t\n%s", wrong, p.Text)
		}
	}
}

func TestTakeScopes_Ticked(t *testing.T) {
	t.Parallel()
	w, olga, _ := watched(t)
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "seen", Dialect: provider.V3, RedirectURIs: []string{"https://seen.example/in"}, Scopes: []string{"openid", "login", "student"},
	}))
	form := "/desk/applications/seen/do/take_scopes"
	p := olga.Open(form)
	shows(t, p, http.StatusOK, `name="scopes.login"`, `name="scopes.student"`)
	shows(t, send(olga, form, "check"), http.StatusUnprocessableEntity, `name="scopes.student"`)
	shows(t, send(olga, form, "check", "scopes.openid", "on", "scopes.login", "on", "scopes.student", "on"), http.StatusUnprocessableEntity)
	p = send(olga, form, "check", "scopes.login", "on", "scopes.student", "on")
	shows(t, p, http.StatusOK, "login student")
	olga.Follow(olga.Submit(p, "action", "do"))
	c := testkit.Must(w.Clients().Get(t.Context(), "seen"))(w.T)
	if len(c.Scopes) != 1 || c.Scopes[0] != "openid" {
		t.Errorf("scopes %q", c.Scopes)
	}
}

func TestApplications_FoundByNameIDAndHost(t *testing.T) {
	t.Parallel()
	w, olga, _ := watched(t)
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "sought", Dialect: provider.V3, Name: "Sought", RedirectURIs: []string{"https://only.here.example/in"}}))
	for _, q := range []string{"sought", "only.here.example", "ONLY.here.example"} {
		shows(t, olga.Open("/desk/applications?q="+q), http.StatusOK, "/desk/applications/sought")
	}
	shows(t, olga.Open("/desk/applications?q=here.example"), http.StatusOK, "No application matches")
}

// A name that somebody chose is text, whatever is in it.
func TestApplications_NamesAreText(t *testing.T) {
	t.Parallel()
	w, olga, _ := watched(t)
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "odd", Dialect: provider.V3, Name: `<b onclick="x">&amp;</b>`, RedirectURIs: []string{"https://odd.example/in"}}))
	for _, path := range []string{"/desk/applications", "/desk/applications/odd"} {
		p := olga.Open(path)
		if strings.Contains(p.Text, "<b onclick") || !strings.Contains(p.Text, "<bdi") {
			t.Errorf("%s: a name is markup", path)
		}
	}
}

func TestTrail_Filters(t *testing.T) {
	t.Parallel()
	w, _, alba := watched(t)
	event := func(name, user, client string) {
		w.OK(w.Events().Record(provider.By(t.Context(), storage.Actor{Name: "staff:olga", Matter: "m1"}), provider.Event{Name: name, UserID: user, ClientID: client, Detail: "canary of " + name}))
	}
	event("account_disabled", "bob", "")
	event("client_stopped", "", "shop")
	for query, want := range map[string][2]string{
		"person=bob": {"account_disabled", "client_stopped"}, "application=shop": {"client_stopped", "account_disabled"},
		"event=account_*": {"account_disabled", "client_stopped"}, "event=client_stopped": {"client_stopped", "account_disabled"},
	} {
		p := alba.Open("/desk/trail?" + query)
		shows(t, p, http.StatusOK, "canary of "+want[0])
		if strings.Contains(p.Text, "canary of "+want[1]) {
			t.Errorf("%s shows %s", query, want[1])
		}
	}
	for _, query := range []string{"staff=olga", "matter=m1", "staff=staff:olga"} {
		shows(t, alba.Open("/desk/trail?"+query), http.StatusOK, "canary of client_stopped", "canary of account_disabled")
	}
	shows(t, alba.Open("/desk/trail?event=nothing_*"), http.StatusOK, "Nothing was recorded")
	shows(t, alba.Open("/desk/trail?network=192.0.2.0/24"), http.StatusUnprocessableEntity, "Correct the filter")
	shows(t, alba.Open("/desk/trail?from=yesterday"), http.StatusUnprocessableEntity, "Correct the filter")
	shows(t, alba.Open("/desk/trail?after=altered"), http.StatusBadRequest)
}

func TestTrail_Pages(t *testing.T) {
	t.Parallel()
	w, _, alba := watched(t)
	for i := range 120 {
		w.OK(w.Events().Record(t.Context(), provider.Event{Name: "pages", UserID: "bob", Detail: fmt.Sprintf("line %03d.", i)}))
	}
	p := alba.Open("/desk/trail?person=bob&event=pages")
	seen := 0
	for range 3 {
		for i := range 120 {
			if strings.Contains(p.Text, fmt.Sprintf("line %03d.", i)) {
				seen++
			}
		}
		_, rest, more := strings.Cut(p.Text, `<a href="?after=`)
		if !more {
			break
		}
		cursor, _, _ := strings.Cut(rest, `"`)
		if other := alba.Open("/desk/trail?person=rita&event=pages&after=" + strings.Split(cursor, "&")[0]); other.StatusCode != http.StatusBadRequest {
			t.Errorf("a cursor of another list: %s", other.Status)
		}
		p = alba.Open("/desk/trail?after=" + strings.ReplaceAll(cursor, "&amp;", "&"))
	}
	if seen != 120 {
		t.Errorf("three pages show %d lines", seen)
	}
}

func TestTrail_Export(t *testing.T) {
	t.Parallel()
	w, _, alba := watched(t)
	w.OK(w.Events().Record(t.Context(), provider.Event{Name: "odd", UserID: "=1+1", Detail: "@x"}))
	rows := testkit.Must(csv.NewReader(strings.NewReader(alba.Get("/desk/trail.csv?event=odd").Text)).ReadAll())(w.T)
	if len(rows) != 3 || rows[1][3] != "'=1+1" || rows[1][6] != "'@x" || rows[2][2] != "checkpoint" {
		t.Errorf("exported are %q", rows)
	}
	lines := strings.Split(strings.TrimSpace(alba.Get("/desk/trail.jsonl?event=odd").Text), "\n")
	var first struct {
		UserID string `json:"user_id"`
	}
	w.OK(json.Unmarshal([]byte(lines[0]), &first))
	if len(lines) != 2 || first.UserID != "=1+1" || !strings.Contains(lines[1], "checkpoint") {
		t.Errorf("exported are %q", lines)
	}
	events := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: event.TrailExported}))(w.T)
	if len(events) != 2 || events[0].Actor != "staff:alba" {
		t.Errorf("recorded are %+v", events)
	}
}

func TestTrail_LimitsARequest(t *testing.T) {
	t.Parallel()
	_, _, alba := watched(t)
	for range 10 {
		shows(t, alba.Get("/desk/trail.csv?event=none"), http.StatusOK)
	}
	shows(t, alba.Get("/desk/trail.csv?event=none"), http.StatusTooManyRequests)
}

func TestLooks_AreReleased(t *testing.T) {
	t.Parallel()
	w, olga, alba := watched(t)
	store, now := w.Store.(desk.Store), w.Now()
	w.OK(store.OpenMatter(t.Context(), storage.Matter{
		ID: "m1", Staff: "sven", Role: "support", Subject: "bob", Reason: "authority", OpenedAt: now, EndsAt: now.Add(time.Hour), WithheldUntil: now.AddDate(0, 0, 90),
		Note: w.Rooms().People.Seal("desk note", "m1", []byte("The office asks for <b>bob</b>.")),
	}))
	w.OK(store.OpenMatter(t.Context(), storage.Matter{
		ID: "m0", Staff: "olaf", Role: "operator", Subject: "olga", Reason: "incident", OpenedAt: now, EndsAt: now.Add(time.Hour), WithheldUntil: now.AddDate(0, 0, 90),
		Note: w.Rooms().People.Seal("desk note", "m0", []byte("About olga herself.")),
	}))
	record := func(name string, detail string) {
		w.OK(w.Events().Record(provider.By(t.Context(), storage.Actor{Name: "staff:sven", Matter: "m1"}), provider.Event{Name: name, UserID: "bob", Detail: detail}))
	}
	record(event.SupportLooked, "sessions")
	shows(t, alba.Open("/desk/looks"), http.StatusOK, "sven", "authority", "sessions", "No action followed", "does not read of it")
	if p := alba.Open("/desk/looks"); strings.Contains(p.Text, "office") || strings.Contains(p.Text, "herself") {
		t.Error("an auditor reads the notes")
	}
	record(event.AccountDisabled, "")
	p := olga.Open("/desk/looks?staff=sven")
	shows(t, p, http.StatusOK, "account_disabled", "Let the person read of it", "The office asks for &lt;b&gt;bob")
	if all := olga.Open("/desk/looks"); !strings.Contains(all.Text, "olaf") || strings.Contains(all.Text, "herself") {
		t.Error("an operator reads what is withheld from them")
	}
	shows(t, sendOnce(olga, "/desk/looks", "release", "matter", "m0"), http.StatusNotFound)
	if strings.Contains(p.Text, "No action followed") {
		t.Error("an action followed")
	}
	shows(t, sendOnce(alba, "/desk/looks", "release", "matter", "m1"), http.StatusNotFound)
	shows(t, sendOnce(olga, "/desk/looks", "release", "matter", "none"), http.StatusNotFound)
	sendOnce(olga, "/desk/looks", "release", "matter", "m1")
	m := testkit.Must(storage.One(store.Matters(t.Context(), storage.MatterFilter{ID: new("m1")})))(w.T)
	if w.Now().Before(m.WithheldUntil) {
		t.Errorf("it is withheld until %v", m.WithheldUntil)
	}
	events := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Matter: "m1", Name: event.MatterReleased}))(w.T)
	if len(events) != 1 || events[0].Actor != "staff:olga" || !slices.ContainsFunc(events, func(e provider.RecordedEvent) bool { return e.UserID == "bob" }) {
		t.Errorf("recorded are %+v", events)
	}
}

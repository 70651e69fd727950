package desk_test

import (
	"context"
	"net/http"
	"regexp"
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

// helped is a place with support, sam, and an operator, olga.
func helped(t *testing.T) (w *place, sam, olga *lab.Browser) {
	t.Helper()
	w = newPlace(t)
	w.hears = true
	w.hires("sam", desk.RoleSupport)
	w.hires("olga", desk.RoleOperator)
	return w, w.reviewer("sam"), w.reviewer("olga")
}

// finds finds a person, and opens a matter about them by the pages.
func finds(b *lab.Browser, sought string, values ...string) lab.Page {
	b.T.Helper()
	p := b.Submit(b.Open("/desk/find"), "sought", sought)
	shows(testingOf(b), p, http.StatusOK, "Why do you look at this person?")
	return b.Submit(p, append([]string{"reason", "caller"}, values...)...)
}

func testingOf(b *lab.Browser) *testing.T {
	t, ok := b.T.(*testing.T)
	if !ok {
		b.T.Fatal("not a test")
	}
	return t
}

// does does what a page has checked.
func does(b *lab.Browser, p lab.Page) lab.Page {
	b.T.Helper()
	values := []string{"revision", hiddenOf(p, "revision")}
	if handle := hiddenOf(p, "handle"); handle != "" {
		values = append(values, "handle", handle)
	}
	return send(b, p.Request.URL.Path, "do", values...)
}

// at is where a page about a person is.
func at(p lab.Page) string { return strings.TrimSuffix(p.Request.URL.Path, "/") }

// lines counts the events of a name, of which the detail is this unless that is empty.
func (w *place) lines(name string, detail string) (n int) {
	w.T.Helper()
	events := testkit.Must(w.Events().List(w.T.Context(), provider.EventFilter{Name: name}))(w.T)
	for _, e := range events {
		if detail == "" || e.Detail == detail {
			n++
		}
	}
	return n
}

func TestSupportLooksAtOnePerson(t *testing.T) {
	t.Parallel()
	w, sam, _ := helped(t)
	w.AddLink("bob", "campus", "bob.b@uni.example")
	w.AddLink("bob", "forge", "Builder")
	shows(t, sam.Open("/desk/"), http.StatusOK, "Find a person")
	p := finds(sam, "bob@example.com", "ticket", "T-42", "note", "called twice")
	shows(t, p, http.StatusOK, "b•••@e•••.com", "The person called", "T-42", "called twice", "proved nothing")
	shows(t, sam.Open(at(p)+"/factors"), http.StatusOK, "Connected accounts", "campus", "b•••@u•••.example", "forge", "•••")
	for _, part := range []string{"overview", "account", "factors", "sessions", "applications", "groups", "cases", "history", "actions"} {
		q := sam.Open(at(p) + "/" + part)
		shows(t, q, http.StatusOK, "b•••@e•••.com")
		for _, hidden := range []string{"bob@example.com", "bob.b@", "Builder"} {
			if strings.Contains(q.Text, hidden) {
				t.Errorf("%s says %q", part, hidden)
			}
		}
		sam.Open(at(p) + "/" + part)
		if n := w.lines(event.SupportLooked, part); n != 1 {
			t.Errorf("%d lines say that %s was looked at, want 1", n, part)
		}
	}
	shows(t, sam.Open("/desk/"), http.StatusOK, "Your open matters", "T-42")
	shows(t, send(sam, at(p)+"/close", ""), http.StatusOK, "The matter is closed")
	shows(t, sam.Open(at(p)), http.StatusOK, "This matter is over")
	if w.lines(event.MatterOpened, "caller") != 1 || w.lines(event.MatterClosed, "") != 1 || w.lines(event.PersonFound, "") != 1 {
		t.Error("the matter is not in the log")
	}
}

// TestCallIsAnsweredInOneLook has somebody call who cannot sign in: the first page of a matter
// says why, in words, and one line says that it was looked at.
func TestCallIsAnsweredInOneLook(t *testing.T) {
	t.Parallel()
	w, sam, _ := helped(t)
	bob := w.NewBrowser()
	bob.Submit(bob.Open("/account"), "email", "bob@example.com", "password", "not his password")
	w.OK(w.Accounts().SetDisabled(t.Context(), "bob", true))
	w.WithClients()
	for _, e := range []provider.Event{
		{Name: event.Consent, ClientID: "v3"}, {Name: event.VerificationEnded, Detail: "student declined"}, {Name: event.ValueShown, Detail: "fname"},
		{Name: event.SignedOut, Detail: "on another device"}, {Name: event.Revoked, ClientID: "v3", Detail: "access token, by the application"},
		{Name: event.LinkAdded, Detail: "upstream forge"}, {Name: event.StaffLooked, Detail: "draft of a plan: lock"},
		{Name: event.Exchanged, ClientID: "v3", Detail: "https://api.example, for v3"}, {Name: "cup_won"},
	} {
		e.UserID = "bob"
		w.OK(w.Events().Record(t.Context(), e))
	}
	p := finds(sam, "bob@example.com")
	shows(t, p, http.StatusOK, "Locked", "Last sign-in", "Failed since then", "Sign-in failed", "Wrong password", "Second step")
	if strings.Contains(p.Text, ">The person<") {
		t.Error("a wrong password is said to be the person's own, whoever entered it")
	}
	if n := w.lines(event.SupportLooked, ""); n != 1 {
		t.Errorf("%d looks, want 1", n)
	}
	sam.Open(at(p) + "/factors")
	history := sam.Open(at(p) + "/history")
	shows(t, history, http.StatusOK, "Account locked", "Wrong password", "Your own looks in this matter: 3", ">account_disabled<", "Sign-in only",
		">The service<", "Found by the staff", "Allowed Veterans Shop to see data", ">Veterans Shop<", "Verification not approved", "Student", "Declined", "First name",
		"On another device", " Access token<", ">forge<", ">https://api.example<")
	for _, raw := range []string{">v3<", ">fname<", "student declined", "Support opened your account", "draft of a plan", "for v3", "upstream"} {
		if strings.Contains(history.Text, raw) {
			t.Errorf("the history speaks to machines: %s", raw)
		}
	}
	if n := strings.Count(history.Text, ">The person<"); n != 5 { // not what an application or the host has done
		t.Errorf("%d lines are said to be of the person, want 5", n)
	}
	if n := strings.Count(history.Text, ">support_looked<"); n != 1 {
		t.Errorf("%d cards of looks, want 1", n)
	}
	if acts := sam.Open(at(p) + "/actions"); strings.Contains(acts.Text, "/do/lock\"") || !strings.Contains(acts.Text, "/do/unlock\"") {
		t.Error("what is locked can be locked, or not unlocked")
	}
	only := sam.Open(at(p) + "/history?of=sign_in")
	shows(t, only, http.StatusOK, "Account locked", "Everything")
	if strings.Contains(only.Text, "support_looked") {
		t.Error("looks are no sign-ins")
	}
}

func TestFindIsExactAndOneAnswer(t *testing.T) {
	t.Parallel()
	w, sam, _ := helped(t)
	w.hires("oleg", desk.RoleOperator)
	for _, sought := range []string{"bo", "bob@example.co", "Bob", "", strings.Repeat("x", 300), "oleg@example.com", "sam@example.com"} {
		shows(t, sam.Submit(sam.Open("/desk/find"), "sought", sought), http.StatusUnprocessableEntity, "Nobody is recorded under exactly this")
	}
	if w.lines(event.DeskRefused, "find") != 2 {
		t.Error("a find of the staff is not in the log")
	}
	shows(t, sam.Submit(sam.Open("/desk/find"), "sought", "bob"), http.StatusOK, "Why do you look")
	if n := w.lines(event.PersonNotFound, ""); n != 7 {
		t.Errorf("%d misses in the log, want 7", n)
	}
}

func TestManyMissesAlarm(t *testing.T) {
	t.Parallel()
	w, sam, _ := helped(t)
	for range 20 {
		sam.Submit(sam.Open("/desk/find"), "sought", "nobody@example.com")
		w.Advance(3 * time.Minute)
		if w.Now().Minute() == 0 {
			sam = w.reviewer("sam")
		}
	}
	if len(w.alarms) != 1 || w.alarms[0].Kind != desk.AlarmMisses || w.alarms[0].Staff != "sam" {
		t.Errorf("alarms: %v", w.alarms)
	}
}

func TestMatterIsOfOneStaffAndOnePerson(t *testing.T) {
	t.Parallel()
	w, sam, olga := helped(t)
	bob := at(finds(sam, "bob@example.com"))
	shows(t, olga.Open(bob), http.StatusNotFound)
	shows(t, w.reviewer("rita").Open(bob), http.StatusNotFound)
	shows(t, sam.Open("/desk/matters/none"), http.StatusNotFound)
	shows(t, send(sam, "/desk/matters", "", "person", "bob", "reason", "caller"), http.StatusUnprocessableEntity, "expired")
	w.Advance(31 * time.Minute)
	sam = w.reviewer("sam")
	shows(t, sam.Open(bob), http.StatusOK, "This matter is over")
	if p := sam.Get(bob + "/account"); strings.Contains(p.Text, "•••") {
		t.Error("a matter that is over shows the person")
	}
}

func TestSomebodyWhoGetsARoleIsProtectedAtOnce(t *testing.T) {
	t.Parallel()
	w, sam, _ := helped(t)
	bob := at(finds(sam, "bob@example.com"))
	form := sam.Open(bob + "/do/lock")
	w.staff["bob"] = desk.Staff{Roles: []desk.Role{desk.RoleSupport}}
	shows(t, sam.Open(bob), http.StatusNotFound)
	shows(t, does(sam, form), http.StatusNotFound)
	if w.isLocked("bob") {
		t.Error("support has locked the staff")
	}
	if len(w.alarms) == 0 || w.alarms[0].Kind != desk.AlarmRefused {
		t.Errorf("alarms: %v", w.alarms)
	}
}

func TestSupportLocks(t *testing.T) {
	t.Parallel()
	w, sam, olga := helped(t)
	bob := at(finds(sam, "bob@example.com"))
	p := sam.Open(bob + "/do/lock")
	shows(t, p, http.StatusOK, "Lock the account", "Nobody can sign in", "You can undo it", "gets an email")
	shows(t, does(sam, p), http.StatusOK, "Done.", "Locked")
	if !w.isLocked("bob") {
		t.Fatal("the account is not locked")
	}
	// What was seen is not what is there any longer.
	if q := does(sam, p); q.StatusCode != http.StatusConflict && !strings.Contains(q.Text, "locked") {
		t.Errorf("locked twice: %s", q.Status)
	}
	events := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: event.AccountDisabled}))(w.T)
	if len(events) != 1 || events[0].Actor != "staff:sam" || events[0].Matter == "" {
		t.Errorf("the log says %+v", events)
	}
	// To unlock takes a proof, and an operator may go without one alone.
	shows(t, sam.Open(bob+"/do/unlock"), http.StatusOK, "has to prove who they are", "Ask for a code")
	shows(t, olga.Open(at(finds(olga, "bob@example.com"))+"/do/unlock"), http.StatusOK, "Do it alone")
	q := send(sam, bob+"/do/unlock", "do", "revision", "1")
	shows(t, q, http.StatusForbidden, "has to prove")
	if !w.isLocked("bob") {
		t.Error("unlocked without a proof")
	}
}

var mailedCode = regexp.MustCompile(`\b(\d{4}[ -]?\d{4})\b`)

func TestCallerProves(t *testing.T) {
	t.Parallel()
	w, sam, _ := helped(t)
	bob := at(finds(sam, "bob@example.com"))
	w.OK(w.Accounts().SetDisabled(t.Context(), "bob", false))
	p := sam.Open(bob + "/proof")
	shows(t, p, http.StatusOK, "It signs nobody in. Give it only in a call that you made.")
	shows(t, send(sam, bob+"/proof", "send"), http.StatusOK, "A code is on its way")
	mail, _ := w.Mails.Last(t)
	code := mailedCode.FindStringSubmatch(mail.Text)
	if code == nil {
		t.Fatalf("no code in %q", mail.Text)
	}
	shows(t, send(sam, bob+"/proof", "prove", "code", "00000000"), http.StatusUnprocessableEntity, "wrong, late or used up")
	shows(t, send(sam, bob+"/proof", "prove", "code", code[1]), http.StatusOK, "The caller has proved", "reads the recorded mailbox")
	shows(t, send(sam, bob+"/proof", "prove", "code", code[1]), http.StatusUnprocessableEntity, "wrong, late or used up")
	p = sam.Open(bob + "/do/show_value?handle=email")
	shows(t, p, http.StatusOK, "Show a value")
	shows(t, does(sam, p), http.StatusOK, "bob@example.com", "gone when you leave")
	if w.lines(event.ValueShown, "email") != 1 {
		t.Error("the look at the value is not in the log")
	}
}

func TestFormOfAnActionTakesItsOwnFieldsAlone(t *testing.T) {
	t.Parallel()
	w, sam, olga := helped(t)
	bob := at(finds(sam, "bob@example.com"))
	for _, field := range []string{"actor", "approved_by", "verified", "email"} {
		shows(t, send(sam, bob+"/do/lock", "do", field, "x", "revision", "1"), http.StatusBadRequest)
	}
	shows(t, send(sam, bob+"/do/send_reset", "do", "email", "me@example.com"), http.StatusBadRequest)
	shows(t, sam.Open(bob+"/do/set_status"), http.StatusNotFound)
	shows(t, sam.Open(bob+"/do/stop_application"), http.StatusNotFound)
	shows(t, sam.Open("/desk/service/do/rotate_keys"), http.StatusNotFound)
	shows(t, olga.Open(at(finds(olga, "bob@example.com"))+"/do/none"), http.StatusNotFound)
	if w.isLocked("bob") {
		t.Error("locked by a forged form")
	}
}

func TestEffectOnThemselves(t *testing.T) {
	t.Parallel()
	w, _, olga := helped(t)
	shows(t, olga.Submit(olga.Open("/desk/find"), "sought", "olga@example.com"), http.StatusUnprocessableEntity, "Nobody")
	id := w.opens("olga", "olga")
	shows(t, olga.Open("/desk/matters/"+id), http.StatusNotFound)
	shows(t, send(olga, "/desk/matters/"+id+"/do/lock", "do", "revision", "1"), http.StatusNotFound)
	if w.isLocked("olga") {
		t.Error("somebody has acted on themselves")
	}
}

// admits has a desk for those whom the company's own sign-in names, and returns a browser. Alice
// is on its staff.
func (w *place) admits(who func(*http.Request) (desk.Staff, error)) *lab.Browser {
	w.T.Helper()
	d := testkit.Must(desk.New(desk.Config{
		Provider: w.Provider, Store: w.Store.(desk.Store), Clock: w.Now, Admit: who,
		Protected: func(_ context.Context, userID string) (bool, error) { return userID == "alice", nil },
	}))(w.T)
	mux := http.NewServeMux()
	mux.Handle("/desk/", d)
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	return w.NewBrowser()
}

func TestStaffByTheCompanysSignIn(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	admitted, failing := desk.Staff{ID: "e7", Roles: []desk.Role{desk.RoleSupport}}, error(nil)
	b := w.admits(func(*http.Request) (desk.Staff, error) { return admitted, failing })
	shows(t, b.Open("/desk/"), http.StatusForbidden) // it is not known when
	admitted.AuthenticatedAt = w.Now()
	shows(t, b.Open("/desk/"), http.StatusOK, "Find a person")
	shows(t, b.Submit(b.Open("/desk/find"), "sought", "alice"), http.StatusUnprocessableEntity, "Nobody")
	bob := at(finds(b, "bob@example.com"))
	shows(t, b.Open(bob+"/do/lock"), http.StatusForbidden) // by one factor
	admitted.Methods = []string{"pwd", "mfa"}
	shows(t, b.Open(bob+"/do/lock"), http.StatusOK)
	w.Advance(6 * time.Minute)
	shows(t, b.Open(bob+"/do/lock"), http.StatusForbidden)
	shows(t, b.Open(bob), http.StatusOK)
	failing = storage.ErrUnavailable
	shows(t, b.Open("/desk/"), http.StatusServiceUnavailable)
	failing = nil
	for _, id := range []string{"", "host", "client:crm", "staff:e7", "command:disable"} {
		admitted.ID = id
		shows(t, b.Open("/desk/"), http.StatusServiceUnavailable)
	}
	if !strings.Contains(w.Log.String(), "which is how the audit log names others") {
		t.Error("the operator is not told why")
	}
	admitted = desk.Staff{}
	shows(t, b.Open("/desk/"), http.StatusNotFound)
}

func TestStaffWhoIsCalledLikeAnother(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	w.staff["bob"] = desk.Staff{ID: "client:crm", Roles: []desk.Role{desk.RoleOperator}}
	shows(t, w.Bob().Open("/desk/"), http.StatusServiceUnavailable)
	w.staff["bob"] = desk.Staff{ID: "e7:client", Roles: []desk.Role{desk.RoleOperator}}
	shows(t, w.Bob().Open("/desk/"), http.StatusOK)
}

// Each way that the field names finds who is meant, and nobody where two are.
func TestFindByWhatTheCallerKnows(t *testing.T) {
	t.Parallel()
	w, sam, _ := helped(t)
	_, err := w.Accounts().Save(t.Context(), provider.Account{ID: "carl", Email: "carl@example.com", EmailVerified: true})
	w.OK(err)
	for id, number := range map[string]string{"bob": "4711", "carl": "2 x", "alice": "2 x", "sara": "s-1"} {
		w.OK(w.People().SetAttributes(t.Context(), id, map[string]any{"customer": number}))
	}
	c := w.applies(w.Bob(), "bob")
	shows(t, sam.Open("/desk/"), http.StatusOK, "Email address – ID – Customer number – Case")
	for sought, want := range map[string]string{
		"4711": "Why do you look", c.ID: "Why do you look", "471": "Nobody is recorded", "s-1": "Nobody is recorded", "2 x": "Several people are recorded",
	} {
		p := sam.Submit(sam.Open("/desk/find"), "sought", sought)
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q: %s", sought, p.Status)
		}
	}
	if w.lines(event.PersonFound, "") != 2 || w.lines(event.PersonNotFound, "") != 3 || w.lines(event.DeskRefused, "find") != 1 {
		t.Error("a find is not in the log")
	}
}

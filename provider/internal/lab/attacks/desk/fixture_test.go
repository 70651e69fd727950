package desk

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/databases"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// What is known of alice and nowhere else.
const (
	canaryName    = "Quetzalcoatlina"
	canaryNote    = "knows the middle name Popocatepetl"
	canaryAddress = "quetzal.private@alices-own-domain.org"
	canaryBirth   = "1973-11-29"
	canaryAllergy = "penicillinoid-zwei"
)

// place is a service with a desk: sam and simon are support, olga and oleg operators, rita
// reviews, anna audits. alice and bob are people.
type place struct {
	*lab.Fixture
	tap  *lab.Tap
	desk *desk.Desk

	mu     sync.Mutex
	staff  map[string][]desk.Role
	host   error // of the host, when it is asked who somebody is
	alarms []desk.Alarm
}

// onBoth runs a test on both databases. On PostgreSQL there is no tap.
func onBoth(t *testing.T, test func(t *testing.T, w *place)) {
	t.Helper()
	t.Parallel()
	databases.OnBoth(t, func(t *testing.T, url string) { test(t, newPlaceAt(t, url)) })
}

func newPlace(t testing.TB, change ...func(*desk.Config)) *place {
	t.Helper()
	return newPlaceAt(t, "", change...)
}

// newPlaceAt is a place on a PostgreSQL database, or on a file that has a tap.
func newPlaceAt(t testing.TB, url string, change ...func(*desk.Config)) *place {
	t.Helper()
	w := &place{staff: map[string][]desk.Role{
		"sam": {desk.RoleSupport}, "simon": {desk.RoleSupport}, "olga": {desk.RoleOperator}, "oleg": {desk.RoleOperator},
		"rita": {desk.RoleReviewer}, "anna": {desk.RoleAuditor},
	}}
	policies := verification.Policies{{Group: "student", Rule: verification.By(verification.Invitation())}}
	with := func(c *provider.Config) {
		c.Verifiers = policies.Verifiers()
		c.Attributes = []catalogue.Attribute{{Handle: "allergy", Name: "Allergy", Sensitive: true}}
		c.Resources = append(c.Resources, desk.Resource(c.BaseURL, "robot"))
		c.AllowPrivateNetworks, c.UnknownClients.Documents = true, true
	}
	if url == "" {
		w.Fixture, w.tap = lab.Tapped(t, with)
	} else {
		w.Fixture = lab.New(t, databases.At(t, url), with)
	}
	w.URL = url
	w.WithClients().WithUsers()
	w.OK(w.Rooms().Accounts.ChangeEmail(t.Context(), "alice", canaryAddress))
	w.OK(w.People().SetAttributes(t.Context(), "alice", map[string]any{"fname": canaryName, "birthdate": canaryBirth, "allergy": canaryAllergy}))
	for name := range w.staff {
		_, err := w.Accounts().Save(t.Context(), provider.Account{ID: name, Email: name + "@example.com", EmailVerified: true, Password: lab.AlicePass})
		w.OK(err)
	}
	store := w.Store.(interface {
		desk.Store
		storage.Verification
		storage.Developers
	})
	service := testkit.Must(verification.New(verification.Config{Provider: w.Provider, Store: store, Policies: policies, Mailer: w.Mails, Clock: w.Now}))(w.T)
	dashboard := testkit.Must(developer.New(developer.Config{Provider: w.Provider, Store: store, Mailer: w.Mails, Clock: w.Now}))(w.T)
	cfg := desk.Config{
		Provider: w.Provider, Store: store, Dashboard: dashboard, Verification: service, Staff: w.who, Alarm: w.alarm, Clock: w.Now,
	}
	for _, c := range change {
		c(&cfg)
	}
	w.desk = testkit.Must(desk.New(cfg))(w.T)
	mux := http.NewServeMux()
	mux.Handle("/verification/", service)
	mux.Handle("/developer/", dashboard)
	mux.Handle("/desk/", w.desk)
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	return w
}

func (w *place) who(_ context.Context, userID string) (desk.Staff, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return desk.Staff{Roles: w.staff[userID]}, w.host
}

func (w *place) alarm(_ context.Context, a desk.Alarm) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.alarms = append(w.alarms, a)
	return nil
}

// hire gives somebody other roles, none to dismiss them.
func (w *place) hire(name string, roles ...desk.Role) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.staff[name] = roles
}

// told returns how often the host was told of an alarm.
func (w *place) told(kind desk.AlarmKind) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.alarms {
		if a.Kind == kind {
			n++
		}
	}
	return n
}

// as returns a browser of a member of the staff.
func (w *place) as(name string) *lab.Browser {
	w.T.Helper()
	return w.NewBrowser().SignIn(name+"@example.com", lab.AlicePass)
}

// lines returns the events that match, the latest first.
func (w *place) lines(match provider.EventFilter) []provider.RecordedEvent {
	w.T.Helper()
	events := testkit.Must(w.Events().List(w.T.Context(), match))(w.T)
	return events
}

func (w *place) isLocked(id string) bool {
	w.T.Helper()
	a := testkit.Must(w.Accounts().Get(w.T.Context(), id))(w.T)
	return a.Disabled
}

func (w *place) deskStore() desk.Store { return w.Store.(desk.Store) }

// matterOf records a matter, as if it had been opened.
func (w *place) matterOf(staff, person string) string {
	w.T.Helper()
	now := w.Now()
	m := storage.Matter{ID: "m-" + staff + "-" + person, Staff: staff, Role: "support", Subject: person, Reason: "caller", OpenedAt: now, EndsAt: now.Add(30 * time.Minute)}
	w.OK(w.deskStore().OpenMatter(w.T.Context(), m))
	return m.ID
}

// prove has a caller prove the mailbox, or a session.
func (w *place) prove(matter string, proof storage.CallerProof) {
	w.T.Helper()
	w.MustExec(`UPDATE matters SET proof = ?1, proved_until = ?2 WHERE id = ?3`, int(proof), w.Now().Add(5*time.Minute).UnixMicro(), matter)
}

// token is the one against forged requests that a browser has.
func token(b *lab.Browser) string {
	b.T.Helper()
	_, form := b.Open("/signout").Form(b.T)
	return form.Get("csrf")
}

// send posts to an address with the token of the browser, and does not follow.
func send(b *lab.Browser, address, action string, values ...string) lab.Page {
	b.T.Helper()
	fields := url.Values{"action": {action}, "csrf": {token(b)}}
	for i := 0; i < len(values); i += 2 {
		fields.Set(values[i], values[i+1])
	}
	return b.Post(address, fields)
}

// find looks for somebody.
func find(b *lab.Browser, sought string) lab.Page {
	b.T.Helper()
	return send(b, "/desk/find", "", "sought", sought)
}

// open opens a matter as a page does, and returns its ID.
func open(b *lab.Browser, sought, reason string, more ...string) string {
	b.T.Helper()
	p := find(b, sought)
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("find %s: %s\n%s", sought, p.Status, p.Text)
	}
	p = b.SubmitOnce(p, append([]string{"reason", reason}, more...)...)
	if p.StatusCode != http.StatusSeeOther || !strings.HasPrefix(p.Header.Get("Location"), "/desk/matters/") {
		b.T.Fatalf("open %s: %s %s\n%s", sought, p.Status, p.Header.Get("Location"), p.Text)
	}
	return path.Base(p.Header.Get("Location"))
}

// do carries out an action in a matter, as its form does, and does not follow.
func do(b *lab.Browser, matter, action string, values ...string) lab.Page {
	b.T.Helper()
	address := "/desk/matters/" + matter + "/do/" + action
	checked := send(b, address, "check", values...)
	if checked.StatusCode != http.StatusOK {
		return checked
	}
	return send(b, address, "do", append(values, "revision", revision(checked))...)
}

var revisions = regexp.MustCompile(`name="revision" value="([^"]*)"`)

// revision is that of what a page has checked.
func revision(p lab.Page) string {
	if found := revisions.FindStringSubmatch(p.Text); found != nil {
		return found[1]
	}
	return ""
}

func is(t testing.TB, p lab.Page, status int, parts ...string) {
	t.Helper()
	if p.StatusCode != status {
		t.Errorf("%s %s: %s, want %d\n%s", p.Request.Method, p.Request.URL, p.Status, status, p.Text)
	}
	for _, part := range parts {
		if !strings.Contains(p.Text, part) {
			t.Errorf("%s does not say %q:\n%s", p.Request.URL, part, p.Text)
		}
	}
}

// pages are all pages that the desk shows, with who may open them; a matter is of alice.
func pages(matter string) map[string][]string {
	helps, operates := []string{"sam", "olga"}, []string{"olga"}
	of := "/desk/matters/" + matter
	all := map[string][]string{
		"/desk/": {"sam", "olga", "rita", "anna"}, "/desk/find": helps, of: helps, of + "/proof": helps,
		"/desk/plans": operates, "/desk/plans/new": operates, "/desk/breaks": operates,
		"/desk/cases": {"rita"}, "/desk/cases/numbers": operates, "/desk/rosters": operates, "/desk/codes": operates, "/desk/holds": operates,
	}
	for _, page := range []string{"applications", "applications/std", "hosts", "hosts/app.example", "hosts/app.example/do/deny_host", "organizations", "keys", "health"} {
		all["/desk/"+page] = operates
	}
	for _, page := range []string{"trail", "trail.csv", "trail.jsonl", "looks", "numbers"} {
		all["/desk/"+page] = []string{"olga", "anna"}
	}
	for _, part := range []string{"account", "factors", "sessions", "applications", "groups", "cases", "history", "actions"} {
		all[of+"/"+part] = helps
	}
	for action, roles := range personActions() {
		all[of+"/do/"+action] = roles
	}
	return all
}

// personActions are the actions on people, with who may do them.
func personActions() map[string][]string {
	all := map[string][]string{}
	for _, name := range []string{"send_reset", "end_session", "end_sessions", "revoke_application", "lock", "unlock", "show_value", "reset_factors"} {
		all[name] = []string{"sam", "olga"}
	}
	for _, name := range []string{
		"show_sensitive", "correct_value", "end_status", "set_status", "start_deletion", "stop_deletion", "send_export", "reset_factors_now", "change_email",
	} {
		all[name] = []string{"olga"}
	}
	return all
}

func sorted(all map[string][]string) []string { return slices.Sorted(maps.Keys(all)) }

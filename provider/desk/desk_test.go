package desk_test

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/credential"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// place is a desk beside a service, behind real HTTP. Bob is who becomes a student; rita and
// raul are reviewers, sara is a senior one, and alice is nobody there.
type place struct {
	*lab.Fixture
	service *verification.Service
	staff   map[string]desk.Staff
	host    error // of the host, when it is asked who somebody is
	hears   bool  // of the host, when it is told of alarms
	alarms  []desk.Alarm
}

const staffPass = "glacier-tulip-orbit-42"

// given is what a place has beside what each has; nil for nothing.
type given struct {
	url      string // of a PostgreSQL database
	provider func(*provider.Config)
	desk     func(*place, *desk.Config)
	after    func(*desk.Desk)
}

func newPlace(t testing.TB, change ...func(*verification.Policy)) *place {
	t.Helper()
	return newPlaceWith(t, given{}, change...)
}

func newPlaceWith(t testing.TB, has given, change ...func(*verification.Policy)) *place {
	t.Helper()
	reviews := verification.Verifier{
		Name: "office", Title: verification.Text{English: "Office"}, CanReview: true,
		Next: func(_ context.Context, _ *verification.Case, e verification.Event) (verification.Result, error) {
			if e.Kind == verification.Answered {
				return verification.Review{Facts: []verification.Text{{English: "A fact for reviewers"}}}, nil
			}
			return verification.Ask{Fields: []verification.Field{{Name: "word", Label: verification.Text{English: "A word"}}}}, nil
		},
	}
	policy := verification.Policy{Group: "student", Rule: verification.By(reviews)}
	for _, c := range change {
		c(&policy)
	}
	policies := verification.Policies{policy}
	w := &place{Fixture: lab.New(t, func(c *provider.Config) {
		c.Verifiers, c.Signals = policies.Verifiers(), signals.Config{Webhooks: true}
		c.Credentials = credential.Kinds{{Group: "student"}}
		c.Attributes = []catalogue.Attribute{{Handle: "customer", Name: "Customer number", Findable: true}}
		if has.provider != nil {
			has.provider(c)
		}
		if has.url != "" {
			c.Store = atPostgres(t, has.url)
		}
	})}
	w.URL = has.url
	w.WithUsers()
	blobs := testkit.Must(verification.Folder(filepath.Join(t.TempDir(), "evidence")))(w.T)
	w.service = testkit.Must(verification.New(verification.Config{
		Provider: w.Provider, Store: w.Store.(storage.Verification), Policies: policies, Mailer: w.Mails, Clock: w.Now, Blobs: blobs,
	}))(w.T)
	w.OK(w.People().SetAttributes(t.Context(), "bob", map[string]any{"fname": "Bob", "lname": "Builder"}))
	w.staff = map[string]desk.Staff{
		"rita": {Roles: []desk.Role{desk.RoleReviewer}},
		"raul": {Roles: []desk.Role{desk.RoleReviewer}},
		"sara": {Roles: []desk.Role{desk.RoleSenior}},
	}
	for name := range w.staff {
		_, err := w.Accounts().Save(t.Context(), provider.Account{ID: name, Email: name + "@example.com", EmailVerified: true, Password: staffPass})
		w.OK(err)
	}
	cfg := desk.Config{
		Provider: w.Provider, Store: w.Store.(desk.Store), Verification: w.service, Clock: w.Now,
		Staff: func(_ context.Context, userID string) (desk.Staff, error) { return w.staff[userID], w.host },
		Alarm: func(_ context.Context, a desk.Alarm) error {
			if !w.hears {
				return errors.New("nobody listens")
			}
			w.alarms = append(w.alarms, a)
			return nil
		},
	}
	if has.desk != nil {
		has.desk(w, &cfg)
	}
	d := testkit.Must(desk.New(cfg))(w.T)
	if has.after != nil {
		has.after(d)
	}
	mux := http.NewServeMux()
	mux.Handle("/verification/", w.service)
	mux.Handle("/desk/", d)
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	return w
}

// reviewer returns a browser of a member of the staff.
func (w *place) reviewer(name string) *lab.Browser {
	w.T.Helper()
	return w.NewBrowser().SignIn(name+"@example.com", staffPass)
}

// applies has a person ask for a review, and returns the case.
func (w *place) applies(b *lab.Browser, userID string) verification.RecordedCase {
	w.T.Helper()
	p := b.Submit(b.Open("/verification/student"), "method", "office")
	b.Submit(p, "answer_word", "please")
	return w.caseOf(userID)
}

func (w *place) caseOf(userID string) verification.RecordedCase {
	w.T.Helper()
	all := testkit.Must(w.service.Cases(w.T.Context(), storage.CaseFilter{Subject: userID, Limit: 1}))(w.T)
	if len(all) == 0 {
		w.T.Fatalf("%s has no case", userID)
	}
	return all[0]
}

// verified reports whether somebody is a verified student, after decisions were carried out.
func (w *place) verified(userID string) bool {
	w.T.Helper()
	data := testkit.Must(w.People().Get(w.T.Context(), userID))(w.T)
	for _, s := range data.Statuses {
		if s.Group == "student" {
			return s.Verified
		}
	}
	return false
}

// later moves the clock beyond the time to take a decision back, and has it carried out.
func (w *place) later(userID string) {
	w.T.Helper()
	w.Advance(11 * time.Second)
	w.caseOf(userID)
}

var hiddenFields = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)

// post sends a form of a page with an action, as its button does. A page without a form, on
// which somebody makes one, gets the token that the browser has elsewhere.
func post(b *lab.Browser, p lab.Page, action string, values ...string) lab.Page {
	b.T.Helper()
	fields, text := url.Values{"action": {action}}, p.Text
	if !hiddenFields.MatchString(text) {
		text = b.Open("/signout").Text
	}
	for _, hidden := range hiddenFields.FindAllStringSubmatch(text, -1) {
		if name := html.UnescapeString(hidden[1]); name != "case" {
			fields.Set(name, html.UnescapeString(hidden[2]))
		}
	}
	for i := 0; i < len(values); i += 2 {
		fields.Set(values[i], values[i+1])
	}
	return b.Post(p.Request.URL.Path, fields)
}

func shows(t *testing.T, p lab.Page, status int, parts ...string) {
	t.Helper()
	if p.StatusCode != status {
		t.Errorf("%s: %s, want %d\n%s", p.Request.URL, p.Status, status, p.Text)
	}
	for _, part := range parts {
		if !strings.Contains(p.Text, part) {
			t.Errorf("%s does not say %q:\n%s", p.Request.URL, part, p.Text)
		}
	}
}

// next opens the inbox and takes the next case.
func next(b *lab.Browser) lab.Page {
	b.T.Helper()
	return b.Follow(post(b, b.Open("/desk/cases"), "next"))
}

func TestReviewerDecides(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	w.applies(w.Bob(), "bob")
	rita := w.reviewer("rita")
	shows(t, rita.Open("/desk/cases"), http.StatusOK, "Cases", "Next case", "Due ")
	p := next(rita)
	shows(t, p, http.StatusOK, "Bob Builder", "A fact for reviewers", `aria-keyshortcuts="Shift+A"`, "I know this person")
	for _, hidden := range []string{"bob@example.com", w.caseOf("bob").ClientID + "campus"} {
		if strings.Contains(p.Text, hidden) {
			t.Errorf("the page of the case says %q", hidden)
		}
	}
	if cache := p.Header.Get("Cache-Control"); !strings.Contains(cache, "no-store") {
		t.Errorf("Cache-Control: %q", cache)
	}
	if w.verified("bob") {
		t.Fatal("verified before a decision")
	}
	shows(t, post(rita, p, "override", "note", "Known by sight."), http.StatusBadRequest, `href="/desk/"`) // which the page does not have
	p = rita.Follow(post(rita, p, "approve"))
	shows(t, p, http.StatusOK, "Your decision is recorded", "take your decision back")
	w.later("bob")
	if !w.verified("bob") {
		t.Error("not verified after the decision")
	}
	shows(t, rita.Open("/desk/cases"), http.StatusOK, "Nothing is waiting")
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		action string
		values []string
		state  storage.CaseState
		asks   string // what is asked for without the values
	}{
		"Declines":  {"decline", []string{"reasons.not_in_group", "on"}, storage.CaseDeclined, "Choose a reason"},
		"SendsBack": {"ask_again", []string{"reasons.unreadable", "on"}, storage.CaseOpen, "Choose a reason"},
		"Escalates": {"escalate", []string{"note", "unsure"}, storage.CaseReview, "Write a note"},
		"Explains":  {"decline", []string{"reasons.other", "on", "note", "unsure"}, storage.CaseDeclined, ""},
		"Recuses":   {"recuse", nil, storage.CaseReview, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newPlace(t)
			w.applies(w.Bob(), "bob")
			rita := w.reviewer("rita")
			p := next(rita)
			if c.asks != "" {
				p = post(rita, p, c.action)
				shows(t, p, http.StatusUnprocessableEntity, c.asks)
			}
			shows(t, rita.Follow(post(rita, p, c.action, c.values...)), http.StatusOK, "Your decision is recorded")
			w.later("bob")
			if got := w.caseOf("bob"); got.State != c.state {
				t.Errorf("the case is %s, want %s", got.State, c.state)
			}
			if w.verified("bob") {
				t.Error("verified")
			}
		})
	}
}

func TestDecisionIsTakenBack(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	c := w.applies(w.Bob(), "bob")
	rita := w.reviewer("rita")
	p := rita.Follow(post(rita, next(rita), "approve"))
	undo := func(b *lab.Browser, p lab.Page) lab.Page { return b.Follow(post(b, p, "undo", "case", c.ID)) }
	raul := w.reviewer("raul")
	shows(t, undo(raul, raul.Open("/desk/cases")), http.StatusOK, "too late")
	if strings.Contains(raul.Open("/desk/cases?undo="+c.ID).Text, "take your decision back") {
		t.Error("another reviewer is offered to take it back")
	}
	shows(t, undo(rita, p), http.StatusOK, "taken back", "Bob Builder")
	w.later("bob")
	if w.verified("bob") {
		t.Error("verified by a decision that was taken back")
	}
	shows(t, rita.Follow(post(rita, rita.Open("/desk/case/"+c.ID), "decline", "reasons.altered", "on")), http.StatusOK, "recorded")
	w.later("bob")
	shows(t, undo(rita, rita.Open("/desk/cases")), http.StatusOK, "too late")
}

func TestTwoReviewersDecideBlindly(t *testing.T) {
	t.Parallel()
	w := newPlace(t, func(p *verification.Policy) { p.Reviewers = 2 })
	c := w.applies(w.Bob(), "bob")
	rita, raul := w.reviewer("rita"), w.reviewer("raul")
	rita.Follow(post(rita, next(rita), "approve", "note", "words of the first"))
	w.later("bob")
	if w.verified("bob") {
		t.Fatal("verified by one of two")
	}
	shows(t, next(rita), http.StatusOK, "Nothing is waiting")
	shows(t, rita.Follow(post(rita, rita.Open("/desk/cases"), "take", "case", c.ID)), http.StatusOK, "You do not have this case")
	p := next(raul)
	shows(t, p, http.StatusOK, "Bob Builder")
	if strings.Contains(p.Text, "words of the first") || strings.Contains(p.Text, "rita") {
		t.Error("the second sees the first decision")
	}
	raul.Follow(post(raul, p, "approve"))
	w.later("bob")
	if !w.verified("bob") {
		t.Error("not verified by two of two")
	}
}

func twoReviewers(p *verification.Policy) { p.Reviewers = 2 }

// hiddenOf returns a hidden field of a page.
func hiddenOf(p lab.Page, name string) string {
	for _, hidden := range hiddenFields.FindAllStringSubmatch(p.Text, -1) {
		if hidden[1] == name {
			return html.UnescapeString(hidden[2])
		}
	}
	return ""
}

// postTo sends the form of a page to another address.
func postTo(b *lab.Browser, address string, p lab.Page, action string, values ...string) lab.Page {
	b.T.Helper()
	p.Request.URL.Path = address
	return post(b, p, action, values...)
}

func TestSeniorReviewerReadsWhatOthersNoted(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	w.applies(w.Bob(), "bob")
	rita := w.reviewer("rita")
	rita.Follow(post(rita, next(rita), "escalate", "note", "The stamp looks odd"))
	w.later("bob")
	shows(t, next(w.reviewer("raul")), http.StatusOK, "Nothing is waiting")
	sara := w.reviewer("sara")
	p := next(sara)
	shows(t, p, http.StatusOK, "Bob Builder", "For seniors", "What others decided", "The stamp looks odd")
	if strings.Contains(p.Text, "rita") {
		t.Error("the page names the reviewer")
	}
	shows(t, sara.Follow(post(sara, p, "approve")), http.StatusOK, "Your decision is recorded")
	w.later("bob")
	if !w.verified("bob") {
		t.Error("not verified")
	}
}

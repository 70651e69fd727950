package desk_test

import (
	"bytes"
	"html"
	"mime/multipart"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// operated is a place whose students can also show a code, or be on a list; olga is its
// operator.
func operated(t *testing.T) (*place, *lab.Browser) {
	t.Helper()
	return operatedAt(t, "")
}

func operatedAt(t *testing.T, url string) (*place, *lab.Browser) {
	t.Helper()
	w := newPlaceWith(t, given{url: url}, func(p *verification.Policy) {
		p.Rule = verification.AnyOf(p.Rule, verification.By(verification.Invitation()), verification.By(verification.Roster(verification.RosterConfig{
			Roster: "members", Columns: []verification.RosterColumn{{Name: "number", Label: verification.Text{English: "Number"}}},
		})))
	})
	w.staff["olga"] = desk.Staff{Roles: []desk.Role{desk.RoleOperator}}
	_, err := w.Accounts().Save(t.Context(), provider.Account{ID: "olga", Email: "olga@example.com", EmailVerified: true, Password: staffPass})
	w.OK(err)
	return w, w.reviewer("olga")
}

func TestRolesSeeTheirPagesAlone(t *testing.T) {
	t.Parallel()
	w, olga := operated(t)
	c := w.applies(w.Bob(), "bob")
	rita := w.reviewer("rita")
	shows(t, olga.Open("/desk/"), http.StatusOK, "There is nothing to do")
	shows(t, olga.Open("/desk/cases/numbers"), http.StatusOK, "Waiting for a review")
	for _, path := range []string{"/desk/cases", "/desk/case/" + c.ID, "/desk/evidence/x"} {
		shows(t, olga.Open(path), http.StatusNotFound)
	}
	shows(t, postTo(olga, "/desk/cases", olga.Open("/desk/holds"), "next"), http.StatusNotFound)
	shows(t, postTo(olga, "/desk/case/"+c.ID, olga.Open("/desk/holds"), "approve", "version", "1"), http.StatusNotFound)
	for _, path := range []string{"/desk/rosters", "/desk/rosters/members", "/desk/rosters/members/file", "/desk/codes", "/desk/holds", "/desk/cases/numbers"} {
		shows(t, rita.Open(path), http.StatusNotFound)
	}
	for _, path := range []string{"/desk/rosters/members", "/desk/codes", "/desk/holds"} {
		shows(t, postTo(rita, path, rita.Open("/signout"), "issue"), http.StatusNotFound)
	}
	shows(t, sendFile(rita, rita.Open("/signout"), "number\n1\n"), http.StatusNotFound)
}

// sendFile sends a list with the token of a page.
func sendFile(b *lab.Browser, p lab.Page, content string, values ...string) lab.Page {
	b.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, hidden := range hiddenFields.FindAllStringSubmatch(p.Text, -1) {
		if hidden[1] != "generation" && hidden[1] != "replaces" {
			b.Fixture.OK(form.WriteField(hidden[1], hidden[2]))
			break // each form of the page has the same
		}
	}
	for i := 0; i < len(values); i += 2 {
		b.Fixture.OK(form.WriteField(values[i], values[i+1]))
	}
	part, err := form.CreateFormFile("file", "list.csv")
	b.Fixture.OK(err)
	_, err = part.Write([]byte(content))
	b.Fixture.OK(err)
	b.Fixture.OK(form.Close())
	r, err := http.NewRequestWithContext(b.T.Context(), http.MethodPost, b.Absolute("/desk/rosters/members/file"), &body)
	b.Fixture.OK(err)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return b.Do(r)
}

// use puts the list of a page in force.
func use(b *lab.Browser, p lab.Page, values ...string) lab.Page {
	b.T.Helper()
	return b.Follow(postTo(b, "/desk/rosters/members", p, "use", values...))
}

func numbers(n int) string {
	var list strings.Builder
	list.WriteString("number\n")
	for i := range n {
		list.WriteString(strconv.Itoa(1000+i) + "\n")
	}
	return list.String()
}

// approved proposes what a form of an action shows, has another approve it, and waits until it is
// done.
func approved(t *testing.T, w *place, by, other *lab.Browser, p lab.Page) {
	t.Helper()
	shows(t, p, http.StatusOK, "Another operator has to approve")
	query := p.Request.URL.Query()
	fields := []string{"name", path.Base(p.Request.URL.Path), "targets", "service", "plan_reason", "quality", "note", "From the registrar."}
	for name := range query {
		fields = append(fields, name, query.Get(name))
	}
	p = send(by, "/desk/plans/new", "check", fields...)
	p = by.Submit(p, "action", "propose")
	address := p.Request.URL.Path
	shows(t, send(other, address, "approve", "shown", shownAt(other, address)), http.StatusOK, "The plan is approved")
	w.until("done", func() bool { return w.planAt(address).State == storage.PlanDone })
}

func TestRosters(t *testing.T) {
	t.Parallel()
	w, olga, oleg := planned(t)
	w.runs()
	shows(t, olga.Open("/desk/rosters"), http.StatusOK, "members", "Never imported")
	rows := func(want int) {
		t.Helper()
		all, err := w.service.Rosters(t.Context())
		w.OK(err)
		if all[0].Rows != want {
			t.Errorf("%d rows, want %d", all[0].Rows, want)
		}
	}
	page := func() lab.Page { return olga.Open("/desk/rosters/members") }
	shows(t, sendFile(olga, page(), ""), http.StatusUnprocessableEntity, "file")
	shows(t, sendFile(olga, page(), "another\n1\n"), http.StatusUnprocessableEntity, "Your file needs the columns", "number", "another")
	shows(t, sendFile(olga, page(), "number\nM-7\n-\n"), http.StatusOK, "Line 3: <bdi>number</bdi> is missing or can’t be read", "as they are understood", "<bdi>m7</bdi>")
	p := sendFile(olga, page(), numbers(10))
	shows(t, p, http.StatusOK, "Nothing has changed yet", "<dd>10</dd>")
	rows(0)
	approved(t, w, olga, oleg, use(olga, p))
	rows(10)
	shows(t, page(), http.StatusOK, "10 rows", "olga")
	shows(t, use(olga, p), http.StatusConflict, "Another list is active") // the page from before

	p = sendFile(olga, page(), numbers(3))
	shows(t, p, http.StatusOK, "More than a fifth", "<dd>7</dd>")
	shows(t, use(olga, p), http.StatusConflict, "so many are meant to vanish")
	many := use(olga, p, "many_vanish", "on")
	post(olga, many, "do", "revision", hiddenOf(many, "revision"))
	rows(10) // one operator alone ends no membership
	approved(t, w, olga, oleg, many)
	rows(3)
	const holes = "number\n1000\n1001\n1002\n-\n"
	p = sendFile(olga, page(), holes)
	shows(t, p, http.StatusOK, "Yes, leave 1 line of the file out")
	shows(t, use(olga, p), http.StatusConflict, "so many lines are meant to be left out")
	seen := use(olga, p, "many_skipped", "on")
	shows(t, seen, http.StatusOK)
	unsaid := strings.TrimSuffix(seen.Request.URL.String(), "+1") + "+0" // the address without what was confirmed
	if p := olga.Get(unsaid); p.StatusCode == http.StatusOK && hiddenOf(p, "revision") != "" {
		t.Errorf("one line may be left out unsaid: %s", p.Text)
	}
	former := postTo(olga, "/desk/rosters/members", page(), "put_back")
	shows(t, former, http.StatusOK, "Nothing has changed yet", "<dd>10</dd>")
	approved(t, w, olga, oleg, use(olga, former))
	rows(10)
	shows(t, use(olga, former), http.StatusConflict, "Another list is active") // a second press
	former = postTo(olga, "/desk/rosters/members", page(), "put_back")
	shows(t, use(olga, former), http.StatusConflict, "so many are meant to vanish")
	rows(10)
	shows(t, olga.Open("/desk/rosters/none"), http.StatusNotFound)
	for _, values := range [][]string{{"generation", "x"}, {"replaces", "x"}, {"action", "burn"}} {
		shows(t, use(olga, p, values...), http.StatusBadRequest)
	}
}

func TestPowersTakeAFreshSignIn(t *testing.T) {
	t.Parallel()
	w, olga := operated(t)
	p := olga.Open("/desk/codes")
	for range 2 { // not idle in between
		w.Advance(8 * time.Minute)
		shows(t, olga.Get("/desk/cases/numbers"), http.StatusOK)
	}
	for _, q := range []lab.Page{
		olga.Get("/desk/codes"), olga.Get("/desk/holds"), olga.Get("/desk/rosters/members"), sendFile(olga, p, numbers(1)),
		post(olga, p, "issue", "group", "student", "count", "1", "uses", "1", "until", w.Now().AddDate(0, 0, 3).Format(time.DateOnly)),
	} {
		if q.StatusCode != http.StatusSeeOther {
			t.Errorf("%s: %s", q.Request.URL, q.Status)
		}
	}
	shows(t, olga.Get("/desk/cases/numbers"), http.StatusOK)
	if batches, err := w.Store.(storage.Verification).CodeBatches(t.Context(), time.Time{}, 1); err != nil || len(batches) > 0 {
		t.Errorf("codes were made: %v, %v", batches, err)
	}
}

var codeOnPage = regexp.MustCompile(`<li><code dir="ltr">([^<]+)</code></li>`)

var toApproval = regexp.MustCompile(`href="(/desk/service/do/release_codes[^"]*)"`)

func TestCodes(t *testing.T) {
	t.Parallel()
	w, olga, oleg := planned(t)
	w.runs()
	until := w.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	issue := func(values ...string) lab.Page {
		fields := []string{"group", "student", "count", "2", "uses", "1", "until", until, "issued_by", "Office of the dean"}
		return post(olga, olga.Open("/desk/codes"), "issue", append(fields, values...)...)
	}
	for _, c := range [][3]string{
		{"count", "0", "a number from 1"}, {"count", "1001", "a number from 1"}, {"uses", "x", "a number from 1"}, {"group", "military", "Choose a group"},
		{"until", "2020-01-01", "within a year"}, {"until", "x", "within a year"}, {"email", "nobody", "Enter an email address"},
		{"issued_by", strings.Repeat("x", 101), "at most 100"},
	} {
		shows(t, issue(c[0], c[1]), http.StatusUnprocessableEntity, c[2])
	}
	p := issue()
	shows(t, p, http.StatusOK, "shown this once")
	found := codeOnPage.FindAllStringSubmatch(p.Text, -1)
	if len(found) != 2 {
		t.Fatalf("%d codes on the page", len(found))
	}
	list := olga.Open("/desk/codes")
	shows(t, list, http.StatusOK, "2 codes", "Used 0 of 2 times", "Office of the dean")
	if strings.Contains(list.Text, found[0][1]) || strings.Contains(w.Log.String(), found[0][1]) {
		t.Error("a code is shown again")
	}
	bob := w.Bob()
	q := bob.Submit(bob.Open("/verification/student"), "method", "code")
	q = bob.Submit(q, "answer_code", found[0][1])
	if w.verified("bob") {
		t.Error("one operator alone makes members")
	}
	approved(t, w, olga, oleg, olga.Open(html.UnescapeString(toApproval.FindStringSubmatch(p.Text)[1])))
	bob.Submit(q, "answer_code", found[0][1])
	if !w.verified("bob") {
		t.Error("a code does not verify")
	}
	list = olga.Open("/desk/codes")
	batch := regexp.MustCompile(`name="batch" value="([^"]*)"`).FindStringSubmatch(list.Text)[1]
	shows(t, olga.Follow(post(olga, list, "end", "batch", batch)), http.StatusOK, "can no longer be redeemed", "Ended")
	alice := w.Alice()
	q = alice.Submit(alice.Open("/verification/student"), "method", "code")
	alice.Submit(q, "answer_code", found[1][1])
	if w.verified("alice") {
		t.Error("a code that has ended verifies")
	}
	p = issue() // these wait to be released
	batch = regexp.MustCompile(`name="batch" value="([^"]*)"`).FindStringSubmatch(olga.Open("/desk/codes").Text)[1]
	shows(t, olga.Follow(post(olga, olga.Open("/desk/codes"), "end", "batch", batch)), http.StatusOK, "Ended")
	shows(t, olga.Open(html.UnescapeString(toApproval.FindStringSubmatch(p.Text)[1])), http.StatusUnprocessableEntity)
}

func TestHolds(t *testing.T) {
	t.Parallel()
	w, olga := operated(t)
	store := w.Store.(storage.Verification)
	c, _, err := w.service.Start(t.Context(), verification.Request{UserID: "bob", Group: "student"})
	w.OK(err)
	w.OK(store.AddEvidence(t.Context(), storage.Evidence{
		ID: "evidence", CaseID: c.ID, Key: []byte("sealed"), AddedAt: w.Now(), ShredAt: w.Now().Add(time.Hour),
	}, "bob", storage.EvidenceLimits{Count: 1, Bytes: 1}))
	until := w.Now().AddDate(0, 0, 30).Format(time.DateOnly)
	hold := func(values ...string) lab.Page {
		fields := []string{"case", c.ID, "until", until, "hold_reason", "A complaint"}
		return post(olga, olga.Open("/desk/holds"), "hold", append(fields, values...)...)
	}
	for _, v := range [][3]string{
		{"case", "none", "no such case"}, {"until", "2020-01-01", "within 400 days"}, {"until", "x", "within 400 days"},
		{"hold_reason", "", "Say why"}, {"hold_reason", strings.Repeat("x", 201), "Say why"},
	} {
		shows(t, hold(v[0], v[1]), http.StatusUnprocessableEntity, v[2])
	}
	shows(t, olga.Follow(hold()), http.StatusOK, "kept until the day", "A complaint", "olga", c.ID)
	shred := func(want int) {
		t.Helper()
		n, err := store.ShredEvidence(t.Context(), w.Now().Add(2*time.Hour), 10)
		w.OK(err)
		if n != want {
			t.Errorf("%d files shredded, want %d", n, want)
		}
	}
	shred(0)
	shows(t, olga.Follow(post(olga, olga.Open("/desk/holds"), "release", "case", c.ID)), http.StatusOK, "deleted when its time comes", "No evidence is held")
	shred(1)
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	w, olga := operated(t)
	shows(t, olga.Open("/desk/cases/numbers"), http.StatusOK, "No case began")
	w.applies(w.Bob(), "bob")
	w.applies(w.Alice(), "alice")
	w.Advance(49 * time.Hour) // later than was promised
	rita := w.reviewer("rita")
	rita.Follow(post(rita, next(rita), "approve"))
	w.later("bob")
	p := w.reviewer("olga").Open("/desk/cases/numbers")
	shows(t, p, http.StatusOK, "0 of 1", "Approved", "In review")
	for _, hidden := range []string{"bob", "Builder", "alice"} {
		if strings.Contains(p.Text, hidden) {
			t.Errorf("the numbers say %q", hidden)
		}
	}
}

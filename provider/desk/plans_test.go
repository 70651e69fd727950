package desk_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// planned is a place with two operators, olga and oleg, and support, sam.
func planned(t *testing.T) (w *place, olga, oleg *lab.Browser) {
	t.Helper()
	return plannedAt(t, "")
}

func plannedAt(t *testing.T, url string) (w *place, olga, oleg *lab.Browser) {
	t.Helper()
	w, olga = operatedAt(t, url)
	w.hires("oleg", desk.RoleOperator)
	w.hires("sam", desk.RoleSupport)
	return w, olga, w.reviewer("oleg")
}

// hires gives somebody an account and roles.
func (w *place) hires(name string, roles ...desk.Role) {
	w.T.Helper()
	w.staff[name] = desk.Staff{Roles: roles}
	_, err := w.Accounts().Save(w.T.Context(), provider.Account{ID: name, Email: name + "@example.com", EmailVerified: true, Password: staffPass})
	w.OK(err)
}

// opens has a member of the staff open a matter about a person, and returns its ID.
func (w *place) opens(staff, person string) string {
	w.T.Helper()
	now := w.Now()
	id := fmt.Sprintf("m-%s-%s-%d", staff, person, now.UnixMicro())
	w.OK(w.Store.(desk.Store).OpenMatter(w.T.Context(), storage.Matter{
		ID: id, Staff: staff, Role: "operator", Subject: person, Reason: "caller", OpenedAt: now, EndsAt: now.Add(30 * time.Minute),
	}))
	return id
}

// send posts to an address with the token that the browser has, and follows.
func send(b *lab.Browser, address, action string, values ...string) lab.Page {
	b.T.Helper()
	return b.Follow(sendOnce(b, address, action, values...))
}

func sendOnce(b *lab.Browser, address, action string, values ...string) lab.Page {
	b.T.Helper()
	_, form := b.Open("/signout").Form(b.T)
	fields := url.Values{"action": {action}, "csrf": form["csrf"]}
	for i := 0; i < len(values); i += 2 {
		fields.Set(values[i], values[i+1])
	}
	return b.Post(address, fields)
}

// lockPlan has somebody propose to lock people, and returns its address.
func lockPlan(b *lab.Browser, people ...string) string {
	b.T.Helper()
	p := send(b, "/desk/plans/new", "check", "name", "lock", "targets", strings.Join(people, "\n"), "plan_reason", "incident", "note", "All of them were seen.")
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("check: %s\n%s", p.Status, p.Text)
	}
	p = b.Submit(p, "action", "propose")
	if p.StatusCode != http.StatusOK || !strings.HasPrefix(p.Request.URL.Path, "/desk/plans/") {
		b.T.Fatalf("propose: %s at %s\n%s", p.Status, p.Request.URL, p.Text)
	}
	return p.Request.URL.Path
}

func (w *place) isLocked(id string) bool {
	w.T.Helper()
	a := testkit.Must(w.Accounts().Get(w.T.Context(), id))(w.T)
	return a.Disabled
}

func (w *place) planAt(address string) storage.Plan {
	w.T.Helper()
	p := testkit.Must(storage.One(w.Store.(desk.Store).Plans(w.T.Context(), storage.PlanFilter{ID: new(path.Base(address))})))(w.T)
	return p
}

// shown is the digest that a page of a plan shows.
func shownAt(b *lab.Browser, address string) string {
	b.T.Helper()
	_, form := b.Open(address).Form(b.T)
	return form.Get("shown")
}

func TestPlanForMany(t *testing.T) {
	t.Parallel()
	w, olga, oleg := planned(t)
	shows(t, olga.Open("/desk/plans"), http.StatusOK, "Nothing is planned")
	shows(t, olga.Open("/desk/plans/new"), http.StatusOK, "Lock the account")
	shows(t, olga.Open("/desk/plans/new?name=lock"), http.StatusOK, "One ID a line")
	address := lockPlan(olga, "alice", "bob", "nobody")
	shows(t, olga.Open(address), http.StatusOK, "You have proposed this", "All of them were seen.", "not found", "alice")
	shows(t, oleg.Open("/desk/"), http.StatusOK, address[:len("/desk/plans")])
	shows(t, oleg.Open("/desk/plans"), http.StatusOK, "Waiting for approval", "2 targets")
	shown := shownAt(oleg, address)
	shows(t, send(oleg, address, "approve", "shown", shown, "count", "3"), http.StatusUnprocessableEntity, "not the number of targets")
	shows(t, send(oleg, address, "approve", "shown", shown, "count", "2"), http.StatusOK, "The plan is approved")
	w.runs()
	w.until("done", func() bool { return w.planAt(address).State == storage.PlanDone })
	if !w.isLocked("alice") || !w.isLocked("bob") {
		t.Error("they are not locked")
	}
	shows(t, oleg.Open(address), http.StatusOK, "Progress")
	csv := oleg.Open(address + "/targets.csv")
	if want := "number,id,state,why\n1,alice,done,\n2,bob,done,\n"; csv.Text != want || csv.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("csv is %q", csv.Text)
	}
	shows(t, send(oleg, address, "end"), http.StatusOK, "already decided")
}

// runs does the background work until the test ends.
func (w *place) runs() {
	w.T.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = w.Provider.Run(ctx) }()
	w.T.Cleanup(func() { stop(); <-ended })
}

// until waits for the background work.
func (w *place) until(what string, is func() bool) {
	w.T.Helper()
	for range 400 {
		if is() {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	w.T.Fatalf("it never is %s", what)
}

// Attack 2: a plan is not approved by who has proposed it, by no way.
func TestOwnPlanIsNotApproved(t *testing.T) {
	t.Parallel()
	w, olga, _ := planned(t)
	w.hires("olga2", desk.RoleOperator)
	w.staff["olga"] = desk.Staff{ID: "employee 7", Roles: []desk.Role{desk.RoleOperator}}
	w.staff["olga2"] = desk.Staff{ID: "employee 7", Roles: []desk.Role{desk.RoleOperator, desk.RoleSupport, desk.RoleAuditor}}
	address := lockPlan(olga, "alice", "bob")
	plan := w.planAt(address)
	shown := fmt.Sprintf("%x", plan.Digest[:])
	for name, b := range map[string]*lab.Browser{"SameBrowser": olga, "OtherBrowser": w.reviewer("olga"), "SecondAccount": w.reviewer("olga2")} {
		p := b.Open(address)
		if strings.Contains(p.Text, `value="approve"`) {
			t.Errorf("%s: the page offers it", name)
		}
		shows(t, send(b, address, "approve", "shown", shown, "count", "2"), http.StatusOK, "Another operator decides")
	}
	shows(t, send(w.reviewer("sam"), address, "approve", "shown", shown, "count", "2"), http.StatusNotFound)
	if got := w.planAt(address); got.State != storage.PlanProposed {
		t.Errorf("the plan is %s", got.State)
	}
	err := w.Store.(desk.Store).MovePlan(t.Context(), plan.ID, storage.PlanMove{To: storage.PlanRunning, Digest: plan.Digest, Staff: plan.ProposedBy, At: w.Now()})
	if !errors.Is(err, storage.ErrForbidden) {
		t.Errorf("the write: %v", err)
	}
	if !w.Saw("desk_refused") {
		t.Error("no line says that it was tried")
	}
}

// Attack 3: a plan that is not what was shown, and a role that is lost while its page is open.
func TestPlanThatIsNotWhatWasShown(t *testing.T) {
	t.Parallel()
	t.Run("OtherDigest", func(t *testing.T) {
		w, olga, oleg := planned(t)
		address := lockPlan(olga, "alice", "bob")
		shows(t, send(oleg, address, "approve", "shown", strings.Repeat("ab", 32), "count", "2"), http.StatusOK, "no longer what was shown")
		w.MustExec(`UPDATE plans SET reason = 'caller'`)
		shown := fmt.Sprintf("%x", w.planAt(address).Digest)
		shows(t, oleg.Open(address), http.StatusOK, "altered in the database")
		shows(t, send(oleg, address, "approve", "shown", shown, "count", "2"), http.StatusOK, "no longer what was shown")
		if w.planAt(address).State != storage.PlanProposed {
			t.Error("it is approved")
		}
	})
	t.Run("TargetHasMoved", func(t *testing.T) {
		w, olga, oleg := planned(t)
		address := lockPlan(olga, "alice", "bob")
		send(oleg, address, "approve", "shown", shownAt(oleg, address), "count", "2")
		w.OK(w.Accounts().SetDisabled(t.Context(), "bob", true))
		w.OK(w.Accounts().SetDisabled(t.Context(), "bob", false))
		w.runs()
		w.until("done", func() bool { return w.planAt(address).State == storage.PlanDone })
		shows(t, oleg.Open(address), http.StatusOK, "changed since it was proposed")
		if !w.isLocked("alice") || w.isLocked("bob") {
			t.Error("the wrong ones are locked")
		}
	})
	t.Run("RoleIsLostWithTheFormOpen", func(t *testing.T) {
		w, olga, oleg := planned(t)
		address := lockPlan(olga, "alice", "bob")
		shown := shownAt(oleg, address)
		delete(w.staff, "oleg")
		shows(t, send(oleg, address, "approve", "shown", shown, "count", "2"), http.StatusNotFound)
	})
	t.Run("RoleIsLostWithThePlanApproved", func(t *testing.T) {
		w, olga, oleg := planned(t)
		address := lockPlan(olga, "alice", "bob")
		send(oleg, address, "approve", "shown", shownAt(oleg, address), "count", "2")
		delete(w.staff, "olga")
		w.runs()
		w.until("stopped", func() bool { return w.planAt(address).State == storage.PlanStopped })
		if w.isLocked("alice") {
			t.Error("alice is locked")
		}
	})
	t.Run("ListHasMovedBeforeItIsProposed", func(t *testing.T) {
		w, olga, _ := planned(t)
		p := send(olga, "/desk/plans/new", "check", "name", "lock", "targets", "alice bob", "plan_reason", "incident")
		w.OK(w.Accounts().SetDisabled(t.Context(), "bob", true))
		shows(t, olga.Submit(p, "action", "propose"), http.StatusConflict, "Something has changed since you looked")
	})
}

// Attack 16: a list that grew, a wrong count, and more targets than a plan has.
func TestListOfAPlanIsFrozen(t *testing.T) {
	t.Parallel()
	w, olga, oleg := planned(t)
	many := make([]string, 10_001)
	for i := range many {
		many[i] = fmt.Sprintf("u%d", i)
	}
	p := send(olga, "/desk/plans/new", "check", "name", "lock", "targets", strings.Join(many, "\n"), "plan_reason", "incident")
	shows(t, p, http.StatusUnprocessableEntity, "Enter 1 to 10,000 IDs")
	address := lockPlan(olga, "alice", "bob")
	w.MustExec(`INSERT INTO plan_targets (plan_id, number, id, revision, state, why) SELECT plan_id, 3, 'sam', revision, 'waiting', '' FROM plan_targets WHERE number = 1`)
	shown := fmt.Sprintf("%x", w.planAt(address).Digest)
	shows(t, send(oleg, address, "approve", "shown", shown, "count", "2"), http.StatusOK, "no longer what was shown")
}

// Attacks 1 and 8: support does not get at what it may not do, by no page.
func TestSupportPlansAndBreaksNothing(t *testing.T) {
	t.Parallel()
	w, _, _ := planned(t)
	sam := w.reviewer("sam")
	matter := w.opens("sam", "bob")
	for _, path := range []string{"/desk/plans", "/desk/plans/new", "/desk/breaks", "/desk/breaks/new?name=lock&targets=bob&matter=" + matter} {
		shows(t, sam.Open(path), http.StatusNotFound)
	}
	for _, name := range []string{"lock", "set_status", "change_email", "reset_factors_now", "start_deletion", "revoke_keys"} {
		values := []string{"name", name, "targets", "bob", "matter", matter, "sentence", "Because I need this to be done now.", "revision", "1"}
		shows(t, send(sam, "/desk/plans/new", "propose", values...), http.StatusNotFound)
		shows(t, send(sam, "/desk/breaks/new", "alone", values...), http.StatusNotFound)
	}
	if w.isLocked("bob") {
		t.Error("bob is locked")
	}
}

// What waits for the person to say no is done by nobody alone, which would be at once.
func TestBreakWaitsForNobody(t *testing.T) {
	t.Parallel()
	w, olga, _ := planned(t)
	matter := w.opens("olga", "bob")
	values := []string{"name", "change_email", "targets", "bob", "matter", matter, "email", "new@example.com"}
	shows(t, olga.Open("/desk/breaks/new?"+lab.Form(values...).Encode()), http.StatusNotFound)
	shows(t, send(olga, "/desk/breaks/new", "alone", append(values, "sentence", "Because I need this to be done now.", "revision", "1")...), http.StatusNotFound)
	form := send(olga, "/desk/matters/"+matter+"/do/change_email", "check", "email", "new@example.com")
	if strings.Contains(form.Text, "/desk/breaks/new") {
		t.Error("the form leads to doing it alone")
	}
	account := testkit.Must(w.Accounts().Get(t.Context(), "bob"))(w.T)
	if account.Email != "bob@example.com" {
		t.Errorf("bob is at %s", account.Email)
	}
}

func TestBreak(t *testing.T) {
	t.Parallel()
	w, olga, oleg := planned(t)
	matter := w.opens("olga", "sam")
	address := "/desk/breaks/new?" + url.Values{"name": {"lock"}, "targets": {"sam"}, "matter": {matter}}.Encode()
	page := olga.Open(address)
	shows(t, page, http.StatusOK, "Do it alone only if", "Lock the account")
	shows(t, olga.Submit(page, "action", "alone", "sentence", "now"), http.StatusUnprocessableEntity, "in 20 to 500 characters")
	if w.isLocked("sam") {
		t.Error("sam is locked without a reason")
	}
	said := `<b>He</b> sells addresses right now.`
	p := olga.SubmitOnce(page, "action", "alone", "sentence", said)
	if p.StatusCode != http.StatusSeeOther || !w.isLocked("sam") {
		t.Fatalf("alone: %s, locked %v\n%s", p.Status, w.isLocked("sam"), p.Text)
	}
	for _, b := range []*lab.Browser{olga, oleg} {
		shows(t, b.Open("/desk/plans"), http.StatusOK, "waits for another operator")
	}
	list := oleg.Open("/desk/breaks")
	shows(t, list, http.StatusOK, "&lt;b&gt;He&lt;/b&gt; sells addresses", "The host was not told", "sam")
	breaks := testkit.Must(w.Store.(desk.Store).Breaks(t.Context(), storage.BreakFilter{Open: true, Limit: 1}))(w.T)
	shows(t, send(olga, "/desk/breaks", "sign_off", "break", breaks[0].ID), http.StatusOK, "Another operator signs it off")
	w.Advance(73 * time.Hour)
	oleg, olga = w.reviewer("oleg"), w.reviewer("olga")
	shows(t, oleg.Open("/desk/breaks"), http.StatusOK, "Overdue")
	shows(t, send(oleg, "/desk/breaks", "sign_off", "break", breaks[0].ID), http.StatusOK, "You have signed it off", "Nothing is waiting")
	shows(t, olga.Open("/desk/breaks?all=1"), http.StatusOK, "Signed off by")
}

func TestBreakIsRefused(t *testing.T) {
	t.Parallel()
	w, olga, _ := planned(t)
	sentence := "There is nobody here and it burns."
	ofSam, ofBob := w.opens("olga", "sam"), w.opens("oleg", "bob")
	for name, values := range map[string][]string{
		"OnOneself":         {"name", "lock", "targets", "olga", "matter", w.opens("olga", "olga")},
		"WithoutAMatter":    {"name", "lock", "targets", "bob"},
		"InAnothersMatter":  {"name", "lock", "targets", "bob", "matter", ofBob},
		"InAMatterOfOthers": {"name", "lock", "targets", "bob", "matter", ofSam},
		"UnknownAction":     {"name", "promote", "targets", "bob", "matter", ofSam},
	} {
		t.Run(name, func(t *testing.T) {
			shows(t, send(olga, "/desk/breaks/new", "alone", append(values, "sentence", sentence, "revision", "1")...), http.StatusNotFound)
		})
	}
	t.Run("FieldOfNoAction", func(t *testing.T) {
		p := send(olga, "/desk/breaks/new", "alone", "name", "lock", "targets", "sam", "matter", ofSam, "sentence", sentence, "revision", "1", "signed_off_by", "oleg")
		shows(t, p, http.StatusBadRequest)
	})
	if breaks, err := w.Store.(desk.Store).Breaks(t.Context(), storage.BreakFilter{Limit: 1}); err != nil || len(breaks) != 0 {
		t.Errorf("breaks: %v, %v", breaks, err)
	}
}

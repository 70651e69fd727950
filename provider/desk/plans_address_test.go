package desk_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// A change of address goes from the form of the action by a plan of two to the account, after its
// owner had three days to object.
func TestChangeOfAddressTakesTwoAndThreeDays(t *testing.T) {
	t.Parallel()
	w, olga, oleg := planned(t)
	matter := w.inMatter("olga", "bob", storage.SessionProof)
	form := send(olga, "/desk/matters/"+matter+"/do/change_email", "check", "email", "bob@new.example.com")
	shows(t, form, http.StatusOK, "Another operator has to approve this", `value="draft"`)
	draft := send(olga, "/desk/plans/new", "draft", "name", "change_email", "targets", "bob", "matter", matter, "email", "bob@new.example.com")
	shows(t, draft, http.StatusOK, "Check the plan", "bob@new.example.com", "1 target")
	p := olga.Submit(draft, "action", "propose", "note", "She called from her old number.")
	shows(t, p, http.StatusOK, "Your plan is proposed", "that they are signed in", "She called from her old number.")
	address := p.Request.URL.Path
	shows(t, send(oleg, address, "approve", "shown", shownAt(oleg, address)), http.StatusOK, "Approved, not due yet")
	if strings.Contains(oleg.Open(address).Text, "bob@new.example.com") {
		t.Error("the new address is shown after the decision")
	}
	told := false
	for _, m := range w.Mails.Since(0) {
		told = told || m.Kind == "email_will_change" && m.To == "bob@example.com"
	}
	if !told {
		t.Error("the owner is not told")
	}
	email := func() string {
		a, err := w.Accounts().Get(t.Context(), "bob")
		w.OK(err)
		return a.Email
	}
	if got := email(); got != "bob@example.com" {
		t.Errorf("the address is %s at once", got)
	}
	w.Advance(72*time.Hour + time.Minute)
	w.runs()
	w.until("done", func() bool { return w.planAt(address).State == storage.PlanDone })
	if got := email(); got != "bob@new.example.com" {
		t.Errorf("the address is %s after three days", got)
	}
}

// Without what the caller has to prove nothing is proposed, and nothing in the matter of another
// person or of other staff (attack 4).
func TestPlanRestsOnItsMatter(t *testing.T) {
	t.Parallel()
	w, olga, _ := planned(t)
	propose := func(matter, person string) int {
		return send(olga, "/desk/plans/new", "draft", "name", "change_email", "targets", person, "matter", matter, "email", "x@new.example.com").StatusCode
	}
	if got := propose(w.inMatter("olga", "bob", storage.MailboxProof), "bob"); got != http.StatusForbidden {
		t.Errorf("with the mailbox alone: %d", got)
	}
	if got := propose(w.inMatter("olga", "bob", storage.SessionProof), "alice"); got != http.StatusNotFound {
		t.Errorf("in the matter of another: %d", got)
	}
	if got := propose(w.inMatter("oleg", "bob", storage.SessionProof), "bob"); got != http.StatusNotFound {
		t.Errorf("in the matter of a colleague: %d", got)
	}
	matter := w.inMatter("olga", "bob", storage.SessionProof)
	draft := send(olga, "/desk/plans/new", "draft", "name", "change_email", "targets", "bob", "matter", matter, "email", "x@new.example.com")
	w.MustExec(`UPDATE matters SET closed_at = ends_at WHERE id = ?1`, matter)
	shows(t, olga.Submit(draft, "action", "propose"), http.StatusOK, "This matter is over")
}

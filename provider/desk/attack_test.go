package desk_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

func TestDeskDoesNotExistForOthers(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	c := w.applies(w.Bob(), "bob")
	alice, bob := w.Alice(), w.Bob()
	for _, path := range []string{"/desk/", "/desk/cases", "/desk/case/" + c.ID, "/desk/evidence/x", "/desk/none"} {
		shows(t, alice.Open(path), http.StatusNotFound)
		shows(t, bob.Open(path), http.StatusNotFound) // whose case it is
		if p := w.NewBrowser().Get(path); p.StatusCode == http.StatusOK || strings.Contains(p.Text, "Bob") {
			t.Errorf("%s is shown to nobody: %s", path, p.Status)
		}
	}
	w.staff["rita"] = desk.Staff{Groups: []string{"student"}} // no role
	shows(t, w.reviewer("rita").Open("/desk/cases"), http.StatusNotFound)
}

func TestRoleThatIsLostIsLostAtOnce(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	w.applies(w.Bob(), "bob")
	rita := w.reviewer("rita")
	p := next(rita)
	delete(w.staff, "rita")
	shows(t, post(rita, p, "approve"), http.StatusNotFound)
	w.later("bob")
	if w.verified("bob") {
		t.Error("decided without a role")
	}
}

func TestHostThatFailsAdmitsNobody(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	rita := w.reviewer("rita")
	w.host = errors.New("the directory is down")
	shows(t, rita.Open("/desk/cases"), http.StatusServiceUnavailable)
}

func TestNobodyDecidesTheirOwnCase(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	w.staff["bob"] = desk.Staff{Roles: []desk.Role{desk.RoleSenior}}
	c := w.applies(w.Bob(), "bob")
	bob := w.Bob()
	shows(t, bob.Open("/desk/cases"), http.StatusOK, "Nothing is waiting")
	shows(t, next(bob), http.StatusOK, "Nothing is waiting")
	shows(t, bob.Follow(post(bob, bob.Open("/desk/cases"), "take", "case", c.ID)), http.StatusOK, "You do not have this case")
	shows(t, bob.Follow(bob.Get("/desk/case/"+c.ID)), http.StatusOK, "You do not have this case")

	// By a second account of the same member of the staff.
	w.staff["rita"] = desk.Staff{ID: "bob", Roles: []desk.Role{desk.RoleReviewer}}
	shows(t, next(w.reviewer("rita")), http.StatusOK, "Nothing is waiting")
}

func TestSecondAccountIsNoSecondReviewer(t *testing.T) {
	t.Parallel()
	w := newPlace(t, twoReviewers)
	w.applies(w.Bob(), "bob")
	for _, name := range []string{"rita", "raul"} {
		w.staff[name] = desk.Staff{ID: "staff 7", Roles: []desk.Role{desk.RoleReviewer}}
	}
	rita, raul := w.reviewer("rita"), w.reviewer("raul")
	rita.Follow(post(rita, next(rita), "approve"))
	w.later("bob")
	shows(t, next(raul), http.StatusOK, "Nothing is waiting")
	if w.verified("bob") {
		t.Error("one person was two reviewers")
	}
}

func TestCaseOfAnotherReviewer(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	c := w.applies(w.Bob(), "bob")
	rita, raul := w.reviewer("rita"), w.reviewer("raul")
	p := next(rita)
	if q := raul.Open("/desk/case/" + c.ID); strings.Contains(q.Text, "Builder") {
		t.Error("who has not taken the case sees the person")
	}
	shows(t, raul.Follow(post(raul, raul.Open("/desk/cases"), "take", "case", c.ID)), http.StatusOK, "You do not have this case")

	// The page of the one, sent by the other.
	fields := hiddenOf(p, "version")
	shows(t, raul.Follow(postTo(raul, "/desk/case/"+c.ID, raul.Open("/desk/cases"), "approve", "version", fields)), http.StatusOK, "Nothing was decided")
	w.later("bob")
	if w.verified("bob") {
		t.Error("decided by a reviewer who has not taken the case")
	}
}

func TestPageFromBefore(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	c := w.applies(w.Bob(), "bob")
	rita := w.reviewer("rita")
	before := next(rita)
	rita.Follow(post(rita, before, "decline", "reasons.altered", "on"))
	shows(t, rita.Follow(post(rita, before, "approve")), http.StatusOK, "Nothing was decided")
	// She has the case again, and it is another version.
	shows(t, rita.Follow(post(rita, rita.Open("/desk/cases"), "undo", "case", c.ID)), http.StatusOK, "taken back")
	shows(t, rita.Follow(post(rita, before, "approve")), http.StatusOK, "Nothing was decided")
	w.later("bob")
	if w.verified("bob") || w.caseOf("bob").ID != c.ID {
		t.Error("a page from before has decided")
	}
}

func TestCaseIsLostWithTheTime(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	c := w.applies(w.Bob(), "bob")
	rita, raul := w.reviewer("rita"), w.reviewer("raul")
	p := next(rita)
	w.Advance(8 * time.Minute)
	shows(t, rita.Open("/desk/"), http.StatusOK)
	shows(t, raul.Open("/desk/"), http.StatusOK)
	w.Advance(8 * time.Minute)
	shows(t, rita.Follow(post(rita, p, "approve")), http.StatusOK, "Nothing was decided")
	shows(t, next(raul), http.StatusOK, "Bob Builder")
	if q := rita.Open("/desk/case/" + c.ID); strings.Contains(q.Text, "Builder") {
		t.Error("who has lost the case sees the person")
	}
}

func TestReviewerHoldsOneCase(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	w.applies(w.Bob(), "bob")
	w.applies(w.Alice(), "alice")
	rita, raul := w.reviewer("rita"), w.reviewer("raul")
	first := w.caseOf("bob").ID
	next(rita)
	rita.Follow(post(rita, rita.Open("/desk/cases"), "take", "case", w.caseOf("alice").ID))
	if c := w.caseOf("bob"); c.TakenBy != "" {
		t.Errorf("%s is still with %s", first, c.TakenBy)
	}
	shows(t, next(raul), http.StatusOK, "Bob Builder")
}

func TestWithdrawnCaseIsNotDecided(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	c := w.applies(w.Bob(), "bob")
	rita := w.reviewer("rita")
	p := next(rita)
	w.OK(w.service.Withdraw(t.Context(), "bob", c.ID))
	shows(t, rita.Follow(post(rita, p, "approve")), http.StatusOK, "Nothing was decided")
	if w.verified("bob") {
		t.Error("verified after a withdrawal")
	}
}

func TestForgedDecision(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	c := w.applies(w.Bob(), "bob")
	rita := w.reviewer("rita")
	p := next(rita)
	if q := rita.Post("/desk/case/"+c.ID, map[string][]string{"action": {"approve"}, "version": {hiddenOf(p, "version")}}); q.StatusCode < 400 {
		t.Errorf("a form without its token: %s", q.Status)
	}
	shows(t, rita.Get("/desk/case/"+c.ID+"?action=approve"), http.StatusOK)
	for _, values := range [][]string{{"version", "x"}, {"action", "bless"}, {"action", ""}} {
		shows(t, post(rita, p, "approve", values...), http.StatusBadRequest)
	}
	w.later("bob")
	if w.verified("bob") {
		t.Error("decided by a forged form")
	}
}

func TestSignInOfYesterday(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	w.applies(w.Bob(), "bob")
	rita := w.reviewer("rita")
	p := next(rita)
	w.Advance(9 * time.Hour)
	for _, q := range []lab.Page{rita.Get("/desk/cases"), post(rita, p, "approve")} {
		if q.StatusCode != http.StatusSeeOther || strings.Contains(q.Text, "Builder") {
			t.Errorf("%s: %s", q.Request.URL, q.Status)
		}
	}
}

func TestEvidenceAddressIsSealed(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	c := w.applies(w.Bob(), "bob")
	rita := w.reviewer("rita")
	next(rita)
	for _, address := range []string{"x", c.ID, "e30", strings.Repeat("A", 200)} {
		shows(t, rita.Open("/desk/evidence/"+address), http.StatusNotFound)
	}
}

// TestReviewIsForWhoHasTheCase tests the verb behind the page, which a desk of the host uses
// as well.
func TestReviewIsForWhoHasTheCase(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	c := w.applies(w.Bob(), "bob")
	rita, raul := storage.Reviewer{ID: "rita", Subject: "rita"}, storage.Reviewer{ID: "raul", Subject: "raul"}
	refused := func(by storage.Reviewer) {
		t.Helper()
		if _, err := w.service.Review(t.Context(), by, c.ID); !errors.Is(err, verification.ErrForbidden) {
			t.Errorf("%s: err = %v, want %v", by.ID, err, verification.ErrForbidden)
		}
	}
	refused(rita)
	refused(storage.Reviewer{})
	_, err := w.service.Take(t.Context(), rita, c.ID, w.Now().Add(time.Minute))
	w.OK(err)
	refused(raul)
	refused(storage.Reviewer{ID: "rita", Subject: "bob"})
	u, err := w.service.Review(t.Context(), rita, c.ID)
	w.OK(err)
	if u.Name != (verification.Name{Given: "Bob", Family: "Builder"}) {
		t.Errorf("the name is %v", u.Name)
	}
	w.Advance(2 * time.Minute)
	refused(rita)
}

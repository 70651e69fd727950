package verification_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// choose presses a button of the sandbox at a case, which may have none.
func (w *pages) choose(b *lab.Browser, id, outcome string) lab.Page {
	w.T.Helper()
	at := "/verification/case/" + id
	p := b.Open(at)
	return post(w.T, b, p, at+"/sandbox", "version", hiddenVersion.FindStringSubmatch(p.Text)[1], "action", outcome)
}

// TestAttackOutcomeInProduction posts what a button of the sandbox does to a provider that is
// none.
func TestAttackOutcomeInProduction(t *testing.T) {
	t.Parallel()
	w := newPages(t, byEmail)
	bob := w.Bob()
	w.begin(bob, "email_domain")
	c := latest(w)
	if p := w.choose(bob, c.ID, "approved"); p.StatusCode != http.StatusNotFound {
		t.Errorf("the address answers %s", p.Status)
	}
	if p := bob.Open("/verification/case/" + c.ID); strings.Contains(p.Text, "/sandbox") {
		t.Errorf("there are buttons:\n%s", p.Text)
	}
	if now := latest(w); now.State != storage.CaseOpen || now.Version != c.Version {
		t.Errorf("the case is %s", now.State)
	}
}

// In a sandbox the button does what it says, for nobody's case but one's own.
func TestOutcomesOfASandbox(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		outcome string
		state   storage.CaseState
	}{
		{"approved", storage.CaseApproved}, {"sent_back", storage.CaseOpen}, {"review", storage.CaseReview},
		{"declined", storage.CaseDeclined}, {"expired", storage.CaseExpired}, {"invented", storage.CaseOpen},
	} {
		t.Run(c.outcome, func(t *testing.T) {
			t.Parallel()
			w := newPagesOf(t, func(c *provider.Config) { c.Sandbox = true }, verification.AllOf(byEmail, asks("a")))
			bob, alice := w.Bob(), w.Alice()
			w.begin(bob, "email_domain")
			id := latest(w).ID
			own := alice.Open("/signout")
			if p := post(t, alice, own, "/verification/case/"+id+"/sandbox", "action", c.outcome); p.StatusCode != http.StatusNotFound {
				t.Errorf("alice gets %s", p.Status)
			}
			w.choose(bob, id, c.outcome)
			if got := latest(w); got.State != c.state {
				t.Errorf("the case is %s", got.State)
			}
			statuses := testkit.Must(w.People().Statuses(t.Context(), "bob", "student"))(w.T)
			if statuses[0].Verified != (c.state == storage.CaseApproved) {
				t.Errorf("bob is verified: %t", statuses[0].Verified)
			}
		})
	}
}

// latest returns the case of bob.
func latest(w *pages) verification.RecordedCase {
	w.T.Helper()
	all := testkit.Must(w.Cases(w.T.Context(), storage.CaseFilter{Subject: "bob", Limit: 1}))(w.T)
	return all[0]
}

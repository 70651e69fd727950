package desk_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
)

// linesOf is the address of a plan for whom the lines of a filter are about.
func linesOf(action, filter string) string {
	return "/desk/plans/new?" + url.Values{"name": {action}, "lines": {filter}}.Encode()
}

func TestPlanOfWhomTheLinesAreAbout(t *testing.T) {
	t.Parallel()
	w, olga, oleg := planned(t)
	for i := range 3 { // once each, whatever the lines
		w.OK(w.Events().Record(t.Context(), provider.Event{Name: event.Denied, UserID: []string{"alice", "bob", "alice"}[i], Detail: "museum"}))
	}
	found := olga.Open("/desk/trail?event=consent_denied")
	shows(t, found, http.StatusOK, "Everybody of these entries", "lines=event%3Dconsent_denied")
	shows(t, olga.Open("/desk/plans/new?lines=event%3Dconsent_denied"), http.StatusOK, "Lock", "lines=event")
	p := olga.Open(linesOf("lock", "event=consent_denied"))
	shows(t, p, http.StatusOK, "alice\nbob</textarea>")

	// The list is that which was shown, whoever is in the log since.
	w.OK(w.Events().Record(t.Context(), provider.Event{Name: event.Denied, UserID: "sara"}))
	p = olga.Submit(p, "action", "check", "targets", "alice\nbob", "plan_reason", "incident", "note", "All of them were seen.")
	shows(t, p, http.StatusOK, "It would be done to 2 targets", "alice", "bob")
	p = olga.Submit(p, "action", "propose")
	shows(t, p, http.StatusOK, "Your plan is proposed")
	plans, err := w.Store.(desk.Store).Plans(t.Context(), storage.PlanFilter{Limit: 10})
	w.OK(err)
	if len(plans) != 1 || plans[0].Targets != 2 {
		t.Errorf("plans %+v", plans)
	}
	shows(t, oleg.Open("/desk/plans/"+plans[0].ID), http.StatusOK, "alice")
}

func TestPlanOfLines_Refused(t *testing.T) {
	t.Parallel()
	w, olga, _ := planned(t)
	shows(t, olga.Open(linesOf("lock", "event=nothing_*")), http.StatusUnprocessableEntity, "Enter 1 to 10,000 IDs")
	for _, filter := range []string{"from=yesterday", "network=192.0.2.0/24", "%zz", "unknown=x", "person="} {
		shows(t, olga.Open(linesOf("lock", filter)), http.StatusBadRequest)
	}
	shows(t, olga.Open(linesOf("delete_now", "person=bob")), http.StatusNotFound)
	w.hires("alba", desk.RoleAuditor)
	alba := w.reviewer("alba")
	w.OK(w.Events().Record(t.Context(), provider.Event{Name: event.Denied, UserID: "bob", At: time.Now()}))
	if p := alba.Open("/desk/trail?event=consent_denied"); strings.Contains(p.Text, "Everybody of these entries") {
		t.Error("an auditor is offered a plan")
	}
	shows(t, alba.Open(linesOf("lock", "event=consent_denied")), http.StatusNotFound)
}

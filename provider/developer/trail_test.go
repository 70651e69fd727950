package developer_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
)

// silentForOperators are the pages of operators that leave no line, and why.
var silentForOperators = map[string]string{
	"GET /review": "names of applications and organizations",
	"GET /review/{env}/{client}/{which}/{picture}": "a picture of an application",
}

func TestEveryActAndLookOfOperatorsHasItsLine(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t)
	w.withApplication(river, storage.Production, "till", func(c *provider.Client) { c.Unreviewed = true })
	demanded := map[string]bool{}
	for _, p := range w.Pages() {
		for route, need := range map[string]string{"GET " + p.Path: p.Looks, "POST " + p.Path: p.Posts} {
			if need == "operators" && silentForOperators[route] == "" {
				demanded[route] = false
			}
		}
	}
	demand := func(route string, do func(), name string, client, detail string) {
		t.Helper()
		if _, known := demanded[route]; !known {
			t.Errorf("there is no page %q", route)
		}
		demanded[route] = true
		do()
		lines, err := w.id.Events().List(t.Context(), provider.EventFilter{Name: name, Actor: "staff:" + operator})
		w.ok(err)
		if len(lines) != 1 || lines[0].ClientID != client || lines[0].Detail != detail {
			t.Errorf("%s: %s of %q, %q: %+v", route, name, client, detail, lines)
		}
	}
	const application, organization = "POST /review/{env}/{client}", "POST /review/organization/{org}"
	b := w.as(operator)
	decides := func(address string, values ...string) func() {
		return func() { says(t, b.submitForm(address, values...), http.StatusOK, "") }
	}
	asks := func() { w.as(dev).submitForm(accessPath, "note", "Please.", "action", "ask") }

	asks()
	for range 3 {
		demand("GET /review/{env}/{client}", func() { b.open(reviewPath) }, event.StaffLooked, "shop", "review in sandbox")
	}
	demand(application, decides(reviewPath, "action", "refuse", "reason", "The terms are empty."), event.ReviewRefused, "shop", "sandbox")
	asks()
	demand(application, decides(reviewPath, "action", "approve"), event.ReviewApproved, "shop", "sandbox")
	created, err := w.id.Events().List(t.Context(), provider.EventFilter{Name: event.ClientCreated, ClientID: w.live()[0].ClientID})
	if err != nil || len(created) != 1 || created[0].Actor != "staff:"+operator {
		t.Errorf("the copy is created by %+v, %v", created, err)
	}
	const till = "/developer/review/production/till"
	demand(application, decides(till, "action", "stop", "reason", "No"), event.ClientStopped, "till", "")
	demand(application, decides(till, "action", "start"), event.ClientStarted, "till", "")
	demand(organization, decides(riverReview, "action", "stop", "reason", "No"), event.OrganizationSuspended, "", river)
	demand(organization, decides(riverReview, "action", "start"), event.OrganizationReactivated, "", river)
	w.ok(w.id.Accounts().Delete(t.Context(), owner))
	demand(organization, func() { w.appoints(b, "nobody@example.com") }, event.OwnerAppointed, "", river)
	demand(organization, decides(ownerlessPath, "action", "withdraw"), event.OwnerWithdrawn, "", river)
	looks, err := w.id.Events().List(t.Context(), provider.EventFilter{Name: event.StaffLooked, Actor: "staff:" + operator})
	if err != nil || !slices.ContainsFunc(looks, func(e provider.RecordedEvent) bool { return e.Detail == "organization "+river }) {
		t.Errorf("the looks %+v, %v", looks, err)
	}
	demanded["GET /review/organization/{org}"] = true
	for _, route := range slices.Sorted(maps.Keys(demanded)) {
		if !demanded[route] {
			t.Errorf("%s: no line is demanded of it, nor is it said why it leaves none", route)
		}
	}
}

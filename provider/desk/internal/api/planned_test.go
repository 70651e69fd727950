package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/api"
	events "github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

const lockBoth = `{"action": "lock", "targets": ["alice", "olga", "bob", "nobody", "alice"], "reason": "incident", "note": "a note"}`

func TestPlan(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		robot := w.as("robot")
		a := robot.post("/plans", lockBoth).is(t, http.StatusCreated, "")
		id := lab.Member(t, a.json, "id")
		if a.json["state"] != "proposed" || a.json["targets"] != 2.0 || !strings.Contains(a.text, `"left":{"gone":2}`) {
			t.Error(a.text)
		}
		if a.Header.Get("Location") != w.Server.URL+root+"/plans/"+id {
			t.Error(a.Header)
		}
		if e := w.line(events.PlanProposed); e.Actor != "client:robot" {
			t.Errorf("the line: %+v", e)
		}
		targets := robot.get("/plans/"+id+"/targets?limit=1").is(t, http.StatusOK, "")
		if !strings.Contains(targets.text, `"id":"alice"`) || targets.json["next"] == nil {
			t.Error(targets.text)
		}
		t.Run("IsApprovedByNoClient", func(t *testing.T) {
			for _, path := range []string{"/approve", "/done", "/run"} {
				w.as("rival").post("/plans/"+id+path, "{}").is(t, http.StatusNotFound, "not_found")
			}
			for _, member := range []string{"state", "approved_by", "proposed_by"} {
				body := strings.Replace(lockBoth, `"action"`, `"`+member+`": "running", "action"`, 1)
				robot.post("/plans", body).is(t, http.StatusBadRequest, "invalid_body")
			}
		})
		t.Run("IsOfOneClient", func(t *testing.T) {
			rival := w.as("rival")
			rival.get("/plans/"+id).is(t, http.StatusNotFound, "not_found")
			rival.get("/plans/"+id+"/targets").is(t, http.StatusNotFound, "not_found")
			rival.send(http.MethodPost, "/plans/"+id+"/withdraw", "{}").is(t, http.StatusNotFound, "not_found")
			if got := len(rival.get("/plans").json["data"].([]any)); got != 0 {
				t.Errorf("rival sees %d plans", got)
			}
		})
		t.Run("IsTakenBack", func(t *testing.T) {
			a := robot.send(http.MethodPost, "/plans/"+id+"/withdraw", "{}").is(t, http.StatusOK, "")
			if a.json["state"] != "refused" {
				t.Error(a.text)
			}
			robot.send(http.MethodPost, "/plans/"+id+"/withdraw", "{}").is(t, http.StatusConflict, "over")
		})
	})
}

func TestPlanIsProposedOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		robot := w.as("robot").with("Idempotency-Key", "one-plan")
		ids := sync.Map{}
		var sending sync.WaitGroup
		for range 50 {
			sending.Go(func() {
				if a := robot.post("/plans", lockBoth); a.StatusCode == http.StatusCreated {
					ids.Store(a.json["id"], true)
				} else {
					a.is(t, http.StatusConflict, "still_running")
				}
			})
		}
		sending.Wait()
		n := 0
		ids.Range(func(any, any) bool { n++; return true })
		if n != 1 {
			t.Errorf("%d plans", n)
		}
		w.line(events.PlanProposed)
	})
}

func TestPlanOfLines(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		from := w.Now()
		for _, e := range []provider.Event{
			{Name: events.SignInFailed, UserID: "bob", ClientID: "app"}, {Name: events.SignInFailed, UserID: "alice"},
			{Name: events.SignInFailed, UserID: "bob"}, {Name: events.SignInFailed}, {Name: events.SignedIn, UserID: "olga"},
		} {
			w.OK(w.Events().Record(t.Context(), e))
		}
		robot := w.as("robot")
		lines := func(pairs string) string {
			return `{"action": "lock", "reason": "incident", "lines": {"from": "` + from.UTC().Format(time.RFC3339) + `"` + pairs + `}}`
		}
		a := robot.post("/plans", lines(`, "name": "sign_in_failed"`)).is(t, http.StatusCreated, "")
		targets := robot.get("/plans/"+lab.Member(t, a.json, "id")+"/targets").is(t, http.StatusOK, "")
		if a.json["targets"] != 2.0 || !strings.Contains(targets.text, `"id":"alice"`) || !strings.Contains(targets.text, `"id":"bob"`) {
			t.Error(targets.text)
		}
		// What is recorded later is not of it.
		w.OK(w.Events().Record(t.Context(), provider.Event{Name: events.SignInFailed, UserID: "olga"}))
		if again := robot.get("/plans/" + lab.Member(t, a.json, "id")); again.json["targets"] != 2.0 {
			t.Error(again.text)
		}
		a = robot.post("/plans", lines(`, "name": "sign_in_failed", "client_id": "app"`)).is(t, http.StatusCreated, "")
		if a.json["targets"] != 1.0 {
			t.Error(a.text)
		}
		for name, c := range map[string]struct {
			body, code string
			status     int
		}{
			"nobody":           {lines(`, "name": "account_deleted"`), "invalid_value", http.StatusUnprocessableEntity},
			"no filter":        {`{"action": "lock", "reason": "incident", "lines": {}}`, "invalid_value", http.StatusUnprocessableEntity},
			"an empty one":     {lines(`, "person": ""`), "invalid_value", http.StatusUnprocessableEntity},
			"an unknown one":   {lines(`, "network": "192.0.2.0/24"`), "invalid_body", http.StatusBadRequest},
			"no time":          {`{"action": "lock", "reason": "incident", "lines": {"until": "today"}}`, "invalid_value", http.StatusUnprocessableEntity},
			"both":             {`{"action": "lock", "reason": "incident", "targets": ["bob"], "lines": {"person": "bob"}}`, "invalid_value", http.StatusUnprocessableEntity},
			"neither":          {`{"action": "lock", "reason": "incident"}`, "invalid_value", http.StatusUnprocessableEntity},
			"no text":          {`{"action": "lock", "reason": "incident", "lines": {"person": 1}}`, "invalid_body", http.StatusBadRequest},
			"a list":           {`{"action": "lock", "reason": "incident", "lines": ["bob"]}`, "invalid_body", http.StatusBadRequest},
			"more than is one": {`{"action": "lock", "reason": "incident", "matter": "x", "lines": {"person": "bob"}}`, "not_found", http.StatusNotFound},
		} {
			if a := robot.post("/plans", c.body); a.StatusCode != c.status || a.json["code"] != c.code {
				t.Errorf("%s: %d %s", name, a.StatusCode, a.text)
			}
		}
		blind := client{w, w.token("robot", "scope", api.ScopePeopleAct), http.Header{}}
		blind.post("/plans", lines(`, "name": "sign_in_failed"`)).is(t, http.StatusForbidden, "insufficient_scope")
	})
}

func TestPlan_Refused(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	robot := w.as("robot")
	many := make([]string, 10_001)
	for i := range many {
		many[i] = fmt.Sprintf("%q", fmt.Sprint("p", i))
	}
	for name, c := range map[string]struct {
		body, code string
		status     int
	}{
		"OfTooManyTargets":     {`{"action": "lock", "reason": "incident", "targets": [` + strings.Join(many, ",") + `]}`, "invalid_body", http.StatusBadRequest},
		"OfNoTarget":           {`{"action": "lock", "reason": "incident", "targets": []}`, "invalid_value", http.StatusUnprocessableEntity},
		"OfNobody":             {`{"action": "lock", "reason": "incident", "targets": ["nobody", "nobody2"]}`, "invalid_value", http.StatusUnprocessableEntity},
		"OfAWithheldAction":    {`{"action": "show_value", "reason": "incident", "targets": ["bob"], "values": {"handle": "fname"}}`, "invalid_value", http.StatusUnprocessableEntity},
		"OfAnUnknownAction":    {`{"action": "promote", "reason": "incident", "targets": ["bob"]}`, "invalid_value", http.StatusUnprocessableEntity},
		"WithAnUnknownValue":   {`{"action": "lock", "reason": "incident", "targets": ["bob", "alice"], "values": {"x": "y"}}`, "invalid_value", http.StatusUnprocessableEntity},
		"ForNoReason":          {`{"action": "lock", "reason": "boredom", "targets": ["bob", "alice"]}`, "invalid_value", http.StatusUnprocessableEntity},
		"InTheMatterOfNobody":  {`{"action": "lock", "reason": "incident", "targets": ["bob"], "matter": "x"}`, "not_found", http.StatusNotFound},
		"WithoutTheScopeOfAll": {`{"action": "lock", "reason": "incident", "targets": ["bob"]}`, "insufficient_scope", http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			who := robot
			if c.code == "insufficient_scope" {
				who = client{w, w.token("robot", "scope", api.ScopeApplicationsAct), http.Header{}}
			}
			who.post("/plans", c.body).is(t, c.status, c.code)
		})
	}
}

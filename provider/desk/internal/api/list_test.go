package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

const minute = time.Minute

func TestList(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	for i := range 7 {
		w.OK(w.Clients().Save(t.Context(), provider.Client{ID: fmt.Sprintf("many%d", i), Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}}))
	}
	robot := w.as("robot")
	seen, path := map[string]bool{}, "/applications?limit=3"
	for path != "" {
		a := robot.get(path).is(t, http.StatusOK, "")
		for _, row := range a.json["data"].([]any) {
			seen[lab.Member(t, row.(map[string]any), "client_id")] = true
		}
		link, next := a.Header.Get("Link"), a.json["next"]
		if path = ""; next != nil {
			address, _, found := strings.Cut(strings.TrimPrefix(link, "<"), `>; rel="next"`)
			if !found {
				t.Fatalf("Link: %s", link)
			}
			path = strings.TrimPrefix(address, w.Server.URL+root)
		}
	}
	if all, err := w.Clients().List(t.Context(), "", 1000); err != nil || len(seen) != len(all) {
		t.Errorf("%d of %d are listed: %v", len(seen), len(all), err)
	}
	for _, limit := range []string{"0", "201", "x", "-1"} {
		robot.get("/applications?limit="+limit).is(t, http.StatusBadRequest, "invalid_request")
	}
	robot.get("/applications?limit=1&limit=2").is(t, http.StatusBadRequest, "invalid_request")
	robot.get("/applications?offset=2").is(t, http.StatusBadRequest, "invalid_request")
	cursor := lab.Member(t, robot.get("/applications?limit=1").json, "next")
	after := func(c client, path string) answer { return c.get(path + "after=" + url.QueryEscape(cursor)) }
	t.Run("CursorIsGood", func(t *testing.T) { after(robot, "/applications?").is(t, http.StatusOK, "") })
	t.Run("CursorIsOfOneClient", func(t *testing.T) {
		after(w.as("rival"), "/applications?").is(t, http.StatusBadRequest, "invalid_cursor")
	})
	t.Run("CursorIsOfOneList", func(t *testing.T) { after(robot, "/events?").is(t, http.StatusBadRequest, "invalid_cursor") })
	t.Run("CursorIsOfOneFilter", func(t *testing.T) {
		next := lab.Member(t, robot.get("/events?limit=1").json, "next")
		robot.get("/events?limit=5&after="+next).is(t, http.StatusOK, "")
		robot.get("/events?person=alice&after="+next).is(t, http.StatusBadRequest, "invalid_cursor")
	})
	t.Run("CursorCannotBeEdited", func(t *testing.T) {
		for i := range cursor {
			edited := []byte(cursor)
			edited[i] = map[bool]byte{true: 'B', false: 'A'}[edited[i] == 'A']
			if i == len(cursor)-1 {
				break // its last bits mean nothing
			}
			robot.api.Has("robot")
			if i%7 == 0 {
				robot.get("/applications?after="+url.QueryEscape(string(edited))).is(t, http.StatusBadRequest, "invalid_cursor")
			}
		}
	})
}

func TestEvents(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	w.as("robot").within("bob").get("/people/bob")
	robot := w.as("robot")
	names := func(query string) (names []string) {
		for _, row := range robot.get("/events?"+query).is(t, http.StatusOK, "").json["data"].([]any) {
			names = append(names, lab.Member(t, row.(map[string]any), "name"))
		}
		return names
	}
	if got := names("actor=client:robot&person=bob"); !slices.Equal(got, []string{"staff_looked", "support_looked", "matter_opened"}) {
		t.Error(got)
	}
	if got := names("name=support_looked"); len(got) != 1 {
		t.Error(got)
	}
	if got := names("from=" + w.Now().Add(minute).UTC().Format(time.RFC3339)); len(got) != 0 {
		t.Error(got)
	}
	if got := names("actor=staff:olga"); len(got) != 0 {
		t.Error(got)
	}
	robot.get("/checkpoints/latest").is(t, http.StatusNotFound, "not_found")
	robot.get("/blocks").is(t, http.StatusOK, "")
	robot.get("/events?from=yesterday").is(t, http.StatusBadRequest, "invalid_request")
	w.as("reader").get("/events").is(t, http.StatusForbidden, "insufficient_scope")
}

func TestLimits(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	robot := w.as("robot").within("bob")
	for range 59 {
		robot.with("If-Match", `"x"`).post("/people/bob/lock", "{}").is(t, http.StatusPreconditionFailed, "changed")
	}
	a := robot.with("If-Match", `"x"`).post("/people/bob/lock", "{}").is(t, http.StatusTooManyRequests, "too_many_requests")
	if a.Header.Get("Retry-After") != "1" {
		t.Error(a.Header)
	}
	robot.get("/people/bob").is(t, http.StatusOK, "") // reads have a limit of their own
	w.as("rival").within("bob")
}

func TestService(t *testing.T) {
	t.Parallel()
	robot := newPlace(t).as("robot")
	first := robot.get("/report").is(t, http.StatusOK, "")
	if first.json["accounts"] != 3.0 || first.json["applications"] == nil {
		t.Error(first.text)
	}
	_, err := robot.Accounts().Save(t.Context(), provider.Account{ID: "new", Email: "new@example.com"})
	robot.OK(err)
	if again := robot.get("/report"); again.text != first.text {
		t.Error("it is counted again within an hour")
	}
	robot.Advance(61 * minute)
	robot.token = robot.place.token("robot")
	if later := robot.get("/report"); later.json["accounts"] != 4.0 {
		t.Error(later.text)
	}
	a := robot.get("/keys").is(t, http.StatusOK, "")
	if !strings.Contains(a.text, `"signs":true`) {
		t.Error(a.text)
	}
}

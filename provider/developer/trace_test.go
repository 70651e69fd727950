package developer_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const flowName = "0c8e1b2a3d4c5e5f"

// inOrder reports whether a text has these parts, one behind the other.
func inOrder(text string, parts ...string) bool {
	for _, part := range parts {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

func TestOneSignInIsShownFromItsFirstRequestToItsLast(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop").withApplication(river, storage.Sandbox, "till")
	at := w.now()
	w.lines(storage.Sandbox, "shop",
		storage.LogEntry{At: at, Event: "authorize", Outcome: "ok", Flow: flowName, RequestID: "first", User: "p1", Details: map[string]string{"scope": "openid military"}},
		storage.LogEntry{At: at, Event: "token", Outcome: "ok", Flow: "another", RequestID: "of-another"},
		storage.LogEntry{At: at.Add(1500 * time.Millisecond), Event: "token", Outcome: "error", Error: "invalid_grant", Cause: "code_used", Flow: flowName, RequestID: "second"})
	w.lines(storage.Sandbox, "till", storage.LogEntry{Event: "token", Outcome: "ok", Flow: flowName, RequestID: "of-another-application"})
	b := w.as(viewer)
	log := b.open(logPath)
	if strings.Count(log.body, `href="`+logPath+"/"+flowName+`"`) != 2 {
		t.Error("the lines do not lead to their sign-in")
	}
	p := b.open(logPath + "/" + flowName)
	says(t, p, http.StatusOK, "One sign-in", "The code was used before.", "1.500 s later", `href="`+logPath+`?user=p1"`)
	if !inOrder(p.body, "openid military", ">first<", ">second<") || strings.Contains(p.body, "of-another") {
		t.Errorf("the page shows\n%s", p.body)
	}
	for _, path := range []string{"/nothing", "/" + strings.Repeat("a", 65), "/%27%20OR%201=1"} {
		if p := b.open(logPath + path); p.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, p.Status)
		}
	}
}

func TestASignInOfManyRequestsHasABound(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	lines := make([]storage.LogEntry, 201)
	for i := range lines {
		lines[i] = storage.LogEntry{Event: "refresh", Outcome: "ok", Flow: flowName, RequestID: fmt.Sprintf("request-%03d", i)}
	}
	w.lines(storage.Sandbox, "shop", lines...)
	p := w.as(viewer).open(logPath + "/" + flowName)
	if !strings.Contains(p.body, "request-199") || strings.Contains(p.body, "request-200") || !strings.Contains(p.body, "more requests than") {
		t.Error("the page has no bound, or does not say so")
	}
}

func TestLogIsFilteredByTimeAndUser(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	noon := time.Date(2026, time.March, 12, 12, 0, 0, 0, time.UTC)
	for i, user := range []string{"p1", "p2", "p1"} {
		w.lines(storage.Sandbox, "shop", storage.LogEntry{At: noon.Add(time.Duration(i) * time.Minute), Event: "token", Outcome: "ok",
			User: user, RequestID: fmt.Sprintf("request-%d", i)})
	}
	b := w.as(viewer)
	for query, want := range map[string]string{
		"?user=p1": "20", "?user=+p2+": "1", "?user=dev%40example.com": "", "?from=2026-03-12T12:01": "21", "?to=2026-03-12T12:01": "0",
		"?from=2026-03-12T12:00:01&to=2026-03-12T12:01:59": "1", "?from=2026-03-12T12:01&user=p1": "2", "?from=nonsense": "210",
		"?user=" + strings.Repeat("p", 65): "210",
	} {
		for _, path := range []string{logPath, logPath + ".csv"} {
			shown := ""
			for i := 2; i >= 0; i-- {
				if strings.Contains(b.open(path+query).body, fmt.Sprintf("request-%d", i)) {
					shown += fmt.Sprint(i)
				}
			}
			if shown != want {
				t.Errorf("%s%s shows %q, want %q", path, query, shown, want)
			}
		}
	}
	p := b.open(logPath + "?from=2026-03-12T12:01&user=p1&to=2027-01-01T00:00:00")
	says(t, p, http.StatusOK, `name="from" type="datetime-local" dir="ltr" value="2026-03-12T12:01"`, `value="2027-01-01T00:00"`, `value="p1"`)
}

// A sign-in with a real browser, at both environments: what the dashboard shows of it is one
// page, and the user is a pseudonym there.
func TestASignInIsTracedOverItsRequests(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	end := w.recording()
	b := w.as(nobody)
	q := url.Values{"client_id": {"shop"}, "response_type": {"code"}, "scope": {"openid military"}, "redirect_uri": {callbackURI}, "state": {"s"}}
	b.submit(b.open("/oauth/authorize?"+q.Encode()), "action", "allow")
	end()
	lines := w.logOf(storage.Production, "shop")
	if len(lines) != 2 || lines[0].Flow == "" || lines[0].Flow != lines[1].Flow {
		t.Fatalf("the log has %+v", lines)
	}
	p := w.as(viewer).open("/developer/o/river/production/shop/log/" + lines[0].Flow)
	says(t, p, http.StatusOK, "Consent", "Authorization", w.UserPseudonym(storage.Production, "shop", nobody))
	for _, not := range []string{"nobody@example.com", "state", "code="} {
		if strings.Contains(p.body, not) {
			t.Errorf("the page says %q", not)
		}
	}
}

func TestAnErrorPageLeadsMembersToTheLineOfTheRequest(t *testing.T) {
	t.Parallel()
	for _, env := range []string{storage.Production, storage.Sandbox} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t).withApplication(river, env, "shop")
			server := w.server.URL
			if env == storage.Sandbox {
				server = w.sandboxServer.URL
			}
			address := func(client string) string {
				return server + "/oauth/authorize?client_id=" + client + "&response_type=code&scope=openid&redirect_uri=https://app.test/other"
			}
			const link = "Show in the logs"
			end := w.recording()
			member := w.as(viewer)
			p := member.get(address("shop"))
			end()
			_, rest, _ := strings.Cut(p.body, `href="`+w.server.URL)
			path, _, found := strings.Cut(rest, `">`+link)
			if !found || !strings.HasPrefix(path, "/developer/o/river/"+env+"/shop/log?request_id=") {
				t.Fatalf("%s: the page leads to %q\n%s", p.Status, path, p.body)
			}
			says(t, member.open(path), http.StatusOK, "The redirect_uri is not registered", "https://app.test/other")
			for who, b := range map[string]*browser{"a stranger": w.newBrowser(), "a member of another": w.as(lakeOwner)} {
				if p := b.get(address("shop")); strings.Contains(p.body, link) || strings.Contains(p.body, "/developer/o/") {
					t.Errorf("%s is led to the log", who)
				}
			}
			if p := member.get(address("unknown")); strings.Contains(p.body, link) {
				t.Error("an application that there is not has a log")
			}
		})
	}
}

func TestOfAnApplicationTheLatestSuccessesAreKept(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	lines := make([]storage.LogEntry, 1100)
	for i := range lines {
		lines[i] = storage.LogEntry{Event: "userinfo", Outcome: "ok", RequestID: fmt.Sprint(i)}
	}
	w.lines(storage.Production, "shop", lines...)
	w.lines(storage.Production, "shop", storage.LogEntry{Event: "token", Outcome: "error", Error: "invalid_grant", RequestID: "failed"})
	end := w.recording()
	w.newBrowser().mistake("shop", 0)
	end()
	w.RemoveOld(t.Context())
	count := func(outcome string) (n int) {
		match := storage.LogFilter{Environment: storage.Production, ClientID: "shop", Outcome: outcome, Limit: 2000}
		kept, err := w.store.Log(t.Context(), match)
		w.ok(err)
		for _, e := range kept {
			if e.RequestID == "99" || e.RequestID == "0" {
				t.Errorf("request %s is kept", e.RequestID)
			}
		}
		return len(kept)
	}
	if ok, failed := count("ok"), count("error"); ok != 1000 || failed != 2 {
		t.Errorf("%d successes and %d failures are kept", ok, failed)
	}
	days, err := w.store.LogDays(t.Context(), storage.Production, "shop", w.now())
	if err != nil || len(days) != 3 || days[2].Count != 1100 {
		t.Errorf("counted %+v, %v", days, err)
	}
}

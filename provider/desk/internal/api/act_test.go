package api_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/api"
	events "github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// onPostgres puts a place on PostgreSQL.
func onPostgres(t *testing.T) func(*provider.Config) {
	t.Helper()
	store := testkit.Must(postgres.Open(t.Context(), pgtest.Shared(t).Schema(t)))(t)
	return func(c *provider.Config) { c.Store = store }
}

// onBoth runs a test on both databases.
func onBoth(t *testing.T, test func(t *testing.T, w *place)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, newPlace(t))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		test(t, newPlace(t, onPostgres(t)))
	})
}

// line returns the only event of a name.
func (w *place) line(name string) provider.RecordedEvent {
	w.T.Helper()
	found := testkit.Must(w.Events().List(w.T.Context(), provider.EventFilter{Name: name}))(w.T)
	if len(found) != 1 {
		w.T.Fatalf("%d lines %s: %v", len(found), name, found)
	}
	return found[0]
}

func TestAct(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		bob := w.as("robot").within("bob").look("/people/bob/lock")
		a := bob.post("/people/bob/lock", "{}").is(t, http.StatusOK, "")
		if a.json["action"] != "lock" || a.json["target"] != "bob" {
			t.Error(a.text)
		}
		got := testkit.Must(w.Accounts().Get(t.Context(), "bob"))(w.T)
		if !got.Disabled {
			t.Error("bob is not locked")
		}
		e := w.line(events.AccountDisabled)
		if e.Actor != "client:robot" || e.Matter != bob.header.Get("Desk-Matter") || e.UserID != "bob" {
			t.Errorf("the line: %+v", e)
		}
	})
}

func TestActIsDoneOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		bob := w.as("robot").within("bob").look("/people/bob/lock").with("Idempotency-Key", "the-same")
		answers := make([]answer, 50)
		var sending sync.WaitGroup
		for i := range answers {
			sending.Go(func() { answers[i] = bob.send(http.MethodPost, "/people/bob/lock", "{}") })
		}
		sending.Wait()
		done := 0
		for _, a := range answers {
			switch a.StatusCode {
			case http.StatusOK:
				done++
			case http.StatusConflict:
				a.is(t, http.StatusConflict, "still_running")
			default:
				t.Errorf("%s %s", a.Status, a.text)
			}
		}
		if done == 0 || w.acted.Load() != 1 {
			t.Errorf("%d are told that it is done, and it was %d times", done, w.acted.Load())
		}
		w.line(events.AccountDisabled)
		again := bob.send(http.MethodPost, "/people/bob/lock", "{}").is(t, http.StatusOK, "")
		if again.json["action"] != "lock" || w.acted.Load() != 1 {
			t.Error("a repetition has another response, or does it again")
		}
	})
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	bob := w.as("robot").within("bob").look("/people/bob/lock")
	bob.send(http.MethodPost, "/people/bob/lock", "{}").is(t, http.StatusBadRequest, "idempotency_key_missing")
	bob.with("Idempotency-Key", "a b").post("/people/bob/lock", "{}").is(t, http.StatusBadRequest, "invalid_request")
	bob.with("Idempotency-Key", strings.Repeat("k", 256)).post("/people/bob/lock", "{}").is(t, http.StatusBadRequest, "invalid_request")
	key := bob.with("Idempotency-Key", "k1")
	key.post("/people/bob/lock", "{}").is(t, http.StatusOK, "")
	key.with("Idempotency-Key", `"k1"`).post("/people/bob/lock", "{}").is(t, http.StatusOK, "")
	t.Run("IsOfOneRequest", func(t *testing.T) {
		key.post("/people/bob/lock", "{ }").is(t, http.StatusUnprocessableEntity, "idempotency_key_reused")
		key.post("/people/bob/unlock", "{}").is(t, http.StatusUnprocessableEntity, "idempotency_key_reused")
		key.with("If-Match", `"0"`).post("/people/bob/lock", "{}").is(t, http.StatusUnprocessableEntity, "idempotency_key_reused")
	})
	t.Run("IsOfOneClient", func(t *testing.T) {
		rival := w.as("rival").within("alice").look("/people/alice/lock").with("Idempotency-Key", "k1")
		rival.post("/people/alice/lock", "{}").is(t, http.StatusOK, "")
	})
	t.Run("IsNotUsedUpByAnError", func(t *testing.T) {
		first := bob.with("Idempotency-Key", "k2").look("/people/bob/unlock")
		first.post("/people/bob/unlock", "{}").is(t, http.StatusForbidden, "proof_missing")
		first.post("/people/bob/unlock", "{}").is(t, http.StatusForbidden, "proof_missing")
	})
	t.Run("IsKeptForADay", func(t *testing.T) {
		w.Advance(25 * 60 * minute)
		key.token = w.token("robot")
		key.post("/people/bob/lock", "{}").is(t, http.StatusNotFound, "not_found") // the matter is over
	})
	if strings.Contains(w.Dump(), `"action":"lock"`) {
		t.Error("an answer is not encrypted")
	}
}

func TestIfMatch(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		bob := w.as("robot").within("bob")
		bob.post("/people/bob/lock", "{}").is(t, http.StatusPreconditionRequired, "if_match_missing")
		for _, tag := range []string{"*", `W/"x"`, "x", `"a", "b"`} {
			bob.with("If-Match", tag).post("/people/bob/lock", "{}").is(t, http.StatusBadRequest, "invalid_request")
		}
		looked := bob.look("/people/bob/lock")
		alice := w.as("robot").within("alice").with("If-Match", looked.header.Get("If-Match"))
		alice.post("/people/alice/lock", "{}").is(t, http.StatusPreconditionFailed, "changed")
		w.OK(w.Accounts().SetDisabled(t.Context(), "bob", true))
		looked.post("/people/bob/lock", "{}").is(t, http.StatusPreconditionFailed, "changed")
		bob.look("/people/bob/lock").post("/people/bob/lock", "{}").is(t, http.StatusConflict, "nothing_to_do")
		if w.acted.Load() != 0 {
			t.Error("something was done")
		}
	})
}

func TestMatter(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		robot := w.as("robot")
		robot.get("/people/bob").is(t, http.StatusBadRequest, "matter_missing")
		bob := robot.within("bob")
		a := bob.get("/people/bob").is(t, http.StatusOK, "")
		if strings.Contains(a.text, "bob@example.com") || !strings.Contains(a.text, "b•••@e•••.com") {
			t.Errorf("the address: %s", a.text)
		}
		bob.get("/people/alice").is(t, http.StatusNotFound, "not_found")
		robot.with("Desk-Matter", "nothing").get("/people/bob").is(t, http.StatusNotFound, "not_found")
		id := bob.header.Get("Desk-Matter")
		rival := w.as("rival").with("Desk-Matter", id)
		rival.get("/people/bob").is(t, http.StatusNotFound, "not_found")
		rival.get("/matters/"+id).is(t, http.StatusNotFound, "not_found")
		rival.post("/matters/"+id+"/close", "{}").is(t, http.StatusNotFound, "not_found")
		if got := len(rival.get("/matters").json["data"].([]any)); got != 0 {
			t.Errorf("rival sees %d matters of robot", got)
		}
		for _, part := range []string{"", "/sessions", "/connections", "/consents", "/statuses", "/events", "/events"} {
			bob.get("/people/bob"+part).is(t, http.StatusOK, "")
		}
		looks := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: events.SupportLooked, UserID: "bob"}))(w.T)
		if len(looks) != 6 || looks[0].Actor != "client:robot" || looks[0].Matter != id {
			t.Errorf("%d looks: %v", len(looks), looks)
		}
		closed := bob.post("/matters/"+id+"/close", "{}").is(t, http.StatusOK, "")
		w.Advance(minute)
		if again := bob.post("/matters/"+id+"/close", "{}").is(t, http.StatusOK, ""); again.text != closed.text {
			t.Errorf("closed again: %s\nbefore: %s", again.text, closed.text)
		}
		bob.get("/people/bob").is(t, http.StatusNotFound, "not_found")
		w.line(events.MatterClosed)
		t.Run("IsNotOpenedAboutStaff", func(t *testing.T) {
			robot.post("/matters", `{"person": "olga", "reason": "caller"}`).is(t, http.StatusNotFound, "not_found")
			robot.post("/matters", `{"person": "nobody", "reason": "caller"}`).is(t, http.StatusNotFound, "not_found")
		})
		t.Run("IsOverAfterHalfAnHour", func(t *testing.T) {
			bob := robot.within("bob")
			w.Advance(31 * minute)
			bob.token = w.token("robot")
			bob.get("/people/bob").is(t, http.StatusNotFound, "not_found")
		})
	})
}

func TestBody(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	robot := w.as("robot")
	for name, c := range map[string]struct {
		body, code, pointer string
		status              int
	}{
		"RefusesNothing":          {" ", "invalid_body", "", http.StatusBadRequest},
		"RefusesAnArray":          {"[]", "invalid_body", "", http.StatusBadRequest},
		"RefusesTwoTexts":         {`{"person":"bob","reason":"caller"} {}`, "invalid_body", "", http.StatusBadRequest},
		"RefusesHalfAText":        {`{"person":"bob"`, "invalid_body", "", http.StatusBadRequest},
		"RefusesAMemberTwice":     {`{"person":"bob","person":"alice","reason":"caller"}`, "invalid_body", "/person", http.StatusBadRequest},
		"RefusesAnActor":          {`{"person":"bob","reason":"caller","actor":"staff:olga"}`, "invalid_body", "/actor", http.StatusBadRequest},
		"RefusesAProof":           {`{"person":"bob","reason":"caller","proof":"session"}`, "invalid_body", "/proof", http.StatusBadRequest},
		"RefusesAnotherCase":      {`{"Person":"bob","reason":"caller"}`, "invalid_body", "/person", http.StatusBadRequest},
		"RefusesAMissingMember":   {`{"reason":"caller"}`, "invalid_body", "/person", http.StatusBadRequest},
		"RefusesAnotherType":      {`{"person":1,"reason":"caller"}`, "invalid_body", "/person", http.StatusBadRequest},
		"RefusesWhatIsDeep":       {`{"person":[[[[[]]]]],"reason":"caller"}`, "invalid_body", "/person/0/0/0", http.StatusBadRequest},
		"RefusesControls":         {`{"person":"bob\u0000","reason":"caller"}`, "invalid_body", "/person", http.StatusBadRequest},
		"RefusesALongText":        {`{"person":"bob","reason":"caller","ticket":"` + strings.Repeat("x", 101) + `"}`, "invalid_body", "/ticket", http.StatusBadRequest},
		"RefusesALargeBody":       {`{"person":"bob","reason":"caller","note":"` + strings.Repeat("x", 20_000) + `"}`, "too_large", "", http.StatusRequestEntityTooLarge},
		"RefusesAnUnknownReason":  {`{"person":"bob","reason":"boredom"}`, "invalid_value", "/reason", http.StatusUnprocessableEntity},
		"AcceptsWhoIsSaidToBeThe": {`{"person":"bob","reason":"caller","on_behalf":"jo"}`, "", "", http.StatusCreated},
	} {
		t.Run(name, func(t *testing.T) {
			a := robot.post("/matters", c.body).is(t, c.status, c.code)
			if c.pointer != "" && !strings.Contains(a.text, `"pointer":"`+c.pointer+`"`) {
				t.Errorf("no pointer %s: %s", c.pointer, a.text)
			}
		})
	}
	t.Run("IsJSON", func(t *testing.T) {
		robot.with("Content-Type", "text/plain").post("/matters", "{}").is(t, http.StatusUnsupportedMediaType, "unsupported_media_type")
	})
	t.Run("HasTheValuesOfAnActionOnly", func(t *testing.T) {
		bob := robot.within("bob").look("/people/bob/lock")
		for _, member := range []string{"actor", "approved_by", "verified", "matter", "reason"} {
			bob.post("/people/bob/lock", `{"`+member+`": "x"}`).is(t, http.StatusBadRequest, "invalid_body")
		}
	})
}

func TestFind(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	reader := w.as("reader")
	find := func(by, value string) answer {
		return reader.send(http.MethodPost, "/people/find", `{"by": "`+by+`", "value": "`+value+`"}`).is(t, http.StatusOK, "")
	}
	for _, value := range []string{"alice@example.com", "Alice@EXAMPLE.com"} {
		if a := find("email", value); !strings.Contains(a.text, `{"people":[{"id":"alice"}]}`) {
			t.Error(a.text)
		}
	}
	for _, value := range []string{"alice", "ali%", "", "nobody@example.com", "alice@example.com "} {
		if a := find("email", value); !strings.Contains(a.text, `{"people":[]}`) {
			t.Error(a.text)
		}
	}
	if a := find("id", "bob"); !strings.Contains(a.text, `"bob"`) {
		t.Error(a.text)
	}
	for body, pointer := range map[string]string{
		`{"by": "attribute", "handle": "fname", "value": "Alice"}`: "/handle", // nobody is found by a name
		`{"by": "attribute", "value": "Alice"}`:                    "/handle",
		`{"by": "id", "handle": "fname", "value": "Alice"}`:        "/handle",
		`{"by": "name", "value": "Alice"}`:                         "/by",
	} {
		a := reader.send(http.MethodPost, "/people/find", body)
		if a.StatusCode < 400 || !strings.Contains(a.text, `"pointer":"`+pointer+`"`) {
			t.Errorf("%s: %s %s", body, a.Status, a.text)
		}
	}
	reader.get("/people/find?value=alice@example.com").is(t, http.StatusMethodNotAllowed, "method_not_allowed")
	hits := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: events.PersonFound}))(w.T)
	misses := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: events.PersonNotFound}))(w.T)
	if len(hits) != 3 || len(misses) != 5 || misses[0].UserID != "" || misses[0].Actor != "client:reader" {
		t.Errorf("%d hits, %d misses: %v", len(hits), len(misses), misses)
	}
}

func TestLooksAtOnceAreOneLine(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		bob := w.as("robot").within("bob")
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.Server.URL+root+"/people/bob/sessions", http.NoBody)
				if err != nil {
					t.Error(err)
					return
				}
				r.Header = bob.header.Clone()
				r.Header.Set("Authorization", "Bearer "+bob.token)
				p, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				_ = p.Body.Close()
				if p.StatusCode != http.StatusOK {
					t.Error(p.Status)
				}
			})
		}
		all.Wait()
		if l := w.line(events.SupportLooked); l.Detail != "sessions" || l.Matter != bob.header.Get("Desk-Matter") || l.UserID != "bob" {
			t.Errorf("%+v", l)
		}
		t.Run("AndOneMoreInTheNextMatter", func(t *testing.T) {
			w.as("robot").within("bob").get("/people/bob/sessions").is(t, http.StatusOK, "")
			looks := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: events.SupportLooked}))(w.T)
			if len(looks) != 2 {
				t.Errorf("%d lines in two matters", len(looks))
			}
		})
	})
}

// beside serves another API beside that of the place, to requests with the header Process.
func (w *place) beside(o api.Options) {
	w.T.Helper()
	other := testkit.Must(api.New(o))(w.T)
	with := w.Server.Config.Handler
	w.Server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Process") != "" {
			other.ServeHTTP(rw, r)
			return
		}
		with.ServeHTTP(rw, r)
	})
}

// An act that goes on after its first write, which fails there, is done again when the request is
// repeated: its answer says nothing that is not so.
func TestActInParts(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		down, ended := true, 0
		book := testkit.Must(action.NewBook(action.Action{
			Rule: action.Rule{Name: action.EndSessions}, InParts: true,
			Check: func(context.Context, action.Order) (action.Effect, error) { return action.Effect{Revision: "-"}, nil },
			Do: func(ctx context.Context, o action.Order, _ string) (action.Result, error) {
				if err := w.People().Revoke(ctx, o.Target); err != nil || down {
					return action.Result{}, errors.Join(err, errors.New("connection refused"))
				}
				ended++
				return action.Result{}, nil
			},
		}))(w.T)
		w.beside(api.Options{Frame: w.frame, Book: book})
		bob := w.as("robot").within("bob").with("Process", "2").look("/people/bob/end_sessions").with("Idempotency-Key", "the-same")
		for range 2 {
			bob.post("/people/bob/end_sessions", "{}").is(t, http.StatusInternalServerError, "failed")
		}
		down = false
		for range 2 {
			bob.post("/people/bob/end_sessions", "{}").is(t, http.StatusOK, "")
		}
		if ended != 1 {
			t.Errorf("ended %d times", ended)
		}
	})
}

// Of two processes that get one request the later one finds the target changed, and the answer.
func TestAnswerOfAnotherProcess(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		path := "/people/bob/lock"
		bob := w.as("robot").within("bob").look(path).with("Idempotency-Key", "the-same")
		lock, _ := w.book().Action(action.Lock)
		check, first := lock.Check, true
		lock.Check = func(ctx context.Context, o action.Order) (action.Effect, error) {
			if first {
				first = false
				bob.post(path, "{}").is(t, http.StatusOK, "")
			}
			return check(ctx, o)
		}
		book := testkit.Must(action.NewBook(lock))(w.T)
		w.beside(api.Options{Frame: w.frame, Book: book})
		bob.with("Process", "2").post(path, "{}").is(t, http.StatusOK, "")
		if w.acted.Load() != 1 {
			t.Errorf("it was done %d times", w.acted.Load())
		}
	})
}

func TestPathThatNothingHas(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	for _, path := range []string{"/people/a%00b", "/%00", "/people/%2e%2e/keys", "/people/a%FF"} {
		w.as("robot").get(path).is(t, http.StatusNotFound, "not_found")
	}
}

package developer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// stuckLog is a store whose log takes nothing for a while.
type stuckLog struct {
	storage.Developers
	stuck    atomic.Bool
	attempts atomic.Int64
}

func (s *stuckLog) AppendLog(ctx context.Context, entries []storage.LogEntry) error {
	s.attempts.Add(1)
	if s.stuck.Load() {
		return errors.New("disk full")
	}
	return s.Developers.AppendLog(ctx, entries)
}

// mistake makes a request of an application of production with a redirect URI of its own.
func (b *browser) mistake(client string, i int) {
	b.get("/oauth/authorize?" + url.Values{
		"client_id": {client}, "response_type": {"code"}, "scope": {"openid"}, "redirect_uri": {fmt.Sprintf("https://app.test/%d", i)},
	}.Encode())
}

// watching makes a mistake of an application and waits until it is taken notice of.
func (w *fixture) watching(b *browser, client string, seen func() bool) {
	b.mistake(client, 0)
	eventually(w.t, seen)
}

func TestWhatTheDatabaseDidNotTakeIsRecordedLater(t *testing.T) {
	t.Parallel()
	log := &stuckLog{}
	w := newFixture(t, func(c *developer.Config) { log.Developers, c.Store = c.Store, log })
	w.withApplication(river, storage.Production, "shop")
	log.stuck.Store(true)
	end := w.recording()
	b := w.newBrowser()
	w.watching(b, "shop", func() bool { return log.attempts.Load() > 0 })
	w.advance(time.Minute) // so much was seen of this one that lines alike are left out
	b.mistake("shop", 7)
	log.stuck.Store(false)
	end()
	if recorded := w.logOf(storage.Production, "shop"); len(recorded) < 2 || recorded[0].Details["redirect_uri"] != "https://app.test/7" {
		t.Errorf("recorded %v", recorded)
	}
	if !strings.Contains(w.log.String(), "could not be recorded") {
		t.Error("the operator is told nothing")
	}
}

func TestAFloodOfErrorsDoesNotFillTheLog(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.withApplication(river, storage.Production, "shop").withApplication(river, storage.Production, "till")
	w.advance(w.now().Truncate(time.Minute).Add(time.Minute).Sub(w.now())) // one minute for all
	end := w.recording()
	b := w.newBrowser()
	w.watching(b, "shop", func() bool { return len(w.logOf(storage.Production, "shop")) > 0 })
	for i := range 200 {
		b.mistake("shop", i)
	}
	b.mistake("till", 0)
	end()
	entries, err := w.store.Log(t.Context(), storage.LogFilter{Environment: storage.Production, ClientID: "shop", Limit: 1000})
	var counted []int
	for _, e := range entries {
		if e.Requests > 0 {
			counted = append(counted, e.Requests)
		}
	}
	if err != nil || len(entries) != 61 || !slices.Equal(counted, []int{141}) { // 201 mistakes
		t.Errorf("%d lines of one mistake, which count %d, %v", len(entries), counted, err)
	}
	if n := len(w.logOf(storage.Production, "till")); n != 1 {
		t.Errorf("%d lines of another application", n)
	}
}

func TestCloseRecordsWhatHasHappened(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.withApplication(river, storage.Production, "shop")
	done := make(chan error, 1)
	go func() { done <- w.id.Run(t.Context()) }()
	b := w.newBrowser()
	w.watching(b, "shop", func() bool { return len(w.logOf(storage.Production, "shop")) > 0 })
	w.advance(time.Minute) // so much was seen of this one that lines alike are left out
	b.mistake("shop", 9)
	w.ok(errors.Join(w.id.Close(), <-done))
	closed := testkit.Must(sqlite.Open(t.Context(), w.paths[0]))(w.t)
	defer func() { _ = closed.Close() }()
	lines, err := closed.Log(t.Context(), storage.LogFilter{Environment: storage.Production, ClientID: "shop"})
	if err != nil || len(lines) != 2 || lines[0].Details["redirect_uri"] != "https://app.test/9" {
		t.Errorf("recorded %v, %v", lines, err)
	}
}

func TestSuccessesAtUserinfoAreCountedAndHaveFewLines(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	end := w.recording()
	token := w.accessToken("shop")
	b := w.newBrowser()
	const requests = 75
	for range requests {
		r := b.request(http.MethodGet, "/api/public/v3/userinfo", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		says(t, b.do(r), http.StatusOK)
	}
	end()
	lines := 0
	for _, e := range w.logOf(storage.Production, "shop") {
		if e.Event == "userinfo" {
			lines++
		}
		if e.Requests > 0 {
			t.Errorf("a line that counts successes: %+v", e)
		}
	}
	days := testkit.Must(w.store.LogDays(t.Context(), storage.Production, "shop", w.now()))(w.t)
	counted := 0
	for _, d := range days {
		if d.Event == "userinfo" {
			counted += d.Count
		}
	}
	if lines == 0 || lines > 20 || counted != requests {
		t.Errorf("%d requests have %d lines, and %d are counted", requests, lines, counted)
	}
}

// accessToken signs a user in at an application of production, and returns the token.
func (w *fixture) accessToken(client string) string {
	w.t.Helper()
	secret := testkit.Must(w.id.Clients().Secret(w.t.Context(), client))(w.t)
	b := w.as(nobody)
	q := url.Values{"client_id": {client}, "response_type": {"code"}, "scope": {"openid military"}, "redirect_uri": {callbackURI}}
	p := b.submitOnce(b.open("/oauth/authorize?"+q.Encode()), "action", "allow")
	for strings.Contains(p.Header.Get("Location"), "/oauth/authorize") {
		p = b.get(p.Header.Get("Location"))
	}
	where := p.Header.Get("Location")
	_, query, _ := strings.Cut(where, "?")
	answer, err := url.ParseQuery(query)
	if err != nil || answer.Get("code") == "" {
		w.t.Fatalf("%s leads to %q", p.Status, where)
	}
	p = b.post("/oauth/token", url.Values{"client_id": {client}, "client_secret": {secret}, "grant_type": {"authorization_code"},
		"code": {answer.Get("code")}, "redirect_uri": {callbackURI}})
	var tokens struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(p.body), &tokens); err != nil || tokens.AccessToken == "" {
		w.t.Fatal(p.body, err)
	}
	return tokens.AccessToken
}

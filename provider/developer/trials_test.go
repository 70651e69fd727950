package developer_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// signsInAs sends an application of the sandbox through a sign-in as a persona and returns
// the answer.
func (w *fixture) signsInAs(client, persona string) url.Values {
	w.t.Helper()
	b := w.newBrowser()
	b.home = w.sandboxServer.URL
	p := b.get("/oauth/authorize?" + url.Values{
		"client_id": {client}, "redirect_uri": {callbackURI}, "response_type": {"code"}, "scope": {"openid military"}, "state": {"s"},
		"nonce": {"n"}, "login_hint": {"persona:" + persona},
	}.Encode())
	answer := testkit.Must(url.Parse(p.Header.Get("Location")))(w.t)
	return answer.Query()
}

// refreshes reports whether a refresh token is good, and returns the next one.
func (w *fixture) refreshes(client, token string) (next string, ok bool) {
	w.t.Helper()
	return w.tokens(client, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}})
}

func (w *fixture) tokens(client string, form url.Values) (refreshToken string, ok bool) {
	w.t.Helper()
	secret := testkit.Must(w.sandbox.Clients().Secret(w.t.Context(), client))(w.t)
	b := w.newBrowser()
	b.home = w.sandboxServer.URL
	form.Set("client_id", client)
	form.Set("client_secret", secret)
	p := b.post("/oauth/token", form)
	_, rest, _ := strings.Cut(p.body, `"refresh_token":"`)
	refreshToken, _, _ = strings.Cut(rest, `"`)
	return refreshToken, p.StatusCode == http.StatusOK
}

func TestPersonasOfAnOrganizationAreInForceForItsApplicationsOnly(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop").withApplication(lake, storage.Sandbox, "boats")
	b := w.as(dev)
	here := "/developer/o/river/personas"
	p := b.open(here)
	if !strings.Contains(p.body, "persona:veteran") || !strings.Contains(p.body, "veteran@river.sandbox.test") {
		t.Fatalf("%s\n%s", p.Status, p.body)
	}
	p = b.submit(p, "personas", `[{"name": "kim", "title": "Kim – ours", "email_verified": true}]`, "action", "save")
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "persona:kim") || strings.Contains(p.body, "persona:veteran") {
		t.Fatalf("%s\n%s", p.Status, p.body)
	}
	if answer := w.signsInAs("shop", "kim"); answer.Get("code") == "" {
		t.Errorf("the new persona: %v", answer)
	}
	if answer := w.signsInAs("shop", "veteran"); answer.Get("error") != "invalid_request" {
		t.Errorf("one that is no more: %v", answer)
	}
	if answer := w.signsInAs("boats", "kim"); answer.Get("error") != "invalid_request" {
		t.Errorf("at another organization: %v", answer)
	}
	if c := w.changes(river)[0]; c.What != "personas.change" || c.UserID != dev {
		t.Errorf("recorded %+v", c)
	}
	b.submit(b.open(here), "action", "reset")
	if answer := w.signsInAs("shop", "veteran"); answer.Get("code") == "" {
		t.Errorf("after the reset: %v", answer)
	}
}

func TestWhatIsWrongWithPersonasIsSaidAndKept(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	for entered, said := range map[string]string{
		"[\n{\"name\": \"kim\",}\n]":         "line 2",
		"[\n\n{\"name\": 5}]":                "line 3",
		`[{"name": "kim", "colour": "red"}]`: "colour",
		`[{"name": "Kim!"}]`:                 "Name",
		`[] []`:                              "more behind the list",
		`[{"name": "kim", "email": "x@lake.sandbox.test"}]`:                 "another organization",
		`[{"name": "kim", "statuses": [{"group": "wizards"}]}]`:             "Statuses",
		`[{"name": "kim", "title": "` + strings.Repeat("x", 65<<10) + `"}]`: "longer than 64 KiB",
	} {
		p := b.submit(b.open("/developer/o/river/personas"), "personas", entered, "action", "save")
		says(t, p, http.StatusUnprocessableEntity, said, "persona:veteran")
	}
	if answer := w.signsInAs("shop", "veteran"); answer.Get("code") == "" {
		t.Errorf("what was there is gone: %v", answer)
	}
}

func TestTwoWhoChangePersonasAtOnceAreTold(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	first, second := w.as(dev), w.as(owner)
	mine, theirs := first.open("/developer/o/river/personas"), second.open("/developer/o/river/personas")
	first.submit(mine, "personas", `[{"name": "first"}]`, "action", "save")
	p := second.submit(theirs, "personas", `[{"name": "second"}]`, "action", "save")
	if !strings.Contains(p.body, "Someone else changed this") || !strings.Contains(p.body, "persona:first") {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
}

func TestTheInboxHasTheMailsOfTheOrganizationAndOfNobodyElse(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	mails := developer.NewTrials(w.store).Mailer(nil)
	if err := mails.Send(t.Context(), provider.Mail{To: "kim@river.sandbox.test"}); err == nil {
		t.Error("a mail is taken that no dashboard can seal")
	}
	sandbox := w.newBrowser()
	sandbox.home = w.sandboxServer.URL
	for _, to := range []string{"kim@RIVER.sandbox.test", "kim@lake.sandbox.test", "kim@example.com", "kim@river.sandbox.test.example.com"} {
		p := sandbox.open("/signup")
		if p = sandbox.submit(p, "email", to, "new_password", "amber-river-folds-quietly"); p.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s\n%s", to, p.Status, p.body)
		}
	}
	p := w.as(viewer).open("/developer/o/river/inbox")
	if !strings.Contains(p.body, "kim@RIVER.sandbox.test") || strings.Contains(p.body, "kim@lake") || strings.Contains(p.body, "kim@example") || strings.Contains(p.body, ".example.com") {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
	passed := map[string]bool{}
	for _, m := range w.mails.all() {
		passed[m.To] = true
	}
	if len(passed) != 2 || !passed["kim@example.com"] || !passed["kim@river.sandbox.test.example.com"] {
		t.Errorf("handed on: %v", passed)
	}
	kept, err := w.store.Mails(t.Context(), river, 10)
	if err != nil || len(kept) != 1 || strings.Contains(string(kept[0].Content), "RIVER") {
		t.Errorf("kept %v, %v", kept, err)
	}
}

// Anybody can type the address of an inbox, also one that nobody has.
func TestMailToAnInboxThatNobodyHasIsDropped(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	sandbox := w.newBrowser()
	sandbox.home = w.sandboxServer.URL
	answer := func(to string) page {
		return sandbox.submit(sandbox.open("/signup"), "email", to, "new_password", "amber-river-folds-quietly")
	}
	known, unknown := answer("kim@river.sandbox.test"), answer("kim@stone.sandbox.test")
	if known.StatusCode != http.StatusOK || unknown.StatusCode != known.StatusCode {
		t.Errorf("an inbox that there is: %s; one that there is not: %s", known.Status, unknown.Status)
	}
	if log := w.log.String(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "level=WARN") {
		t.Errorf("the operator is told:\n%s", log)
	}
	if all := w.mails.all(); len(all) != 0 {
		t.Errorf("handed on: %v", all)
	}
}

func TestTheClockOfOneOrganizationMoves(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop").withApplication(lake, storage.Sandbox, "boats")
	begin := func(client string) string {
		code := w.signsInAs(client, "veteran").Get("code")
		refresh, ok := w.tokens(client, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callbackURI}})
		if !ok || refresh == "" {
			t.Fatalf("%s: no tokens", client)
		}
		return refresh
	}
	ours, others := begin("shop"), begin("boats")
	b := w.as(dev)
	p := b.submit(b.open("/developer/o/river/clock"), "step", "720h")
	says(t, p, http.StatusOK, "30 days")
	if _, ok := w.refreshes("shop", ours); ok {
		t.Error("a refresh token is good after 30 days")
	}
	if _, ok := w.refreshes("boats", others); !ok {
		t.Error("the clock of another organization has moved")
	}
	p = b.submit(b.open("/developer/o/river/clock"), "action", "reset")
	if !strings.Contains(p.body, "0 minutes") {
		t.Errorf("after the reset:\n%s", p.body)
	}
	if _, ok := w.refreshes("shop", ours); !ok {
		t.Error("back at the true time the refresh token is still over")
	}
	if p := b.submit(b.open("/developer/o/river/clock"), "step", "1h"); !strings.Contains(p.body, "1 hour") {
		t.Errorf("an hour on:\n%s", p.body)
	}
	action, fields := b.open("/developer/o/river/clock").form(t, "step", "1h")
	fields.Set("step", "1y")
	says(t, b.post(action, fields), http.StatusForbidden)
}

// noTime is a store whose clock cannot be moved.
type noTime struct{ storage.Store }

func (noTime) Elapse(context.Context, storage.Elapsed) error { return errors.New("disk full") }

func TestAClockThatDoesNotMoveDoesNotSaySo(t *testing.T) {
	t.Parallel()
	empty := testkit.Must(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sandbox.db")))(t)
	w := newFixture(t, func(c *developer.Config) {
		sandbox := testkit.Must(provider.New(t.Context(), provider.Config{
			BaseURL: "http://localhost:1", Secret: configSecret, Sandbox: true, Store: noTime{empty},
		}))(t)
		t.Cleanup(func() { _ = sandbox.Close() })
		c.Sandbox = sandbox
	})
	b := w.as(dev)
	if p := b.submit(b.open("/developer/o/river/clock"), "step", "1h"); p.StatusCode < http.StatusInternalServerError {
		t.Errorf("a clock that has not moved: %s", p.Status)
	}
	settings, err := w.store.SandboxSettings(t.Context(), river)
	if err != nil || settings.ClockOffset != 0 {
		t.Errorf("the clock shows %s more, %v", settings.ClockOffset, err)
	}
}

func TestAFaultIsInForceAndSwitchesItselfOff(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop").withApplication(river, storage.Sandbox, "till").withApplication(river, storage.Production, "live")
	b := w.as(dev)
	here := "/developer/o/river/sandbox/shop/faults"
	p := b.submit(b.open(here), "fault", "authorize_server_error")
	says(t, p, http.StatusOK, "On until")
	if answer := w.signsInAs("shop", "veteran"); answer.Get("error") != "server_error" {
		t.Errorf("with the fault: %v", answer)
	}
	if answer := w.signsInAs("till", "veteran"); answer.Get("code") == "" {
		t.Errorf("another application: %v", answer)
	}
	if c := w.changes(river)[0]; c.What != "fault.set" || c.ClientID != "shop" {
		t.Errorf("recorded %+v", c)
	}
	w.advance(time.Hour)
	if answer := w.signsInAs("shop", "veteran"); answer.Get("code") == "" {
		t.Errorf("after an hour: %v", answer)
	}
	if p := w.as(dev).open(here); strings.Contains(p.body, "On until") {
		t.Error("the page says that it is on")
	}
	action, fields := b.open(here).form(t, "fault", "authorize_server_error")
	fields.Set("fault", "explode")
	says(t, b.post(action, fields), http.StatusForbidden)
	fields.Set("fault", "token_slow")
	says(t, b.post(strings.Replace(action, "sandbox/shop", "production/live", 1), fields), http.StatusNotFound)
}

func TestTheReferenceIsOpenToEverybody(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.newBrowser()
	for path, want := range map[string]string{
		"/developer/docs":              "text/html; charset=utf-8",
		"/developer/openapi.json":      "application/vnd.oai.openapi+json; charset=utf-8",
		"/developer/docs/openapi.json": "application/vnd.oai.openapi+json; charset=utf-8",
		"/developer/llms.txt":          "text/markdown; charset=utf-8",
		"/developer/docs/llms.txt":     "text/markdown; charset=utf-8",
	} {
		p := b.get(path)
		if p.StatusCode != http.StatusOK || p.Header.Get("Content-Type") != want || !strings.Contains(p.body, "/oauth/token") {
			t.Errorf("%s: %s %s", path, p.Status, p.Header.Get("Content-Type"))
		}
	}
}

// The files for programs are the same for everybody, also beside a cookie.
func TestTheReferenceIsCompressedForWhoTakesItSo(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, path := range []string{"/developer/docs/openapi.json", "/developer/llms.txt"} {
		ask := func(accepts, known string) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
			r.Header.Set("Accept-Encoding", accepts)
			r.Header.Set("If-None-Match", known)
			r.Header.Set("Cookie", "session=1")
			answer := httptest.NewRecorder()
			w.server.Config.Handler.ServeHTTP(answer, r)
			return answer
		}
		plain, small := ask("identity, gzip;q=0", ""), ask("br, GZIP;q=0.5", "")
		length := small.Body.Len()
		z, err := gzip.NewReader(small.Body)
		if err != nil {
			t.Fatalf("%s: %v: %v", path, err, small.Header())
		}
		unpacked, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(unpacked, plain.Body.Bytes()) || plain.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: compressed it says something else: %v", path, err)
		}
		if length*3 > plain.Body.Len() {
			t.Errorf("%s: %d bytes of %d", path, length, plain.Body.Len())
		}
		tags := []string{plain.Header().Get("ETag"), small.Header().Get("ETag")}
		if tags[0] == "" || tags[0] == tags[1] || plain.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: the tags are %q, it varies by %q", path, tags, plain.Header().Get("Vary"))
		}
		if again := ask("gzip", tags[1]); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s: who has it is answered %d with %d bytes", path, again.Code, again.Body.Len())
		}
	}
}

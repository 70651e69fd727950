package developer_test

import (
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// What the host says to developers is checked when the dashboard is made: who mistypes a key
// would otherwise see the words of this module and no reason.
func TestNewChecksTheTextsOfTheHost(t *testing.T) {
	w := &fixture{t: t, clock: time.Now(), mails: &mailbox{}, log: &testkit.Output{}, tap: &lab.Tap{}}
	texts := fstest.MapFS{"de.json": {Data: []byte(`{"Developer": {"Home": {"Headin": "x"}}}`)}}
	id := w.newProvider("wrong.db", ofProduction, provider.Config{BaseURL: "http://localhost:8080", Mailer: w.mails, Texts: texts})
	_, err := developer.New(developer.Config{Provider: id, Store: w.store, Clock: w.now, Logger: w.logger()})
	var field *provider.FieldError
	if !errors.As(err, &field) || field.Field != "Texts" || !strings.Contains(err.Error(), "de.json: Developer.Home.Headin: is not a key of en.json") {
		t.Errorf("got %v", err)
	}
}

// The stylesheets and scripts of a page are served where the policy admits them.
func TestPagesLoadTheirAssets(t *testing.T) {
	w := newFixture(t)
	get := func(address string) (int, string) {
		t.Helper()
		response, err := http.Get(w.server.URL + address)
		w.ok(err)
		defer func() { _ = response.Body.Close() }()
		body := testkit.Must(io.ReadAll(response.Body))(w.t)
		return response.StatusCode, string(body)
	}
	_, page := get("/developer/docs")
	loaded := regexp.MustCompile(`(?:src|href)="(/assets/(developer|docs|wide)[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(loaded) != 4 { // the dashboard's stylesheet and script, that of the page, and the frame's
		t.Errorf("the page loads %q", loaded)
	}
	for _, file := range loaded {
		if status, body := get(file[1]); status != http.StatusOK || body == "" {
			t.Errorf("%s is answered with %d", file[1], status)
		}
	}
}

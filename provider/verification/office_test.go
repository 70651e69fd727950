package verification

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// office is a service on a real database, with a clock that a test moves.
type office struct {
	*Service
	t    testing.TB
	path string
	log  *bytes.Buffer

	mu  sync.Mutex
	now time.Time
}

// newOffice returns the service of policies for the default catalogue, with the default
// roster of students.
func newOffice(t testing.TB, policies ...Policy) *office {
	t.Helper()
	return openOffice(t, filepath.Join(t.TempDir(), "office.db"), policies...)
}

// openOffice is newOffice on a database that may be there already.
func openOffice(t testing.TB, path string, policies ...Policy) *office {
	t.Helper()
	o := &office{t: t, path: path, log: &bytes.Buffer{}, now: time.Now().Truncate(time.Microsecond)}
	store := testkit.Must(sqlite.Open(t.Context(), o.path))(t)
	logger := slog.New(slog.NewTextHandler(o.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if len(policies) == 0 {
		policies = []Policy{{Group: "student", Rule: AnyOf(By(Roster(students())), By(Invitation()))}}
	}
	id := testkit.Must(provider.New(t.Context(), provider.Config{
		BaseURL: "https://id.example", Secret: testSecret, Store: store,
		Clock: o.clock, Logger: logger, Mailer: noMailer{}, Verifiers: Policies(policies).Verifiers(),
	}))(t)
	t.Cleanup(func() { _ = id.Close() })
	o.Service = testkit.Must(New(Config{Provider: id, Store: store, Policies: policies, Mailer: noMailer{}, Clock: o.clock, Logger: logger}))(t)
	return o
}

func (o *office) clock() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now
}

func (o *office) advance(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.now = o.now.Add(d)
}

// events returns the names and details of the audit log, the latest first.
func (o *office) events() (all []string) {
	o.t.Helper()
	page := testkit.Must(o.Provider.Events().List(o.t.Context(), provider.EventFilter{}))(o.t)
	for _, e := range page {
		all = append(all, string(e.Name)+" "+e.UserID+" "+e.Detail)
	}
	return all
}

type noMailer struct{}

func (noMailer) Send(context.Context, provider.Mail) error { return nil }

// files are the bytes of the database.
func (o *office) files() []byte {
	o.t.Helper()
	var all []byte
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(o.path + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			o.t.Fatal(err)
		}
		all = append(all, content...)
	}
	return all
}

var testSecret = []byte("\x9a\x11v\xd0\x03\xc7\x5e\x82\x14\xbbK\xe9\x70\x2d\xfa\x38\x61\xc5\x07\x94\xde\x4f\xa0\x1b\x86\xf3\x29\x5c\xb8\x0e\x73\xd1")

// putBack puts the former roster back.
func putBack(t *testing.T, s *Service, manyVanish bool) error {
	t.Helper()
	seen, err := s.FormerRoster(t.Context(), "students")
	if err != nil {
		return err
	}
	return s.UseRoster(t.Context(), RosterUse{
		Roster: "students", Generation: seen.Generation, Replaces: seen.Replaces, By: "registrar", ManyVanish: manyVanish,
	})
}

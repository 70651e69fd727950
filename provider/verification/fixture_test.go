package verification

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

var (
	worldBegins = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	worldSecret = bytes.Repeat([]byte("s3cret-of-tests!"), 2)
)

// usedBefore writes a database that has its schema and a signing key, and returns its path:
// both take longer to make than most tests.
var usedBefore = storagetest.Copies(func(path string) error {
	ctx := context.Background()
	first, err := sqlite.Open(ctx, path+".first")
	if err != nil {
		return err
	}
	cfg := provider.Config{BaseURL: "http://localhost:8080", Secret: worldSecret, Store: first, Clock: func() time.Time { return worldBegins }}
	p, err := provider.New(ctx, cfg)
	if err != nil {
		return errors.Join(err, first.Close())
	}
	keys, err := first.Keys(ctx)
	if err := errors.Join(err, p.Close()); err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	err = storagetest.AgreeOnAnyTime(ctx, store)
	for _, key := range keys {
		err = errors.Join(err, store.AddKey(ctx, key))
	}
	return errors.Join(err, store.Close())
})

// world is a service beside a provider, on a real database, with a clock that a test moves.
type world struct {
	*Service
	t      *testing.T
	id     *provider.Provider
	store  storeOfAll
	path   string // of the SQLite file, or empty
	server *httptest.Server
	mails  *mailbox2
	log    *testkit.Output

	mu    sync.Mutex
	clock time.Time
}

// storeOfAll is a store of the provider and the service.
type storeOfAll interface {
	storage.Store
	storage.Verification
}

// newWorld returns a service with these policies and the people alice, bob and carol, on a
// SQLite file.
func newWorld(t *testing.T, policies Policies, change ...func(*Config)) *world {
	t.Helper()
	path := usedBefore(t)
	store := testkit.Must(sqlite.Open(t.Context(), path))(t)
	w := newWorldOn(t, store, policies, change...)
	w.path = path
	return w
}

// onBoth runs a test in a world on each kind of database.
func onBoth(t *testing.T, policies Policies, test func(*testing.T, *world)) {
	t.Run("SQLite", func(t *testing.T) { test(t, newWorld(t, policies)) })
	t.Run("PostgreSQL", func(t *testing.T) {
		store := testkit.Must(postgres.Open(t.Context(), pgtest.Shared(t).Schema(t)))(t)
		test(t, newWorldOn(t, store, policies))
	})
}

func newWorldOn(t *testing.T, store storeOfAll, policies Policies, change ...func(*Config)) *world {
	t.Helper()
	w := &world{t: t, clock: worldBegins, store: store, mails: &mailbox2{}, log: &testkit.Output{}}
	mux := http.NewServeMux()
	w.server = httptest.NewServer(mux)
	t.Cleanup(w.server.Close)
	var err error
	logger := slog.New(slog.NewTextHandler(w.log, nil))
	w.id = testkit.Must(provider.New(t.Context(), provider.Config{
		BaseURL: w.server.URL, Secret: worldSecret, Store: w.store, Mailer: w.mails,
		Verifiers: policies.Verifiers(), Logger: logger, Clock: w.now,
	}))(t)
	t.Cleanup(func() { _ = w.id.Close() })
	cfg := Config{Provider: w.id, Store: w.store, Policies: policies, Mailer: w.mails, Logger: logger, Clock: w.now}
	for _, c := range change {
		c(&cfg)
	}
	if w.Service, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	mux.Handle("/verification/", w.Service)
	mux.Handle("/", w.id)
	for _, name := range []string{"alice", "bob", "carol"} {
		testkit.Must(w.id.Accounts().Save(t.Context(), provider.Account{ID: name, Email: name + "@mail.example", EmailVerified: true}))(t)
		w.rename(name, strings.ToUpper(name[:1])+name[1:], "Example")
	}
	w.mails.take()
	return w
}

func (w *world) rename(user, given, family string) {
	w.t.Helper()
	testkit.OK(w.t, w.id.People().SetAttributes(w.t.Context(), user, map[string]any{"fname": given, "lname": family}))
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

// pass moves the clock, and does what is due, as Run does.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	w.clock = w.clock.Add(d)
	w.mu.Unlock()
	w.carryOn(w.t.Context())
}

// begin starts a case of a user for the group student and begins a method; none if empty.
func (w *world) begin(user, method string) RecordedCase {
	w.t.Helper()
	c, _, err := w.Start(w.t.Context(), Request{UserID: user, Group: "student", Language: "en"})
	testkit.OK(w.t, err)
	if method == "" {
		return c
	}
	return w.choosing(c, method)
}

func (w *world) choosing(c RecordedCase, method string) RecordedCase {
	w.t.Helper()
	c = testkit.Must(w.choose(w.t.Context(), c.UserID, c.ID, c.Version, method))(w.t)
	return c
}

// saying answers the form of a scripted verifier.
func (w *world) saying(c RecordedCase, word string) RecordedCase {
	w.t.Helper()
	c = testkit.Must(w.answer(w.t.Context(), c.UserID, c.ID, c.Version, map[string]string{"say": word}))(w.t)
	return c
}

// take has a reviewer take a case.
func (w *world) take(by storage.Reviewer, id string) RecordedCase {
	w.t.Helper()
	c := testkit.Must(w.Take(w.t.Context(), by, id, w.now().Add(15*time.Minute)))(w.t)
	return c
}

// deciding has a reviewer take and decide a case. It is not carried out yet.
func (w *world) deciding(by storage.Reviewer, id string, d Decision) RecordedCase {
	w.t.Helper()
	c := w.take(by, id)
	c = testkit.Must(w.Decide(w.t.Context(), by, id, c.Version, d))(w.t)
	return c
}

func (w *world) read(id string) RecordedCase {
	w.t.Helper()
	c := testkit.Must(w.Case(w.t.Context(), id))(w.t)
	return c
}

// status returns the released status of a user in the group student.
func (w *world) status(user string) provider.Status {
	w.t.Helper()
	statuses := testkit.Must(w.id.People().Statuses(w.t.Context(), user, "student"))(w.t)
	return statuses[0]
}

// mailbox2 keeps mails.
type mailbox2 struct {
	mu    sync.Mutex
	mails []provider.Mail
	fails error
}

func (m *mailbox2) Send(_ context.Context, mail provider.Mail) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil {
		return m.fails
	}
	m.mails = append(m.mails, mail)
	return nil
}

// take returns the mails since the last call.
func (m *mailbox2) take() []provider.Mail {
	m.mu.Lock()
	defer m.mu.Unlock()
	mails := m.mails
	m.mails = nil
	return mails
}

// kinds returns the kinds of the mails since the last call.
func (m *mailbox2) kinds() string {
	var kinds []string
	for _, mail := range m.take() {
		kinds = append(kinds, string(mail.Kind))
	}
	return strings.Join(kinds, " ")
}

// scripted is a verifier that does what the person says: accept, accept as NAME, accept with
// FACT, refuse, later, review, go, wait, code to ADDRESS, fail, panic.
func scripted(name string) Verifier {
	form := Ask{Fields: []Field{{Name: "say", Label: Text{English: "Say"}}}}
	return Verifier{
		Name: name, Title: Text{English: name}, CanReview: true, Proof: Proof{Level: 2},
		Next: func(_ context.Context, c *Case, e Event) (Result, error) {
			switch e.Kind {
			case Begun:
				return form, nil
			case Confirmed:
				return Accept{Proved: []Fact{{"email", e.Address}}}, nil
			case Returned:
				return Wait{Reference: e.Reference}, nil
			case Told, Due:
				return say(c, string(e.Data))
			default:
				return say(c, e.Form["say"])
			}
		},
	}
}

var errScript = errors.New("scripted failure")

func say(c *Case, words string) (Result, error) {
	verb, rest, _ := strings.Cut(words, " ")
	switch verb {
	case "accept":
		a := Accept{Source: "Script"}
		if name, ok := strings.CutPrefix(rest, "as "); ok {
			a.Name.Given, a.Name.Family, _ = strings.Cut(name, " ")
		}
		if fact, ok := strings.CutPrefix(rest, "with "); ok {
			a.Proved = []Fact{{"roster", fact}}
		}
		if subgroup, ok := strings.CutPrefix(rest, "in "); ok {
			a.Subgroups = []string{subgroup}
		}
		return a, nil
	case "refuse":
		return Refuse{[]Reason{ReasonNotInGroup}}, nil
	case "later":
		return Refuse{[]Reason{ReasonNotNow}}, nil
	case "review":
		return Review{Facts: []Text{{English: "Look"}}}, nil
	case "go":
		return GoTo{URL: "https://elsewhere.example/", Reference: rest}, nil
	case "wait":
		return Wait{Reference: rest}, nil
	case "code":
		return SendCode{Address: rest}, nil
	case "remember":
		c.Memory = []byte(rest)
		return Ask{Fields: []Field{{Name: "say"}}}, nil
	case "panic":
		panic("scripted")
	default:
		return nil, fmt.Errorf("%w: %q", errScript, words)
	}
}

// oneOf is a policy for students with scripted verifiers of these names, of which one has to
// accept.
func oneOf(names ...string) Policies {
	var rules []Rule
	for _, name := range names {
		rules = append(rules, By(scripted(name)))
	}
	return Policies{{Group: "student", Rule: AnyOf(rules...)}}
}

// allOf is the same, and all of them have to.
func allOf(names ...string) Policies {
	p := oneOf(names...)
	p[0].Rule.all = true
	return p
}

var mailedDigits = regexp.MustCompile(`^\d{8}$`)

var (
	rita  = storage.Reviewer{ID: "rita"}
	ron   = storage.Reviewer{ID: "ron"}
	stern = storage.Reviewer{ID: "stern", Senior: true}
)

// approving and declining are decisions.
var (
	approving = Decision{Kind: storage.DecisionApprove, Subgroups: []string{"University"}}
	declining = Decision{Kind: storage.DecisionDecline, Reasons: []Reason{ReasonAltered}}
)

// damage changes the database as nothing of the service does.
func (w *world) damage(statement string, args ...any) {
	w.t.Helper()
	db := testkit.Must(sql.Open("sqlite3", "file:"+w.path+"?_busy_timeout=5000"))(w.t)
	defer func() { _ = db.Close() }()
	testkit.Must(db.ExecContext(w.t.Context(), statement, args...))(w.t)
}

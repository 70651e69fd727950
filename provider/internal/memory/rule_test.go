package memory_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/memory"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// TestTheRuleOfForgetting makes every write that changes cached data, on both databases and
// over two processes, and compares each reading afterwards with the database.
func TestTheRuleOfForgetting(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "test.db")
		testRule(t, func() (storage.Store, error) { return sqlite.Open(t.Context(), path) })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		address := pgtest.Shared(t).Schema(t)
		testRule(t, func() (storage.Store, error) { return postgres.Open(t.Context(), address) })
	})
}

func testRule(t *testing.T, open func() (storage.Store, error)) {
	here, elsewhere := opened(t, open), opened(t, open)
	for name, w := range writes {
		t.Run(name, func(t *testing.T) {
			// One process makes the write and reads at once.
			p := newProcess(t, here, name+"-own", w)
			before := p.read()
			testkit.OK(t, w.do(t.Context(), p.memory, p.names))
			if cmp.Equal(before, p.stored(), sameRecord) {
				t.Error("the write changes nothing that is cached")
			}
			p.isCurrent("after the process's own write")

			// The write is made, but its answer is lost.
			p = newProcess(t, here, name+"-lost", w)
			p.read()
			testkit.OK(t, w.do(t.Context(), elsewhere, p.names))
			canceled, cancel := context.WithCancel(t.Context())
			cancel()
			if err := w.do(canceled, p.memory, p.names); err == nil {
				t.Fatal("the write succeeded without a context")
			}
			p.isCurrent("after a write whose answer was lost")

			// All readings begin before the write and return after it.
			p = newProcess(t, here, name+"-during", w)
			p.around(func() { testkit.OK(t, w.do(t.Context(), p.memory, p.names)) })
			p.isCurrent("after readings that the write overtook")

			// Another process makes the write.
			p = newProcess(t, here, name+"-elsewhere", w)
			before = p.read()
			testkit.OK(t, w.do(t.Context(), elsewhere, p.names))
			*p.now = p.now.Add(cache.Age - 1)
			if diff := cmp.Diff(before, p.read(), sameRecord); diff != "" {
				t.Errorf("was read again before its time (-cached +read):\n%s", diff)
			}
			*p.now = p.now.Add(1)
			p.isCurrent("a second after the write of another process")
		})
	}
}

// TestEveryWriteHasTheRule tests that no method of a store is forgotten here.
func TestEveryWriteHasTheRule(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for name := range writes {
		name, _, _ = strings.Cut(name, "/")
		known[name] = true
	}
	for _, name := range strings.Fields(othersOfTheStore) {
		known[name] = true
	}
	for store, i := reflect.TypeFor[storage.Store](), 0; i < store.NumMethod(); i++ {
		name := store.Method(i).Name
		if !known[name] {
			t.Errorf("does %s change cached data? If it does, write.go says so and writes has it; if not, othersOfTheStore names it", name)
		}
		delete(known, name)
	}
	for name := range known {
		t.Errorf("a store has no %s", name)
	}
}

// othersOfTheStore are its methods that read, and those that write nothing of what is cached:
// CreateGrant, Reissue, Derive and Renew put what they issue into the cache, and Sweep and
// RemoveDeparted remove only what can no longer change an answer. AllowHost lets in whom nothing is kept of.
const othersOfTheStore = `
	Client Clients AllowHost HostDenial HostDenials UnknownHosts SecretUses RecordSecretUse
	Token FindGrants CreateGrant Reissue Derive Renew
	Account AccountByEmail Accounts EmailReturn Departed RemoveDeparted
	Authenticators LinkedAccount Passkey RenamePasskey CountTOTPMiss TrustDevice ForgetDevices
	BeginRecovery CancelRecovery ApproveRecovery
	Person Subjects EndStatuses
	Session Sessions FindSessions
	EndClientSessions WaitingClientSessions TakeClientSessions SettleClientSession RemoveClientSessions
	Consent Consents FindConsents FormerRecipients
	SaveOneTimeCode OneTimeCode UseOneTimeCode UseID SavePushedRequest PushedRequest
	SaveDeviceCode DeviceCode AllowDeviceCode DenyDeviceCode
	Keys AddKey ResealKey RemoveKeys SaveImage Image RemoveImage
	AllowAttempt GiveBackAttempt ResetAttempts AppendEvent Events
	OpenMatter Matters UseMatter CloseMatter ReleaseMatter SaveCallerCode ProveCaller
	SealEvents Blocks BlockEvents OpenEvents
	Installation SaveInstallation SealedValues ReplaceSealed Clock HearClock Sweep Trim Ping Close`

// process is a memory, its clock, and records of its own.
type process struct {
	names
	t      *testing.T
	store  *during
	memory *memory.Store
	now    *time.Time
}

func newProcess(t *testing.T, store storage.Store, name string, w write) *process {
	t.Helper()
	p := &process{names: namesOf(name), t: t, store: &during{Store: store}, now: new(time.Time)}
	*p.now = t0
	testkit.OK(t, p.fill(t.Context(), store))
	if w.before != nil {
		testkit.OK(t, w.before(t.Context(), store, p.names))
	}
	p.memory = memory.New(p.store, func() time.Time { return *p.now })
	return p
}

// record is what one reading returns.
type record struct {
	Value any
	Err   string
}

func recordOf(value any, err error) record {
	if err != nil {
		return record{Err: err.Error()}
	}
	return record{Value: value}
}

// readings are all that come from memory.
var readings = map[string]func(ctx context.Context, s *memory.Store, n names) record{
	"client": func(ctx context.Context, s *memory.Store, n names) record {
		c, err := memory.Clients{Store: s, Admit: func(ctx context.Context, _ *registry.Client) error {
			if _, err := s.HostDenial(ctx, n.client); !errors.Is(err, storage.ErrNotFound) {
				return registry.ErrDisabled
			}
			return nil
		}}.Client(ctx, n.client)
		return recordOf(c, err)
	},
	"code": func(ctx context.Context, s *memory.Store, n names) record {
		issued, err := memory.Grants{Store: s}.Issued(ctx, storage.AuthorizationCode, n.code)
		return recordOf(issued, err)
	},
	"access token": func(ctx context.Context, s *memory.Store, n names) record {
		issued, err := memory.Grants{Store: s}.Issued(ctx, storage.AccessToken, n.access)
		return recordOf(issued, err)
	},
	"person": func(ctx context.Context, s *memory.Store, n names) record {
		person, err := s.Recent(ctx, n.user)
		return recordOf(person, err)
	},
	"session": func(ctx context.Context, s *memory.Store, n names) record {
		session, account, _, err := s.RecentSession(ctx, n.session)
		return recordOf([]any{session, account}, err)
	},
	"consent": func(ctx context.Context, s *memory.Store, n names) record {
		consent, _, err := s.RecentConsent(ctx, n.user, n.client)
		return recordOf(consent, err)
	},
}

// sameRecord compares all fields of records.
var sameRecord = cmp.Exporter(func(reflect.Type) bool { return true })

func (p *process) read() map[string]record { return p.readFrom(p.memory) }

// stored returns what the readings are of a memory that has none.
func (p *process) stored() map[string]record {
	return p.readFrom(memory.New(p.store.Store, func() time.Time { return *p.now }))
}

func (p *process) readFrom(s *memory.Store) map[string]record {
	all := map[string]record{}
	for name, read := range readings {
		all[name] = read(p.t.Context(), s, p.names)
	}
	return all
}

func (p *process) isCurrent(when string) {
	p.t.Helper()
	if diff := cmp.Diff(p.stored(), p.read(), sameRecord); diff != "" {
		p.t.Errorf("%s, memory has (-stored +read):\n%s", when, diff)
	}
}

// around makes a write within all readings: each has its record, and has not returned it.
func (p *process) around(write func()) {
	next := write
	for _, read := range readings {
		inner := next
		next = func() {
			p.store.then = inner
			read(p.t.Context(), p.memory, p.names)
		}
	}
	next()
}

// during is a store of which the next reading, with its record in hand, waits for something.
type during struct {
	storage.Store
	then func()
}

func (d *during) wait() {
	if then := d.then; then != nil {
		d.then = nil
		then()
	}
}

func (d *during) Client(ctx context.Context, id string) (storage.Client, error) {
	c, err := d.Store.Client(ctx, id)
	d.wait()
	return c, err
}

func (d *during) Token(ctx context.Context, kind storage.TokenKind, digest storage.Digest) (storage.Token, storage.Grant, error) {
	token, grant, err := d.Store.Token(ctx, kind, digest)
	d.wait()
	return token, grant, err
}

func (d *during) Person(ctx context.Context, subject string) (storage.Person, error) {
	person, err := d.Store.Person(ctx, subject)
	d.wait()
	return person, err
}

func (d *during) Session(ctx context.Context, digest storage.Digest) (storage.Session, storage.Account, error) {
	session, account, err := d.Store.Session(ctx, digest)
	d.wait()
	return session, account, err
}

func (d *during) Consent(ctx context.Context, subject, clientID string) (storage.Consent, error) {
	consent, err := d.Store.Consent(ctx, subject, clientID)
	d.wait()
	return consent, err
}

func opened(t *testing.T, open func() (storage.Store, error)) storage.Store {
	t.Helper()
	store := testkit.Must(open())(t)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

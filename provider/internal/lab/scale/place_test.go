package scale

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// place is a service with a desk, of which olga and oleg have all roles, and the database behind
// its back.
type place struct {
	*lab.Fixture
	t    *testing.T
	kept *kept
	db   *sql.DB
	in   dialect

	verification *verification.Service
}

// onBoth runs a test on both databases.
func onBoth(t *testing.T, test func(t *testing.T, w *place)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		k, path := keeps(t, "SQLite"), ""
		w := newPlace(t, k, func(c *provider.Config) {
			if k.path == "" {
				return
			}
			path = filepath.Join(k.path, "identity.db")
			replaces(t, c, func() (storage.Store, error) { return sqlite.Open(t.Context(), path) })
		})
		if path != "" {
			w.Path = path
		}
		db, err := sql.Open("sqlite3", "file:"+w.Path+"?_busy_timeout=60000&_synchronous=OFF&_cache_size=-500000")
		w.OK(err)
		w.fills(db, inSQLite)
		// Or the first writer that is measured pays for what filled the database.
		_, err = db.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`)
		w.OK(err)
		file := testkit.Must(os.Open(w.Path))(w.T)
		w.OK(file.Sync())
		w.OK(file.Close())
		test(t, w)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		if testing.Short() {
			t.Skip("it takes long")
		}
		k, url := keeps(t, "PostgreSQL"), ""
		if k.path == "" {
			url = pgtest.Start(t).Schema(t)
		} else {
			_, url = pgtest.StartIn(t, k.path, "max_connections=200", "max_wal_size=4GB", "shared_buffers=1GB", "maintenance_work_mem=512MB")
		}
		w := newPlace(t, k, func(c *provider.Config) {
			replaces(t, c, func() (storage.Store, error) { return postgres.Open(t.Context(), url) })
		})
		db := testkit.Must(sql.Open("pgx", url))(w.T)
		w.fills(db, inPostgreSQL)
		test(t, w)
	})
}

// replaces gives a provider another store, which has the same keys.
func replaces(t *testing.T, c *provider.Config, open func() (storage.Store, error)) {
	t.Helper()
	made, err := c.Store.Keys(t.Context())
	if err == nil {
		err = c.Store.Close()
	}
	testkit.OK(t, err)
	if c.Store, err = open(); err != nil {
		t.Fatal(err)
	}
	has := testkit.Must(c.Store.Keys(t.Context()))(t)
	if len(has) > 0 {
		return
	}
	for _, key := range made {
		testkit.OK(t, c.Store.AddKey(t.Context(), key))
	}
}

func newPlace(t *testing.T, k *kept, change ...func(*provider.Config)) *place {
	t.Helper()
	policies := verification.Policies{{Group: "student", Rule: verification.By(verification.Invitation())}}
	quiet := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	change = append([]func(*provider.Config){func(c *provider.Config) {
		c.Verifiers, c.Logger, c.OnEvent = policies.Verifiers(), quiet, nil
		if k.filled() {
			c.BaseURL = "http://" + k.record.Listens
		}
	}}, change...)
	w := &place{Fixture: lab.New(t, change...), t: t, kept: k}
	if k.filled() {
		w.Server.URL = "http://" + k.record.Listens
	} else {
		k.record.Listens = strings.TrimPrefix(w.Server.URL, "http://")
		w.WithClients().WithUsers()
		for _, name := range []string{"olga", "oleg"} {
			_, err := w.Accounts().Save(t.Context(), provider.Account{ID: name, Email: name + "@example.com", EmailVerified: true, Password: lab.AlicePass})
			w.OK(err)
		}
	}
	store := w.Store.(interface {
		desk.Store
		storage.Developers
		storage.Verification
	})
	service := testkit.Must(verification.New(verification.Config{Provider: w.Provider, Store: store, Policies: policies, Mailer: w.Mails, Clock: w.Now}))(w.T)
	w.verification = service
	dashboard := testkit.Must(developer.New(developer.Config{Provider: w.Provider, Store: store, Mailer: w.Mails, Clock: w.Now}))(w.T)
	staff := desk.Staff{Roles: []desk.Role{desk.RoleSupport, desk.RoleOperator, desk.RoleSenior, desk.RoleAuditor}}
	d := testkit.Must(desk.New(desk.Config{
		Provider: w.Provider, Store: store, Dashboard: dashboard, Verification: service, Clock: w.Now, Logger: quiet,
		Staff: func(_ context.Context, userID string) (desk.Staff, error) {
			if userID == "olga" || userID == "oleg" {
				return staff, nil
			}
			return desk.Staff{}, nil
		},
	}))(w.T)
	mux := http.NewServeMux()
	mux.Handle("/verification/", service)
	mux.Handle("/developer/", dashboard)
	mux.Handle("/desk/", d)
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	if k.filled() {
		k.listens(t, mux)
	}
	return w
}

// runs does the background work until what is returned is called.
func (w *place) runs() (end func()) {
	ctx, stop := context.WithCancel(w.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	return func() {
		w.t.Helper()
		stop()
		w.OK(<-ended)
	}
}

// as signs a member of the staff in.
func (w *place) as(name string) *lab.Browser {
	w.t.Helper()
	return w.NewBrowser().SignIn(name+"@example.com", lab.AlicePass)
}

// opens opens a matter of a member of the staff, and returns the address of its pages.
func (w *place) opens(staff, person string) string {
	w.t.Helper()
	now := w.Now()
	m := storage.Matter{ID: fmt.Sprintf("z%d-%s-%s", w.kept.record.Runs, staff, person), Staff: staff, Role: "operator", Subject: person, Reason: "caller", OpenedAt: now, EndsAt: now.Add(30 * time.Minute)}
	w.OK(w.Store.(desk.Store).OpenMatter(w.t.Context(), m))
	return "/desk/matters/" + m.ID
}

package scale

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// place is a service with a desk, of which olga and oleg have all roles, and the database behind
// its back.
type place struct {
	*lab.Fixture
	t  *testing.T
	db *sql.DB
	in dialect
}

// onBoth runs a test on both databases.
func onBoth(t *testing.T, test func(t *testing.T, w *place)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		w := newPlace(t)
		db, err := sql.Open("sqlite3", "file:"+w.Path+"?_busy_timeout=60000&_synchronous=OFF")
		w.OK(err)
		w.fills(db, inSQLite)
		test(t, w)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		url := pgtest.Start(t).Schema(t)
		w := newPlace(t, func(c *provider.Config) {
			keys, err := c.Store.Keys(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Store.Close(); err != nil {
				t.Fatal(err)
			}
			store, err := postgres.Open(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range keys {
				if err := store.AddKey(t.Context(), key); err != nil {
					t.Fatal(err)
				}
			}
			c.Store = store
		})
		db, err := sql.Open("pgx", url)
		w.OK(err)
		w.fills(db, inPostgreSQL)
		test(t, w)
	})
}

func newPlace(t *testing.T, change ...func(*provider.Config)) *place {
	t.Helper()
	policies := verification.Policies{{Group: "student", Rule: verification.By(verification.Invitation())}}
	quiet := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	change = append(change, func(c *provider.Config) { c.Verifiers, c.Logger, c.OnEvent = policies.Verifiers(), quiet, nil })
	w := &place{Fixture: lab.New(t, change...).WithClients().WithUsers(), t: t}
	for _, name := range []string{"olga", "oleg"} {
		_, err := w.Accounts().Save(t.Context(), provider.Account{ID: name, Email: name + "@example.com", EmailVerified: true, Password: lab.AlicePass})
		w.OK(err)
	}
	store := w.Store.(interface {
		desk.Store
		storage.Developers
		storage.Verification
	})
	service, err := verification.New(verification.Config{Provider: w.Provider, Store: store, Policies: policies, Mailer: w.Mails, Clock: w.Now})
	w.OK(err)
	dashboard, err := developer.New(developer.Config{Provider: w.Provider, Store: store, Mailer: w.Mails, Clock: w.Now})
	w.OK(err)
	staff := desk.Staff{Roles: []desk.Role{desk.RoleSupport, desk.RoleOperator, desk.RoleSenior, desk.RoleAuditor}}
	d, err := desk.New(desk.Config{
		Provider: w.Provider, Store: store, Dashboard: dashboard, Verification: service, Clock: w.Now, Logger: quiet,
		Staff: func(_ context.Context, userID string) (desk.Staff, error) {
			if userID == "olga" || userID == "oleg" {
				return staff, nil
			}
			return desk.Staff{}, nil
		},
	})
	w.OK(err)
	mux := http.NewServeMux()
	mux.Handle("/verification/", service)
	mux.Handle("/developer/", dashboard)
	mux.Handle("/desk/", d)
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
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
	m := storage.Matter{ID: fmt.Sprintf("z-%s-%s", staff, person), Staff: staff, Role: "operator", Subject: person, Reason: "caller", OpenedAt: now, EndsAt: now.Add(30 * time.Minute)}
	w.OK(w.Store.(desk.Store).OpenMatter(w.t.Context(), m))
	return "/desk/matters/" + m.ID
}

package postgres

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// beside is a database with two roles that have nothing to do with each other: the
// service's, and one that may make schemas there.
type beside struct {
	admin            string // URLs
	service, mallory string
	role             string // the service's name
	strange          string // the other's
}

func newBeside(t *testing.T, server *pgtest.Server) beside {
	t.Helper()
	b := beside{role: server.Role(t), strange: server.Role(t)}
	b.admin = server.Database(t)
	b.service, b.mallory = pgtest.As(b.admin, b.role), pgtest.As(b.admin, b.strange)
	exec(t, b.admin, `DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO `+b.strange+`', current_database()); END $$`)
	exec(t, b.admin, `GRANT CREATE ON SCHEMA public TO `+b.role)
	return b
}

// inFront makes a schema that comes first in the service's path, with an account and
// an application of its own choice.
func (b beside) inFront(t *testing.T) {
	t.Helper()
	exec(t, b.mallory, `CREATE SCHEMA `+b.role)
	exec(t, b.mallory, `GRANT ALL ON SCHEMA `+b.role+` TO `+b.role)
	for _, table := range []string{"accounts", "clients", "grants", "tokens", "sessions", "schema_version"} {
		exec(t, b.mallory, `CREATE TABLE `+b.role+`.`+table+` (id TEXT, registration TEXT, version BIGINT)`)
		exec(t, b.mallory, `GRANT ALL ON `+b.role+`.`+table+` TO `+b.role)
	}
	exec(t, b.mallory, `INSERT INTO `+b.role+`.clients VALUES ('mallory', '{}')`)
	exec(t, b.mallory, `INSERT INTO `+b.role+`.schema_version VALUES ('', '', 1)`)
}

// TestSchema tests that a role which may do anything elsewhere in the database has no
// say in which tables are read.
func TestSchema(t *testing.T) {
	server := pgtest.Shared(t)
	t.Run("NobodyPutsTablesInFront", func(t *testing.T) {
		b := newBeside(t, server)
		store := openTest(t, b.service)
		ok(t, store.SaveClient(t.Context(), client("ours")))
		b.inFront(t)
		if _, err := store.Client(t.Context(), "ours"); err != nil {
			t.Errorf("what is ours: %v", err)
		}
		if _, err := store.Client(t.Context(), "mallory"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("what is theirs: %v, want %v", err, storage.ErrNotFound)
		}

		// A process that starts now neither takes them nor begins anew among them.
		_, err := Open(t.Context(), b.service)
		if err == nil || !strings.Contains(err.Error(), b.strange) || !strings.Contains(err.Error(), "search_path") {
			t.Errorf("err = %v, want one that says whose schema it is and what to do", err)
		}
		named := openTest(t, b.service+"&search_path=public")
		if _, err := named.Client(t.Context(), "ours"); err != nil {
			t.Errorf("with the schema in the URL: %v", err)
		}
	})
	t.Run("NobodyPutsTablesInPlace", func(t *testing.T) {
		// As PostgreSQL 14 and earlier had it everywhere.
		for _, table := range []string{"schema_version", "accounts"} {
			b := newBeside(t, server)
			exec(t, b.admin, `GRANT CREATE ON SCHEMA public TO PUBLIC`)
			exec(t, b.mallory, `CREATE TABLE public.`+table+` (singleton BIGINT, version BIGINT)`)
			exec(t, b.mallory, `GRANT ALL ON public.`+table+` TO PUBLIC`)
			if _, err := Open(t.Context(), b.service); err == nil || !strings.Contains(err.Error(), b.strange) {
				t.Errorf("%s: err = %v, want one that says whose table it is", table, err)
			}
		}
	})
	t.Run("NobodyPutsTablesInPlaceMeanwhile", func(t *testing.T) {
		for _, table := range []string{"schema_version", "accounts"} {
			b := newBeside(t, server)
			exec(t, b.admin, `GRANT CREATE ON SCHEMA public TO PUBLIC`)
			e := must(openEngine(t.Context(), b.service))(t)
			defer e.Close()
			come := sync.OnceFunc(func() {
				exec(t, b.mallory, `CREATE FUNCTION public.harm() RETURNS BIGINT LANGUAGE plpgsql AS $$ BEGIN RAISE 'harm was done'; END $$`)
				exec(t, b.mallory, `CREATE VIEW public.`+table+` AS SELECT harm() AS version`)
				exec(t, b.mallory, `GRANT ALL ON public.`+table+` TO PUBLIC`)
			})
			before := func(query string) error {
				if strings.Contains(query, `CREATE TABLE "public".`+table) {
					come()
				}
				return nil
			}
			err := sqlstore.Migrate(t.Context(), hooked{migrating{e}, before}, sqlstore.Postgres(e.schema))
			if err == nil || strings.Contains(err.Error(), "harm") {
				t.Errorf("%s: err = %v, want one before anything of theirs is read", table, err)
			}
		}
	})
	t.Run("NobodyPutsIndexesInPlace", func(t *testing.T) {
		b := newBeside(t, server)
		exec(t, b.admin, `GRANT CREATE ON SCHEMA public TO PUBLIC`)
		exec(t, b.mallory, `CREATE TABLE public.tokens_by_grant ()`)
		if _, err := Open(t.Context(), b.service); err == nil {
			t.Error("an index was left out because there is something of its name")
		}
	})
	t.Run("NobodyPutsFunctionsInFront", func(t *testing.T) {
		b := newBeside(t, server)
		exec(t, b.admin, `GRANT CREATE ON SCHEMA public TO PUBLIC`)
		e := must(openEngine(t.Context(), b.service))(t)
		defer e.Close()
		var path string
		if err := e.db.QueryRowContext(t.Context(), `SHOW search_path`).Scan(&path); err != nil || path != noTables {
			t.Errorf("search_path is %q, %v", path, err)
		}
	})
	t.Run("IsTheFirstOfTheURL", func(t *testing.T) {
		b := newBeside(t, server)
		exec(t, b.service, `CREATE TABLE public.keep ()`)
		exec(t, b.admin, `CREATE SCHEMA "Sand""box" AUTHORIZATION `+b.role)
		store := openTest(t, b.service+`&search_path=missing,pg_catalog,%22Sand%22%22box%22,public`)
		if err := store.SaveClient(t.Context(), client("client")); err != nil {
			t.Error(err)
		}
		exec(t, b.admin, `SELECT registration FROM "Sand""box".clients WHERE id = 'client'`)
		// Production, in the same database, sees nothing of it.
		if _, err := openTest(t, b.service).Client(t.Context(), "client"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("err = %v, want %v", err, storage.ErrNotFound)
		}
	})
	t.Run("MustExist", func(t *testing.T) {
		b := newBeside(t, server)
		for _, url := range []string{b.service + "&search_path=missing,%22$user%22", b.service + "&search_path=pg_catalog", b.service + "&search_path=pg_temp"} {
			_, err := Open(t.Context(), url)
			if err == nil || !strings.Contains(err.Error(), "search_path") {
				t.Errorf("err = %v, want one that says that there is no schema", err)
			}
		}
		exec(t, b.admin, `DROP SCHEMA public`)
		_, err := Open(t.Context(), b.service)
		if err == nil || !strings.Contains(err.Error(), `"$user", public`) {
			t.Errorf("err = %v, want one that names the search_path of the role", err)
		}
	})
	t.Run("MayBelongToARoleOfTheSameService", func(t *testing.T) {
		b := newBeside(t, server)
		owner := server.Role(t)
		exec(t, b.admin, `CREATE SCHEMA identity AUTHORIZATION `+owner)
		exec(t, b.admin, `GRANT ALL ON SCHEMA identity TO `+b.role)
		url := b.service + "&search_path=identity"
		if _, err := Open(t.Context(), url); err == nil || !strings.Contains(err.Error(), owner) {
			t.Errorf("err = %v, want one that says whose schema it is", err)
		}
		exec(t, b.admin, `GRANT `+owner+` TO `+b.role)
		openTest(t, url)
	})
	t.Run("IsTrustedByASuperuserOnlyFromHisLike", func(t *testing.T) {
		b := newBeside(t, server)
		exec(t, b.mallory, `CREATE SCHEMA postgres`)
		if _, err := Open(t.Context(), b.admin); err == nil || !strings.Contains(err.Error(), b.strange) {
			t.Errorf("err = %v, want one that says whose schema it is", err)
		}
	})
}

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

var dumpOf = flag.String("dump", "", "write the databases of this program as those of a `release`")

// dumps are what releases have left, each in a folder of its name: config file, secrets, a refresh
// token and, of production and sandbox, both kinds of database.
const dumps = "testdata/dumps"

// dumpBase is the address of every dump: what it has issued is good nowhere else.
const dumpBase = "http://localhost:8080"

// kind is a kind of database, and how it is backed up and restored.
type kind struct {
	name string
	rows storagetest.Rows

	// prepare returns keys of the config file for new databases of production and of the sandbox.
	prepare func(t *testing.T) (databases [2]string)

	// backup and restore copy one of them to a file of the dump, and back.
	backup  func(t *testing.T, o operated, environment int, database, file string)
	restore func(t *testing.T, o operated, environment int, database, file string)

	// open opens one of them, and what looks behind its back.
	open func(t *testing.T, o operated, environment int, database string) (migrate func() error, db *sql.DB)
}

// dataOf is where an environment keeps its files.
func dataOf(o operated, environment int) string {
	return o.path([]string{"data", "data/sandbox"}[environment])
}

var kinds = []kind{
	{
		name:    "sqlite",
		rows:    storagetest.SQLiteRows,
		prepare: func(*testing.T) [2]string { return [2]string{} },
		backup: func(t *testing.T, o operated, environment int, _, file string) {
			if environment == 0 {
				o.must("-backup", o.path("backup"))
			}
			pack(t, o.path([]string{"backup/identity.db", "backup/sandbox/identity.db"}[environment]), file+".gz")
		},
		restore: func(t *testing.T, o operated, environment int, _, file string) {
			unpack(t, file+".gz", filepath.Join(dataOf(o, environment), databaseName))
		},
		open: func(t *testing.T, o operated, environment int, _ string) (func() error, *sql.DB) {
			path := filepath.Join(dataOf(o, environment), databaseName)
			db := must(sql.Open("sqlite3", path))(t)
			return func() error {
				store, err := sqlite.Open(t.Context(), path)
				if err != nil {
					return err
				}
				return store.Close()
			}, db
		},
	},
	{
		name: "postgres",
		rows: storagetest.PostgresRows,
		prepare: func(t *testing.T) [2]string {
			server := pgtest.Start(t)
			return [2]string{server.Database(t), server.Database(t)}
		},
		backup: func(t *testing.T, _ operated, _ int, database, file string) {
			runs(t, "pg_dump", "--format=custom", "--no-owner", "--file="+file+".dump", "--dbname="+database)
		},
		restore: func(t *testing.T, _ operated, _ int, database, file string) {
			runs(t, "pg_restore", "--no-owner", "--exit-on-error", "--dbname="+database, file+".dump")
		},
		open: func(t *testing.T, _ operated, _ int, database string) (func() error, *sql.DB) {
			db := must(sql.Open("pgx", database))(t)
			return func() error {
				store, err := postgres.Open(t.Context(), database)
				if err != nil {
					return err
				}
				return store.Close()
			}, db
		},
	},
}

// TestDump writes the dump of a release: what the demonstration makes, and somebody who is signed in.
func TestDump(t *testing.T) {
	if *dumpOf == "" {
		t.Skip("it writes what other tests read: make dump RELEASE=v0.1.0")
	}
	to := must(filepath.Abs(filepath.Join(dumps, *dumpOf)))(t)
	ok(t, os.RemoveAll(to))
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			o, databases := operated{t: t, folder: t.TempDir(), base: dumpBase}, k.prepare(t)
			plain := dumpConfig(t)
			o.write(inDatabases(t, plain, databases))
			ok(t, o.startQuietly().stop())
			_, db := k.open(t, o, 0, databases[0])
			defer db.Close()
			fill(t, k.rows, db)
			_, err := db.ExecContext(t.Context(), `UPDATE events SET at = at - 3600000000`) // so that they are sealed now
			ok(t, err)
			s := o.start()
			reachable(t, s)
			issued := versions{t: t, folder: o.folder, this: dumpBase}.signIn(dumpBase)
			for rowsOf(t, db)["event_blocks"] == 0 && t.Context().Err() == nil {
				time.Sleep(10 * time.Millisecond) // until Run has had its round
			}
			ok(t, s.stop())
			fill(t, k.rows, db) // what Run has done with already
			at := filepath.Join(to, k.name)
			ok(t, os.MkdirAll(at, 0o755))
			for name, content := range map[string]string{
				"service.json": plain, "refresh": issued.Refresh, "secret": o.content("data/secret"), "sandbox.secret": o.content("data/sandbox/secret"),
			} {
				ok(t, os.WriteFile(filepath.Join(at, name), []byte(content), 0o644))
			}
			for i, name := range []string{"identity", "sandbox"} {
				k.backup(t, o, i, databases[i], filepath.Join(at, name))
			}
			for table, n := range rowsOf(t, db) {
				if n == 0 {
					t.Errorf("the dump has no row of %s: add one to others", table)
				}
			}
		})
	}
}

// TestDumpsAreOpened upgrades what each release has left, in both kinds of database: no row is lost,
// and what was issued is good.
func TestDumpsAreOpened(t *testing.T) {
	releases := must(filepath.Glob(filepath.Join(dumps, "v*", "*", "service.json")))(t)
	if len(releases) < len(kinds) {
		t.Fatalf("there are dumps %q", releases)
	}
	for _, config := range releases {
		from := filepath.Dir(config)
		for _, k := range kinds {
			if k.name == filepath.Base(from) {
				t.Run(filepath.Base(filepath.Dir(from))+"/"+k.name, func(t *testing.T) { upgrade(t, from, k) })
			}
		}
	}
}

func upgrade(t *testing.T, from string, k kind) {
	t.Helper()
	o, databases := operated{t: t, folder: t.TempDir(), base: dumpBase}, k.prepare(t)
	o.write(inDatabases(t, read(t, filepath.Join(from, "service.json")), databases))
	for i, name := range []string{"identity", "sandbox"} {
		ok(t, os.MkdirAll(dataOf(o, i), 0o700))
		secret := read(t, filepath.Join(from, []string{"secret", "sandbox.secret"}[i]))
		ok(t, os.WriteFile(filepath.Join(dataOf(o, i), "secret"), []byte(secret), 0o600))
		k.restore(t, o, i, databases[i], filepath.Join(from, name))
		migrate, db := k.open(t, o, i, databases[i])
		before := rowsOf(t, db)
		if err := migrate(); errors.Is(err, storage.ErrUnreleasedSchema) {
			t.Fatalf("%v; until the release make dump RELEASE=v0.1.0", err)
		} else if err != nil {
			t.Fatal(err)
		}
		after := rowsOf(t, db)
		maps.DeleteFunc(after, func(table string, _ int) bool { _, was := before[table]; return !was })
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("rows of %s (-before +after):\n%s", name, diff)
		}
		ok(t, db.Close())
	}
	s := o.start()
	reachable(t, s)
	v := versions{t: t, folder: o.folder, this: dumpBase}
	status, tokens := v.token(dumpBase, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {read(t, filepath.Join(from, "refresh"))}})
	if status != http.StatusOK || v.userinfo(dumpBase, tokens.Access) != http.StatusOK {
		t.Errorf("a refresh token of then is answered with %d, %+v", status, tokens)
	}
	if fresh := v.signIn(dumpBase); v.userinfo(dumpBase, fresh.Access) != http.StatusOK {
		t.Error("a sign-in with the password of then gives no token")
	}
	for _, u := range s.cfg.Users {
		person, err := s.providers[0].People().Get(t.Context(), u.ID)
		if err != nil || len(person.Attributes) == 0 || len(person.Statuses) < len(u.Status) {
			t.Errorf("%s: %d attributes, %d statuses, %v", u.ID, len(person.Attributes), len(person.Statuses), err)
		}
	}
	ok(t, s.stop())
	if out, err := o.command("-verify-audit"); err != nil {
		t.Errorf("-verify-audit: %v\n%s", err, out)
	}
}

// dumpConfig is the config file of a dump: the quickstart's own with everything to look at, an
// application, and refresh tokens that outlive the releases to come.
func dumpConfig(t *testing.T) string {
	t.Helper()
	var tree map[string]any
	ok(t, json.Unmarshal([]byte(ownQuickstart(t)), &tree))
	tree["base_url"] = dumpBase
	tree["lifetimes"] = map[string]any{"refresh_token": "175200h", "grant": "175200h"}
	tree["desk"].(map[string]any)["demo"] = true
	tree["clients"] = append(tree["clients"].([]any), map[string]any{
		"client_id": "app", "client_secret": appSecret, "dialect": "standard", "skip_consent": true,
		"redirect_uris": []string{dumpBase + "/callback"}, "grant_types": []string{"authorization_code", "refresh_token"},
	})
	text := must(json.MarshalIndent(tree, "", "  "))(t)
	return string(text)
}

// inDatabases returns a config file with databases of production and sandbox, if they are not files.
func inDatabases(t *testing.T, text string, databases [2]string) string {
	t.Helper()
	var tree map[string]any
	ok(t, json.Unmarshal([]byte(text), &tree))
	for i, environment := range []map[string]any{tree, tree["sandbox"].(map[string]any)} {
		if databases[i] != "" {
			environment["database"] = databases[i]
		}
	}
	out := must(json.Marshal(tree))(t)
	return string(out)
}

// reachable leads requests for the address of the dumps to a service. No other test may run meanwhile.
func reachable(t *testing.T, s *running) {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport) //nolint:forcetypeassert // it is documented
	direct := transport.DialContext
	address := s.sites[0].listener.Addr().String()
	transport.DialContext = func(ctx context.Context, network, asked string) (net.Conn, error) {
		if "http://"+asked == dumpBase {
			asked = address
		}
		return direct(ctx, network, asked)
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		transport.DialContext = direct
	})
}

// rowsOf counts the rows of the tables that there are.
func rowsOf(t *testing.T, db *sql.DB) map[string]int {
	t.Helper()
	tables := must(sqlstore.SQLite().Tables())(t)
	rows := map[string]int{}
	for _, table := range tables {
		var n int
		err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table).Scan(&n)
		switch {
		case err == nil:
			rows[table] = n
		case !strings.Contains(err.Error(), "no such table") && !strings.Contains(err.Error(), "does not exist"):
			t.Fatal(err)
		}
	}
	return rows
}

// runs runs a program of PostgreSQL.
func runs(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content := must(os.ReadFile(path))(t)
	return string(content)
}

func pack(t *testing.T, from, to string) {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	ok(t, err)
	_, err = io.WriteString(w, read(t, from))
	ok(t, err)
	ok(t, w.Close())
	ok(t, os.WriteFile(to, packed.Bytes(), 0o644))
}

func unpack(t *testing.T, from, to string) {
	t.Helper()
	r := must(gzip.NewReader(strings.NewReader(read(t, from))))(t)
	content := must(io.ReadAll(r))(t)
	ok(t, os.WriteFile(to, content, 0o600))
}

// TestRollback goes back to the program and the backup from before an upgrade, as docs/operate.md says:
// the old program refuses what the new one has migrated, and opens the copy.
func TestRollback(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			o, databases := operate(t), k.prepare(t)
			o.write(inDatabases(t, o.content("service.json"), databases))
			s := o.start()
			token := o.token()
			ok(t, s.stop())
			for i := range databases {
				k.backup(t, o, i, databases[i], o.path(fmt.Sprint("copy", i)))
				_, db := k.open(t, o, i, databases[i])
				_, err := db.ExecContext(t.Context(), `UPDATE schema_version SET version = version + 1`)
				ok(t, err)
				ok(t, db.Close())
			}
			if _, err := o.command("-init"); err == nil || !strings.Contains(err.Error(), "newer version of Bonafide") {
				t.Errorf("the old program on the new database: %v", err)
			}
			restored := k.prepare(t)
			o.write(inDatabases(t, o.content("service.json"), restored))
			for i := range restored {
				for _, end := range []string{"", "-wal", "-shm"} {
					_ = os.Remove(filepath.Join(dataOf(o, i), databaseName+end)) // of SQLite
				}
				k.restore(t, o, i, restored[i], o.path(fmt.Sprint("copy", i)))
			}
			o.must("-revoke-before", time.Now().UTC().Format(time.RFC3339Nano))
			o.start()
			if o.accepts(token) {
				t.Error("what was issued before is good")
			}
			if !o.accepts(o.token()) {
				t.Error("nobody can sign in")
			}
		})
	}
}

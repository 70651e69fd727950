//go:build unix

package sqlitefile

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// The tests here start this test binary again, as processes that do one of these
// with the arguments that follow its name.
var children = map[string]func(args []string) error{
	"migrate":  migrateAndDie,
	"open":     openOnly,
	"exchange": exchangeOften,
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && children[os.Args[1]] != nil {
		if err := children[os.Args[1]](os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary := must(os.Executable())(t)
	return exec.Command(binary, args...)
}

// versionZero makes a database without a schema, as the first start leaves it when
// it is interrupted at the worst moment, and returns its path.
func versionZero(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	db := must(sql.Open("sqlite3", path))(t)
	defer db.Close()
	for _, statement := range []string{
		`PRAGMA journal_mode = WAL`,
		fmt.Sprintf(`PRAGMA application_id = %d`, applicationID),
		`CREATE TABLE unrelated (x)`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestMigration(t *testing.T) {
	t.Run("KilledAtAStatementRunsAgain", func(t *testing.T) {
		path := versionZero(t)
		killed := 0
		for statement := 1; ; statement += 7 {
			migrate := child(t, "migrate", path, strconv.Itoa(statement))
			out, err := migrate.CombinedOutput()
			if err == nil {
				break // it has fewer statements
			}
			if status := migrate.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() {
				t.Fatalf("%v\n%s", err, out)
			}
			killed++
		}
		if killed < 20 { // there are more tables and indexes than that
			t.Errorf("the migration was killed %d times", killed)
		}
		store := must(Open(t.Context(), path, mattn))(t)
		defer store.Close()
		if err := store.SaveClient(t.Context(), storage.Client{ID: "client", CreatedAt: time.Unix(1, 0)}); err != nil {
			t.Error(err)
		}
	})
	t.Run("OfManyProcessesOneDoes", func(t *testing.T) {
		path := versionZero(t)
		gate, open := io.Pipe()
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				process := child(t, "open", path)
				process.Stdin = gate
				if out, err := process.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
		open.Close()
		running.Wait()
	})
}

// migrateAndDie migrates the database at args[0] and kills its process before the
// statement of number args[1].
func migrateAndDie(args []string) error {
	ctx := context.Background()
	statement, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	e, err := mattn.openEngine(ctx, args[0])
	if err != nil {
		return err
	}
	killer := &killer{engine: e}
	killer.left.Store(statement)
	return errors.Join(sqlstore.Migrate(ctx, killer, sqlstore.SQLite()), e.Close())
}

// killer is an engine that kills the process before one of the statements that it
// executes.
type killer struct {
	*engine
	left atomic.Int64
}

func (k *killer) Write(ctx context.Context, step sqlstore.Step) error {
	return k.engine.Write(ctx, func(ctx context.Context, db sqlstore.Conn) error {
		return step(ctx, killerConn{db, &k.left})
	})
}

type killerConn struct {
	sqlstore.Conn
	left *atomic.Int64
}

func (c killerConn) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if c.left.Add(-1) == 0 {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
	}
	return c.Conn.ExecContext(ctx, query, args...)
}

// openOnly opens the database at args[0] when its input ends.
func openOnly(args []string) error {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	store, err := Open(context.Background(), args[0], mattn)
	if err != nil {
		return err
	}
	return store.Close()
}

// TestProcesses tests that one of many processes spends a code, under more load
// than the lock of the file can serve at once.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	store := must(Open(t.Context(), path, mattn))(t)
	defer store.Close()
	ok(t, store.SaveClient(t.Context(), storage.Client{ID: "client", CreatedAt: time.Unix(1, 0)}))
	for round := range exchangeRounds {
		g, code := numberedCode(round)
		ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, code))
	}
	const processes = 3
	outputs := make([]bytes.Buffer, processes)
	gate, open := io.Pipe()
	var running sync.WaitGroup
	for i := range outputs {
		running.Go(func() {
			process := child(t, "exchange", path)
			process.Stdin, process.Stdout, process.Stderr = gate, &outputs[i], os.Stderr
			if err := process.Run(); err != nil {
				t.Error(err)
			}
		})
	}
	open.Close()
	running.Wait()
	winners := 0
	for i := range outputs {
		n, err := strconv.Atoi(strings.TrimSpace(outputs[i].String()))
		if err != nil {
			t.Error(err)
		}
		winners += n
	}
	if winners != exchangeRounds {
		t.Errorf("%d codes were exchanged %d times", exchangeRounds, winners)
	}
}

const exchangeRounds = 20

func numberedCode(n int) (storage.Grant, storage.Token) {
	at := time.Unix(1, 0)
	g := storage.Grant{
		ID: storage.GrantID{byte(n)}, Flow: storage.Digest{byte(n)}, ClientID: "client", Subject: "subject",
		CreatedAt: at, ExpiresAt: at,
	}
	code := storage.Token{
		Digest: storage.Digest{byte(n)}, Kind: storage.AuthorizationCode, GrantID: g.ID, CreatedAt: at, ExpiresAt: at,
	}
	return g, code
}

// exchangeOften lets 16 callers exchange every code in the database at args[0] and
// prints how many succeeded.
func exchangeOften(args []string) error {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	store, err := Open(context.Background(), args[0], mattn)
	if err != nil {
		return err
	}
	defer store.Close()
	var winners atomic.Int64
	errs := make([]error, 16)
	var running sync.WaitGroup
	for i := range errs {
		running.Go(func() {
			for round := range exchangeRounds {
				_, code := numberedCode(round)
				switch err := store.Exchange(context.Background(), code.Digest, time.Unix(1, 0)); {
				case err == nil:
					winners.Add(1)
				case !errors.Is(err, storage.ErrSpent):
					errs[i] = err
					return
				}
			}
		})
	}
	running.Wait()
	fmt.Println(winners.Load())
	return errors.Join(errs...)
}

func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	folder := filepath.Join(t.TempDir(), "data")
	store := must(Open(t.Context(), filepath.Join(folder, "test.db"), mattn))(t)
	defer store.Close()
	ok(t, store.SaveClient(t.Context(), storage.Client{ID: "client", CreatedAt: time.Unix(1, 0)}))
	ok(t, store.Backup(t.Context(), filepath.Join(folder, "backup.db")))
	for name, want := range map[string]os.FileMode{
		"":            0o700 | os.ModeDir,
		"test.db":     0o600,
		"test.db-wal": 0o600,
		"test.db-shm": 0o600,
		"backup.db":   0o600,
	} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if info.Mode() != want {
			t.Errorf("mode of %q is %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestReadOnly(t *testing.T) {
	for _, tc := range []struct {
		name         string
		file, folder os.FileMode
	}{
		{"File", 0o444, 0o777},
		{"Folder", 0o666, 0o555},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data", "test.db")
			store := must(Open(t.Context(), path, mattn))(t)
			ok(t, store.Close())
			ok(t, errors.Join(os.Chmod(path, tc.file), os.Chmod(filepath.Dir(path), tc.folder)))
			out, err := unprivileged(t, child(t, "open", path)).CombinedOutput()
			ok(t, os.Chmod(filepath.Dir(path), 0o700)) // so that it can be removed
			if err == nil {
				t.Fatal("the database was opened")
			}
			if !strings.Contains(string(out), errReadOnly.Error()) {
				t.Errorf("refused with %s", out)
			}
		})
	}
}

// unprivileged makes a command run as nobody when the tests run as root, who may
// write everywhere.
func unprivileged(t *testing.T, command *exec.Cmd) *exec.Cmd {
	t.Helper()
	if os.Geteuid() != 0 {
		return command
	}
	binary := must(os.ReadFile(command.Path))(t)
	command.Path = filepath.Join(t.TempDir(), "test") // which nobody may read
	ok(t, os.WriteFile(command.Path, binary, 0o755))
	ok(t, os.Chmod(filepath.Dir(filepath.Dir(command.Path)), 0o755))
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return command
}

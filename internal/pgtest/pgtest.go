// Package pgtest gives tests a PostgreSQL server of their own.
//
// It starts one from the binaries of the system (Debian: apt install postgresql)
// in a temporary folder, without touching a server that runs already. To test
// against another server, set BONAFIDE_TEST_POSTGRES to the URL of a database in
// which the tests may create schemas.
package pgtest

import (
	"bufio"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// Server is a server on which tests make schemas.
type Server struct {
	url string

	// The rest is zero for a server that runs already.
	bin, dir string
	stop     func() // does nothing when it has stopped
}

// Start starts a server for the length of the test, or uses that of
// BONAFIDE_TEST_POSTGRES. Where there is neither it skips the test, except when
// the environment says CI=true: there the test fails, for nobody would notice.
func Start(t *testing.T) *Server {
	t.Helper()
	if url := os.Getenv("BONAFIDE_TEST_POSTGRES"); url != "" {
		return &Server{url: url}
	}
	bin := binaries()
	if bin == "" {
		const missing = "no PostgreSQL: install it or set BONAFIDE_TEST_POSTGRES"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return start(t, bin)
}

// Stop stops the server as its administrator would: what runs is aborted, and
// connections are refused. It skips the test when the server is not one of Start's
// own.
func (s *Server) Stop(t *testing.T) {
	t.Helper()
	if s.stop == nil {
		t.Skip("the server of BONAFIDE_TEST_POSTGRES is not ours to stop")
	}
	s.stop()
}

// Resume starts a server that Stop has stopped, at the same URL.
func (s *Server) Resume(t *testing.T) {
	t.Helper()
	server := exec.Command(filepath.Join(s.bin, "postgres"), "-D", filepath.Join(s.dir, "data"), "-k", s.dir,
		"-c", "listen_addresses=", "-c", "max_connections=200",
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	unprivileged(t, server, s.dir)
	s.stop = run(t, server)
}

// Set changes a setting of the running server for all its sessions. It skips the test
// when the server is not one of Start's own.
func (s *Server) Set(t *testing.T, name, value string) {
	t.Helper()
	if s.stop == nil {
		t.Skip("the server of BONAFIDE_TEST_POSTGRES is not ours to change")
	}
	s.exec(t, "ALTER SYSTEM SET "+name+" = "+value)
	s.exec(t, "SELECT pg_reload_conf()")
}

// Schema makes an empty schema for the length of the test and returns the URL of a
// connection that sees nothing else.
func (s *Server) Schema(t *testing.T) string {
	t.Helper()
	name := "bonafide_test_" + strings.ToLower(rand.Text())
	s.exec(t, "CREATE SCHEMA "+name)
	t.Cleanup(func() { s.exec(t, "DROP SCHEMA "+name+" CASCADE") })
	return withParam(s.url, "search_path", name)
}

func (s *Server) exec(t *testing.T, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", s.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// Not the context of the test, which has ended when it cleans up.
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// binaries returns the folder of the newest server that is installed, or nothing.
func binaries() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1])
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

// start makes and runs a server. It listens on a socket in its own folder and on no
// network.
func start(t *testing.T, bin string) *Server {
	t.Helper()
	// Not t.TempDir: the name of a socket has at most 107 bytes.
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })

	initdb := exec.Command(filepath.Join(bin, "initdb"), "--pgdata", filepath.Join(dir, "data"),
		"--username", "postgres", "--auth", "trust", "--encoding", "UTF8", "--no-sync")
	unprivileged(t, initdb, dir)
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	s := &Server{url: "postgres:///postgres?user=postgres&host=" + url.QueryEscape(dir), bin: bin, dir: dir}
	s.Resume(t)
	t.Cleanup(func() { s.stop() })
	return s
}

// run starts the server and waits until it is ready. It returns what stops it.
func run(t *testing.T, server *exec.Cmd) (stop func()) {
	t.Helper()
	log, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ready, drained := make(chan bool, 1), make(chan struct{})
	var start strings.Builder // its log until then
	go func() {
		defer close(drained)
		isReady := false
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if isReady {
				continue
			}
			fmt.Fprintln(&start, lines.Text())
			if strings.Contains(lines.Text(), "ready to accept connections") {
				isReady = true
				ready <- true
			}
		}
		if !isReady {
			ready <- false
		}
	}()
	if !<-ready {
		_ = server.Wait()
		t.Fatalf("the server did not start:\n%s", &start)
	}
	return sync.OnceFunc(func() {
		_ = server.Process.Signal(syscall.SIGINT) // "fast shutdown"
		<-drained
		_ = server.Wait()
	})
}

// withParam adds a parameter to a URL or a list of keywords and values.
func withParam(conn, name, value string) string {
	u, err := url.Parse(conn)
	if err != nil || u.Scheme == "" {
		return conn + " " + name + "=" + value
	}
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}

// Package pgtest gives tests a PostgreSQL server of their own.
//
// It starts one from the binaries of the system (Debian: apt install postgresql)
// in a temporary folder, without touching a server that runs already. To test
// against another server, set BONAFIDE_TEST_POSTGRES to the URL of a database in
// which the tests may create schemas.
//
// It serves the tests of this repository, and may change without notice.
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
	bin, dir   string
	settings   []string // of the command line
	stop, kill func()   // do nothing when it has stopped
}

// fast is what a server may do that nobody needs after its machine has lost its power.
var fast = []string{"fsync=off", "full_page_writes=off", "max_connections=200"}

// Start starts a server for the length of the test, or uses that of
// BONAFIDE_TEST_POSTGRES. Where there is neither it skips the test, except when
// the environment says CI=true: there the test fails, for nobody would notice.
func Start(t *testing.T) *Server {
	t.Helper()
	if url := os.Getenv("BONAFIDE_TEST_POSTGRES"); url != "" {
		return &Server{url: url}
	}
	return start(t, installed(t), "synchronous_commit=off")
}

// installed returns the folder of a server's binaries.
func installed(t *testing.T) string {
	t.Helper()
	bin := binaries()
	if bin == "" {
		missing(t, "no PostgreSQL: install it or set BONAFIDE_TEST_POSTGRES")
	}
	return bin
}

// missing skips the test, or fails it where everything ought to be there.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
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
	server := exec.Command(filepath.Join(s.bin, "postgres"), s.arguments()...)
	unprivileged(t, server, s.dir)
	s.stop, s.kill = run(t, server, "ready to accept")
}

// arguments are the command line of the server. It listens on a socket in its own
// folder and on no network.
func (s *Server) arguments() []string {
	arguments := []string{"-D", filepath.Join(s.dir, "data"), "-k", s.dir, "-c", "listen_addresses="}
	for _, setting := range s.settings {
		arguments = append(arguments, "-c", setting)
	}
	return arguments
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
	if s.stop == nil { // others go with their server
		t.Cleanup(func() { s.exec(t, "DROP SCHEMA "+name+" CASCADE") })
	}
	return withParam(s.url, "search_path", name)
}

// Database makes an empty database and returns the URL of a connection to it. It skips the test when the server is not one of Start's own.
func (s *Server) Database(t *testing.T) string {
	t.Helper()
	if s.stop == nil {
		t.Skip("the server of BONAFIDE_TEST_POSTGRES is not ours to change")
	}
	name := "bonafide_test_" + strings.ToLower(rand.Text())
	s.exec(t, "CREATE DATABASE "+name)
	return withParam(s.url, "dbname", name)
}

// Role makes a role that may connect and returns its name. It skips the test when the
// server is not one of Start's own.
func (s *Server) Role(t *testing.T) string {
	t.Helper()
	if s.stop == nil {
		t.Skip("the server of BONAFIDE_TEST_POSTGRES is not ours to change")
	}
	name := "bonafide_test_" + strings.ToLower(rand.Text())
	s.exec(t, "CREATE ROLE "+name+" LOGIN")
	return name
}

// As returns the URL of a connection of another role.
func As(url, role string) string { return withParam(url, "user", role) }

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

// start makes and runs a server for the length of the test.
func start(t *testing.T, bin string, settings ...string) *Server {
	t.Helper()
	dir := socketDir(t)
	s := &Server{url: urlOf(dir), bin: bin, dir: dir, settings: append(settings, fast...)}
	s.initialize(t)
	s.serve(t)
	return s
}

// initialize makes the data of a server: a copy of those that the first one of this user got, since
// initdb computes for a second. The cache has a folder for each version of it.
func (s *Server) initialize(t *testing.T) {
	t.Helper()
	data, program := filepath.Join(s.dir, "data"), filepath.Join(s.bin, "initdb")
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = s.dir // for this server alone
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(cache, "bonafide-pgtest", fmt.Sprint(info.ModTime().Unix(), "-", info.Size()))
	if exec.Command("cp", "-a", kept, data).Run() == nil {
		return
	}
	_ = os.RemoveAll(data) // half a copy, in which initdb would make nothing
	initdb := exec.Command(program, "--pgdata", data,
		"--username", "postgres", "--auth", "trust", "--encoding", "UTF8", "--no-sync")
	unprivileged(t, initdb, s.dir)
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	// Whole or not at all: another process may have kept its own meanwhile.
	draft := kept + "-" + rand.Text()
	if os.MkdirAll(filepath.Dir(kept), 0o700) != nil || exec.Command("cp", "-a", data, draft).Run() != nil || os.Rename(draft, kept) != nil {
		_ = os.RemoveAll(draft)
	}
}

// serve runs a server for the length of the test.
func (s *Server) serve(t *testing.T) {
	t.Helper()
	s.Resume(t)
	t.Cleanup(func() { s.stop() })
}

// urlOf returns the URL of the server whose socket is in a folder.
func urlOf(dir string) string {
	return "postgres:///postgres?user=postgres&host=" + url.QueryEscape(dir)
}

// socketDir makes a folder for the length of the test. It is not t.TempDir: the name
// of a socket has at most 107 bytes.
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// run starts a server and waits until it says that it is ready. It returns what stops
// it, as its administrator would and by SIGKILL.
func run(t *testing.T, server *exec.Cmd, readyWords string) (stop, kill func()) {
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
			if strings.Contains(lines.Text(), readyWords) {
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
	var once sync.Once
	end := func(signal os.Signal) func() {
		return func() {
			once.Do(func() {
				_ = server.Process.Signal(signal)
				<-drained // by the last of its processes
				_ = server.Wait()
			})
		}
	}
	return end(syscall.SIGINT), end(syscall.SIGKILL) // "fast shutdown"
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

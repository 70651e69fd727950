package main

import (
	"database/sql"
	"flag"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

var (
	besideOf  = flag.String("from", "", "the `revision` that serves beside this one")
	besideFor = flag.Duration("for", 10*time.Second, "how long both serve")
)

// TestBeside has an earlier version and this one serve from one PostgreSQL database, under load: each takes
// what the other issues. Where this one migrates, the earlier one answers 503 from then on, and nothing else.
func TestBeside(t *testing.T) {
	if *besideOf == "" {
		t.Skip("it needs another version: make beside FROM=v0.1.0")
	}
	v := newVersions(t, pgtest.Start(t).Schema(t))
	both := besides{versions: v, earlier: "http://" + providertest.FreeAddress(t)}
	defer v.launch(exec.CommandContext(t.Context(), buildRevision(t, *besideOf), "-config", both.earlierConfig()))()
	schema := v.schema()
	defer v.launch(program(t, "-config", v.config()))()
	both.migrated = v.schema() != schema
	var load sync.WaitGroup
	for range 4 {
		load.Go(both.serve)
	}
	load.Wait()
	t.Logf("beside %s for %v: schema %d and %d, %d sign-ins, %d refreshes, %d answers of 503 by the earlier one",
		*besideOf, *besideFor, schema, v.schema(), both.signIns, both.refreshes, both.stopped)
	if both.refreshes == 0 || both.migrated != (both.stopped > 0) {
		t.Error("the load has not met both")
	}
}

// besides are two versions on one database.
type besides struct {
	versions
	earlier  string // where it listens
	migrated bool   // this one has migrated the database of the earlier one

	mu                          sync.Mutex
	signIns, refreshes, stopped int
}

// earlierConfig is the config file of this version at another address to listen at.
func (b *besides) earlierConfig() string {
	b.t.Helper()
	text := read(b.t, b.config())
	path := filepath.Join(b.folder, "earlier.json")
	address := strings.TrimPrefix(b.this, "http://")
	ok(b.t, os.WriteFile(path, []byte(strings.Replace(text, `"listen":"`+address, `"listen":"`+strings.TrimPrefix(b.earlier, "http://"), 1)), 0o600))
	return path
}

// serve signs somebody in again and again, refreshes at one version and presents the token at the other.
func (b *besides) serve() {
	for begun := time.Now(); time.Since(begun) < *besideFor && !b.t.Failed(); {
		tokens := b.signIn(b.this)
		b.count(&b.signIns)
		for i := range 20 {
			at, other := b.this, b.earlier
			if i%2 == 1 {
				at, other = other, at
			}
			status, next := b.token(at, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens.Refresh}})
			if b.isStopped(at, status) {
				continue
			}
			b.count(&b.refreshes)
			if tokens = next; status != http.StatusOK {
				b.t.Errorf("a refresh at %s is answered with %d, %s", at, status, next.Error)
				return
			}
			if status := b.userinfo(other, tokens.Access); !b.isStopped(other, status) && status != http.StatusOK {
				b.t.Errorf("%s answers %d to a token of %s", other, status, at)
				return
			}
		}
	}
}

// isStopped reports that a version says that the database is not for it any more.
func (b *besides) isStopped(at string, status int) bool {
	stopped := b.migrated && at == b.earlier && status == http.StatusServiceUnavailable
	if stopped {
		b.count(&b.stopped)
	}
	return stopped
}

func (b *besides) count(n *int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*n++
}

// schema returns the number of the schema of the database.
func (v versions) schema() (number int) {
	v.t.Helper()
	db, err := sql.Open("pgx", v.database)
	ok(v.t, err)
	defer db.Close()
	ok(v.t, db.QueryRowContext(v.t.Context(), `SELECT version FROM schema_version`).Scan(&number))
	return number
}

// buildRevision builds the quickstart of another revision.
func buildRevision(t *testing.T, revision string) (program string) {
	t.Helper()
	tree := filepath.Join(t.TempDir(), "tree")
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("worktree", "add", "--detach", tree, revision)
	defer git("worktree", "remove", "--force", tree)
	program = filepath.Join(t.TempDir(), "earlier")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, "./examples/quickstart")
	build.Dir = tree
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", revision, err, out)
	}
	return program
}

package main

import (
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

var (
	besideOf   = flag.String("from", "", "the `revision` that serves beside this one; without, this one beside the next, which has one migration more")
	besideFor  = flag.Duration("for", 0, "how long both serve")
	versionOf  = regexp.MustCompile(`, schema (\d+), `)
	schemaSaid = regexp.MustCompile(`(?m)^const SchemaVersion = \d+$`)
)

// TestBeside has two versions serve from one PostgreSQL database, under load: each takes what the other
// issues. Where the later one migrates, the earlier one answers 503 from then on, and nothing else.
func TestBeside(t *testing.T) {
	if *besideFor == 0 {
		t.Skip("it takes as long as it is told: make beside")
	}
	t.Setenv(asProgram, "1")
	earlier, later := cmp.Or(*besideOf, "HEAD"), program(t).Path
	built := buildRevision(t, earlier, func(string) {})
	if *besideOf == "" {
		later = buildRevision(t, earlier, func(tree string) { addMigration(t, tree) })
	}
	b := besides{versions: newVersions(t, pgtest.Start(t).Schema(t)), later: "http://" + providertest.FreeAddress(t)}
	was, is := schemaOf(t, built), schemaOf(t, later)
	b.migrates = was != is
	defer b.launch(exec.CommandContext(t.Context(), built, "-config", b.config()))()
	var load sync.WaitGroup
	for range 4 {
		tokens := b.signIn(b.this)
		load.Go(func() { b.serve(tokens) })
	}
	b.starts.Store(true)
	defer b.launch(exec.CommandContext(t.Context(), later, "-config", b.laterConfig()))()
	b.serves.Store(true)
	load.Wait()
	t.Logf("%s of schema %d beside one of %d for %v: %d sign-ins, %d refreshes, %d answers of 503 by the earlier one",
		earlier, was, is, *besideFor, b.signIns, b.refreshes, b.stopped)
	if b.refreshes == 0 || b.migrates != (b.stopped > 0) {
		t.Error("the load has not met both")
	}
}

// besides are two versions on one database.
type besides struct {
	versions
	later    string // where it listens; this is the earlier one
	migrates bool   // the later one migrates the database of the earlier one

	starts, serves              atomic.Bool // the later one
	mu                          sync.Mutex
	signIns, refreshes, stopped int
}

// laterConfig is the config file of the earlier one at another address to listen at.
func (b *besides) laterConfig() string {
	b.t.Helper()
	listen := func(at string) string { return `"listen":"` + strings.TrimPrefix(at, "http://") }
	path := filepath.Join(b.folder, "later.json")
	ok(b.t, os.WriteFile(path, []byte(strings.Replace(read(b.t, b.config()), listen(b.this), listen(b.later), 1)), 0o600))
	return path
}

// serve refreshes at one version, once both serve, and presents the token at the other, again and again,
// and sometimes signs in anew.
func (b *besides) serve(tokens issued) {
	for n, begun := 0, time.Now(); time.Since(begun) < *besideFor && !b.t.Failed(); n++ {
		at, other := b.this, b.this
		if b.serves.Load() {
			if n%20 == 0 {
				tokens = b.signIn(b.later)
				b.count(&b.signIns)
			}
			if other = b.later; n%2 == 1 {
				at, other = other, at
			}
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

// isStopped reports that a version says that the database is not for it any more.
func (b *besides) isStopped(at string, status int) bool {
	stopped := b.migrates && b.starts.Load() && at == b.this && status == http.StatusServiceUnavailable
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

// schemaOf returns the number of the schema that a program says it has.
func schemaOf(t *testing.T, path string) (number int) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), path, "-version").Output()
	ok(t, err)
	said := versionOf.FindSubmatch(out)
	if said == nil {
		t.Fatalf("-version says %q", out)
	}
	number, err = strconv.Atoi(string(said[1]))
	ok(t, err)
	return number
}

// buildRevision builds the quickstart of a revision, changed.
func buildRevision(t *testing.T, revision string, change func(tree string)) (program string) {
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
	change(tree)
	program = filepath.Join(t.TempDir(), "bonafide")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, "./examples/quickstart")
	build.Dir = tree
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", revision, err, out)
	}
	return program
}

// addMigration gives a checkout the migration that the next release could have.
func addMigration(t *testing.T, tree string) {
	t.Helper()
	next := sqlstore.SchemaVersion + 1
	migration := filepath.Join(tree, "storage/sqlstore/migrations", fmt.Sprintf("%04d_next.sql", next))
	ok(t, os.WriteFile(migration, []byte("ALTER TABLE grants ADD COLUMN next INTEGER NOT NULL DEFAULT 7;\n"), 0o600))
	number := filepath.Join(tree, "storage/sqlstore/dialect.go")
	ok(t, os.WriteFile(number, schemaSaid.ReplaceAll([]byte(read(t, number)), fmt.Appendf(nil, "const SchemaVersion = %d", next)), 0o600))
}

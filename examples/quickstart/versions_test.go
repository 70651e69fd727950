package main

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/internal/freeport"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// earlierPrograms are commits of programs that may run when this one is put in their place:
// the first that had a schema, and the last whose schema was the fifth. From the sixth on a
// program notices by itself.
var earlierPrograms = map[string]string{
	"First": "fc1aa5fe394e6e12e8f5af175fb12086daad4510",
	"Fifth": "ada4b92ec65fbc06ced924b370b0bdfd924a2e95",
}

// TestAnEarlierProgramBesideThisOne runs two versions on one database. Nobody should, but who
// upgrades does so for a moment, or by mistake.
func TestAnEarlierProgramBesideThisOne(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs of the past")
	}
	for name, commit := range earlierPrograms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			earlier := buildEarlier(t, commit)
			t.Run("KeepsItsDatabaseWhenThisOneBacksUp", func(t *testing.T) { testBackupOfEarlier(t, earlier) })
			t.Run("AnswersNothingWrong", func(t *testing.T) { testEarlierAnswers(t, earlier) })
		})
	}
}

// testBackupOfEarlier copies a database with this program while an earlier one serves it, and
// starts the earlier one on the copy.
func testBackupOfEarlier(t *testing.T, earlier string) {
	v := newVersions(t, "")
	stop := v.launch(exec.CommandContext(t.Context(), earlier, "-config", v.config(v.earlier)))
	backup := filepath.Join(v.folder, "backup")
	this := func(args ...string) (string, error) {
		out, err := program(t, append([]string{"-config", v.config(v.this)}, args...)...).CombinedOutput()
		return string(out), err
	}
	if said, err := this("-backup", backup); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, command := range [][]string{{"-revoke-keys"}, {"-revoke-before", "2026-01-02T15:04:05Z"}} {
		if said, err := this(command...); err == nil || !strings.Contains(said, "-init") {
			t.Errorf("%v: %v: %s", command, err, said)
		}
	}
	v.signIn(v.earlier)
	stop()
	data := filepath.Join(v.folder, "data")
	for _, name := range []string{databaseName, databaseName + "-wal", databaseName + "-shm"} {
		if err := os.Remove(filepath.Join(data, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(backup, databaseName), filepath.Join(data, databaseName)); err != nil {
		t.Fatal(err)
	}
	defer v.launch(exec.CommandContext(t.Context(), earlier, "-config", v.config(v.earlier)))()
	v.signIn(v.earlier)
}

// testEarlierAnswers starts this program while an earlier one serves the database. From then on
// the earlier one says that something is wrong with it, and takes nothing for what it is not: no
// right password for a wrong one, no account for none, no token for one that is over.
func testEarlierAnswers(t *testing.T, earlier string) {
	database := pgtest.Shared(t).Schema(t)
	v := newVersions(t, database)
	defer v.launch(exec.CommandContext(t.Context(), earlier, "-config", v.config(v.earlier)))()
	issued := v.signIn(v.earlier)
	before := v.accounts(database)

	defer v.launch(program(t, "-config", v.config(v.this)))()
	for what, ask := range map[string]func() int{
		"userinfo": func() int { return v.userinfoIsRefused(v.earlier, issued.Access, http.StatusInternalServerError) },
		"a refresh": func() int {
			status, _ := v.token(v.earlier, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {issued.Refresh}})
			return status
		},
		"a sign-in with the right password": func() int {
			b := browser.New(t)
			b.Open(v.earlier + "/signin")
			b.Submit("email", "maria@example.com", "password", mariaPassword)
			return b.Status
		},
		"a sign-up with an address that has an account": func() int {
			b := browser.New(t)
			b.Open(v.earlier + "/signup")
			b.Submit("email", "maria@example.com", "new_password", "plum-harbor-sings-late")
			return b.Status
		},
	} {
		if status := ask(); status < http.StatusInternalServerError {
			t.Errorf("the earlier program answers %s with %d", what, status)
		}
	}
	if after := v.accounts(database); after != before {
		t.Errorf("there are %d accounts, before there were %d", after, before)
	}
	later := v.signIn(v.this)
	if status, refreshed := v.token(v.this, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {later.Refresh}}); status != http.StatusOK {
		t.Errorf("this program answers a refresh with %d (%+v)", status, refreshed)
	}
}

// TestALaterProgramBesideThisOne has another version migrate the database of this program, which
// says so within two seconds, as a service that cannot answer.
func TestALaterProgramBesideThisOne(t *testing.T) {
	database := pgtest.Shared(t).Schema(t)
	v := newVersions(t, database)
	defer v.launch(program(t, "-config", v.config(v.this)))()
	issued := v.signIn(v.this)
	v.exec(database, `UPDATE schema_version SET version = version + 1`)
	v.userinfoIsRefused(v.this, issued.Access, http.StatusServiceUnavailable)
	status, _ := v.token(v.this, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {issued.Refresh}})
	if status != http.StatusServiceUnavailable {
		t.Errorf("a refresh is answered with %d", status)
	}
	b := browser.New(t)
	b.Open(v.this + "/signin")
	b.Submit("email", "maria@example.com", "password", mariaPassword)
	if b.Status != http.StatusServiceUnavailable {
		t.Errorf("a sign-in is answered with %d", b.Status)
	}
	v.exec(database, fmt.Sprintf(`UPDATE schema_version SET version = %d`, sqlstore.SchemaVersion))
}

// versions are two programs of one provider, each at an address of its own.
type versions struct {
	t             *testing.T
	folder        string
	earlier, this string // where they listen; the provider is at the first
	database      string // PostgreSQL, or else a file
}

func newVersions(t *testing.T, database string) versions {
	t.Helper()
	return versions{t, t.TempDir(), "http://" + freeport.Address(t), "http://" + freeport.Address(t), database}
}

// config writes the config file of one of them, of keys that all versions know.
func (v versions) config(listen string) string {
	v.t.Helper()
	tree := map[string]any{
		"listen": strings.TrimPrefix(listen, "http://"), "base_url": v.earlier,
		"users": []any{map[string]any{"email": "maria@example.com", "password": mariaPassword}},
		"clients": []any{map[string]any{
			"client_id": "app", "client_secret": appSecret, "dialect": "standard", "skip_consent": true,
			"redirect_uris": []string{v.earlier + "/callback", v.this + "/callback"}, "grant_types": []string{"authorization_code", "refresh_token"},
		}},
	}
	if v.database != "" {
		tree["database"] = v.database
	}
	text, err := json.Marshal(tree)
	if err != nil {
		v.t.Fatal(err)
	}
	name := "earlier.json"
	if listen == v.this {
		name = "this.json"
	}
	path := filepath.Join(v.folder, name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		v.t.Fatal(err)
	}
	return path
}

// launch starts a program and waits until it serves; it returns how to end it.
func (v versions) launch(command *exec.Cmd) (stop func()) {
	v.t.Helper()
	var said strings.Builder
	command.Stderr = &said
	out, err := command.StdoutPipe()
	if err != nil {
		v.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		v.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, "provider ") {
		_ = command.Wait()
		v.t.Fatalf("%s does not start: %s", command.Path, said.String())
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
		if v.t.Failed() {
			v.t.Logf("%s said:\n%s", command.Path, said.String())
		}
	}
}

// issued is what an application gets.
type issued struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Error   string `json:"error"`
}

// signIn signs maria in at one of the programs.
func (v versions) signIn(at string) issued {
	v.t.Helper()
	callback := at + "/callback"
	b := browser.New(v.t)
	b.Open(at + "/oauth/authorize?" + url.Values{
		"client_id": {"app"}, "redirect_uri": {callback}, "response_type": {"code"}, "scope": {"openid"},
	}.Encode())
	b.Submit("email", "maria@example.com", "password", mariaPassword)
	status, tokens := v.token(at, url.Values{
		"grant_type": {"authorization_code"}, "code": {b.URL.Query().Get("code")}, "redirect_uri": {callback},
	})
	if status != http.StatusOK || tokens.Access == "" || tokens.Refresh == "" {
		v.t.Fatalf("no tokens (%d, %+v) after %s\n%s", status, tokens, b.URL, b.Body)
	}
	return tokens
}

func (v versions) token(at string, form url.Values) (int, issued) {
	v.t.Helper()
	response := operated{t: v.t, folder: v.folder, base: at}.post("/oauth/token", form)
	defer response.Body.Close()
	var tokens issued
	_ = json.NewDecoder(response.Body).Decode(&tokens) // the status tells
	return response.StatusCode, tokens
}

func (v versions) userinfo(at, token string) int {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, at+"/api/public/v3/userinfo", nil)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response := operated{t: v.t}.do(r)
	defer response.Body.Close()
	return response.StatusCode
}

// userinfoIsRefused asks until the answer is of the kind wanted, for two seconds: a program
// remembers for one.
func (v versions) userinfoIsRefused(at, token string, want int) (status int) {
	v.t.Helper()
	for begun := time.Now(); ; {
		asked := time.Now()
		if status = v.userinfo(at, token); status == want {
			return status
		}
		if asked.Sub(begun) > 2*time.Second {
			v.t.Errorf("userinfo is answered with %d after two seconds, want %d", status, want)
			return status
		}
	}
}

func (v versions) accounts(database string) (n int) {
	v.t.Helper()
	db, err := sql.Open("pgx", database)
	if err != nil {
		v.t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(v.t.Context(), `SELECT count(*) FROM accounts`).Scan(&n); err != nil {
		v.t.Fatal(err)
	}
	return n
}

func (v versions) exec(database, statement string) {
	v.t.Helper()
	db, err := sql.Open("pgx", database)
	if err != nil {
		v.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(v.t.Context(), statement); err != nil {
		v.t.Fatal(err)
	}
}

// buildEarlier builds the quickstart as it was at a commit.
func buildEarlier(t *testing.T, commit string) (program string) {
	t.Helper()
	folder := t.TempDir()
	run := func(dir, name string, args ...string) (string, error) {
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	must := func(dir, name string, args ...string) {
		t.Helper()
		if said, err := run(dir, name, args...); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, said)
		}
	}
	if _, err := run(".", "git", "cat-file", "-e", commit+"^{commit}"); err != nil {
		if shallow, err := run(".", "git", "rev-parse", "--is-shallow-repository"); os.Getenv("CI") != "" && err == nil && shallow == "false" {
			t.Fatalf("the repository has no commit %s", commit)
		}
		t.Skipf("builds commit %s, which this copy of the repository does not have", commit)
	}
	root, err := run(".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Fatal(err)
	}
	archive, source := filepath.Join(folder, "source.tar"), filepath.Join(folder, "source")
	program = filepath.Join(folder, "quickstart")
	if err := os.Mkdir(source, 0o700); err != nil {
		t.Fatal(err)
	}
	must(root, "git", "archive", "--output", archive, commit)
	must(source, "tar", "xf", archive)
	must(source, "go", "build", "-trimpath", "-o", program, "./examples/quickstart")
	return program
}

package main

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
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
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// TestALaterProgramBesideThisOne has another version migrate the database of this program, which
// says so within two seconds, as a service that cannot answer.
func TestALaterProgramBesideThisOne(t *testing.T) {
	database := pgtest.Shared(t).Schema(t)
	v := newVersions(t, database)
	defer v.launch(program(t, "-config", v.config()))()
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

// versions is this program, beside one that has migrated its database.
type versions struct {
	t        *testing.T
	folder   string
	this     string // where it listens
	database string // PostgreSQL
}

func newVersions(t *testing.T, database string) versions {
	t.Helper()
	return versions{t, t.TempDir(), "http://" + providertest.FreeAddress(t), database}
}

// config writes the config file.
func (v versions) config() string {
	v.t.Helper()
	tree := map[string]any{
		"listen": strings.TrimPrefix(v.this, "http://"), "base_url": v.this, "database": v.database,
		"users": []any{map[string]any{"email": "maria@example.com", "password": mariaPassword}},
		"clients": []any{map[string]any{
			"client_id": "app", "client_secret": appSecret, "dialect": "standard", "skip_consent": true,
			"redirect_uris": []string{v.this + "/callback"}, "grant_types": []string{"authorization_code", "refresh_token"},
		}},
	}
	text, err := json.Marshal(tree)
	ok(v.t, err)
	path := filepath.Join(v.folder, "this.json")
	ok(v.t, os.WriteFile(path, text, 0o600))
	return path
}

// launch starts a program and waits until it serves; it returns how to end it.
func (v versions) launch(command *exec.Cmd) (stop func()) {
	v.t.Helper()
	var said strings.Builder
	command.Stderr = &said
	out, err := command.StdoutPipe()
	ok(v.t, err)
	ok(v.t, command.Start())
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

// signIn signs maria in.
func (v versions) signIn(at string) issued {
	v.t.Helper()
	callback := v.this + "/callback"
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
	ok(v.t, err)
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

func (v versions) exec(database, statement string) {
	v.t.Helper()
	db, err := sql.Open("pgx", database)
	ok(v.t, err)
	defer db.Close()
	must(db.ExecContext(v.t.Context(), statement))(v.t)
}

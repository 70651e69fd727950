package main

import (
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/storage"
)

const appSecret = "a secret of the app 0123456789abcdef"

// operated is a folder with a config file, at an address that stays: tokens are good
// at one issuer only.
type operated struct {
	t            *testing.T
	folder, base string
	typed        string // what is written to standard input
}

func operate(t *testing.T) operated {
	t.Helper()
	address := providertest.FreeAddress(t)
	o := operated{t: t, folder: t.TempDir(), base: "http://" + address}
	text := fmt.Sprintf(`{"listen": %q, "base_url": %q, "sandbox": {},
		"users": [{"email": "maria@example.com", "password": %q}],
		"clients": [{"client_id": "app", "client_secret": %q, "dialect": "standard",
			"redirect_uris": [%q], "skip_consent": true}]}`,
		address, o.base, mariaPassword, appSecret, o.base+"/callback")
	o.write(text)
	return o
}

func (o operated) path(name string) string { return filepath.Join(o.folder, name) }

func (o operated) start() *running {
	o.t.Helper()
	text, err := os.ReadFile(o.path("service.json"))
	ok(o.t, err)
	return startService(o.t, o.folder, string(text))
}

// command runs the quickstart as the command line does.
func (o operated) command(args ...string) (printed string, err error) {
	out := &output{}
	err = run(o.t.Context(), append([]string{"-config", o.path("service.json")}, args...), strings.NewReader(o.typed), out)
	return out.String(), err
}

func (o operated) must(args ...string) string {
	o.t.Helper()
	printed, err := o.command(args...)
	if err != nil {
		o.t.Fatalf("%v: %v", args, err)
	}
	return printed
}

// token signs maria in and returns an access token for her.
func (o operated) token() string {
	o.t.Helper()
	b := browser.New(o.t)
	b.Open(o.base + "/oauth/authorize?" + url.Values{
		"client_id": {"app"}, "redirect_uri": {o.base + "/callback"}, "response_type": {"code"}, "scope": {"openid"},
	}.Encode())
	b.Submit("email", "maria@example.com", "password", mariaPassword)
	response := o.post("/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {b.URL.Query().Get("code")}, "redirect_uri": {o.base + "/callback"},
	})
	defer response.Body.Close()
	var tokens struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&tokens); err != nil || tokens.AccessToken == "" {
		o.t.Fatalf("no token (%s, %v) after %s\n%s", response.Status, err, b.URL, b.Body)
	}
	return tokens.AccessToken
}

func (o operated) post(path string, form url.Values) *http.Response {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.base+path, strings.NewReader(form.Encode()))
	ok(o.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth("app", url.QueryEscape(appSecret))
	return o.do(r)
}

func (o operated) do(r *http.Request) *http.Response {
	o.t.Helper()
	response, err := http.DefaultClient.Do(r)
	ok(o.t, err)
	return response
}

// accepts reports whether userinfo answers a token.
func (o operated) accepts(token string) bool {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodGet, o.base+"/api/public/v3/userinfo", nil)
	ok(o.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	response := o.do(r)
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// write saves registrations one after the other until the returned function is
// called.
func write(t *testing.T, p *provider.Provider) (stop func()) {
	t.Helper()
	enough := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-enough:
				return
			default:
			}
			err := p.Clients().Save(t.Context(), provider.Client{
				ID: fmt.Sprint("app-", i), Dialect: provider.V3, RedirectURIs: []string{"https://app.example/callback"},
			})
			if err != nil {
				t.Errorf("write beside the backup: %v", err)
				return
			}
		}
	})
	return func() { close(enough); writing.Wait() }
}

func TestABackupIsRestoredAndWhatWasIssuedBeforeIsEnded(t *testing.T) {
	o := operate(t)
	s := o.start()
	token := o.token()
	stop := write(t, s.providers[0].Provider)
	o.must("-backup", o.path("backup"))
	stop()
	if response := o.post("/oauth/revoke", url.Values{"token": {token}}); response.StatusCode != http.StatusOK {
		t.Fatalf("revoke: %s", response.Status)
	}
	if o.accepts(token) {
		t.Fatal("a revoked token is good")
	}
	ok(t, s.stop())

	for _, database := range []string{"identity.db", "sandbox/identity.db"} {
		checkIntegrity(t, filepath.Join(o.path("backup"), database))
		for _, leftOver := range []string{"-wal", "-shm"} {
			_ = os.Remove(filepath.Join(o.path("data"), database) + leftOver)
		}
		ok(t, os.Rename(filepath.Join(o.path("backup"), database), filepath.Join(o.path("data"), database)))
	}
	o.start()
	if !o.accepts(token) {
		t.Fatal("the backup does not hold the token that was issued before it")
	}
	restored := time.Now().UTC()
	o.must("-revoke-before", restored.Format(time.RFC3339Nano))
	for ended, presented := time.Now(), time.Now(); o.accepts(token); presented = time.Now() {
		if presented.Sub(ended) > time.Second { // for which the service remembers it
			t.Fatal("a token from before the restore is still good after a second")
		}
	}
	if !o.accepts(o.token()) {
		t.Error("a token that was issued since is refused")
	}
}

func checkIntegrity(t *testing.T, path string) {
	t.Helper()
	db := must(sql.Open("sqlite3", "file:"+path+"?mode=ro"))(t)
	defer db.Close()
	var finding string
	if err := db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&finding); err != nil || finding != "ok" {
		t.Errorf("%s: %q, %v", path, finding, err)
	}
}

func TestABackupIsForTheOwnerOnlyAndHoldsNoSecret(t *testing.T) {
	o := operate(t)
	ok(t, o.start().stop())
	printed := o.must("-backup", o.path("backup"))
	for path, mode := range map[string]os.FileMode{
		"backup": 0o700, "backup/sandbox": 0o700, "backup/identity.db": 0o600, "backup/sandbox/identity.db": 0o600,
	} {
		info := must(os.Stat(o.path(path)))(t)
		if info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if !info.IsDir() && !strings.Contains(printed, o.path(path)) {
			t.Errorf("%s is not named in:\n%s", path, printed)
		}
	}
	if _, err := os.Stat(o.path("backup/secret")); !os.IsNotExist(err) {
		t.Errorf("the secret that opens the backup lies beside it (%v)", err)
	}
	if _, err := o.command("-backup", o.path("backup")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second backup to the same place: error is %v", err)
	}
}

// keys returns who signs, as applications find it.
func (o operated) keys(path string) string {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodGet, o.base+path+"/oidc/.well-known/jwks", nil)
	ok(o.t, err)
	response := o.do(r)
	defer response.Body.Close()
	var set struct {
		Keys []struct {
			ID string `json:"kid"`
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&set); err != nil || len(set.Keys) == 0 {
		o.t.Fatalf("%s%s: keys %v, %v", o.base, path, set.Keys, err)
	}
	var ids []string
	for _, key := range set.Keys {
		ids = append(ids, key.ID)
	}
	return strings.Join(ids, " ")
}

// sealed reports how many secrets seal what an environment keeps, and how many signing
// keys there are.
func (o operated) sealed(database string) (bySecrets, keys int) {
	o.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(o.path("data"), database)+"?mode=ro")
	ok(o.t, err)
	defer db.Close()
	err = db.QueryRowContext(o.t.Context(), `SELECT count(DISTINCT substr(sealed, 2, 4)), (SELECT count(*) FROM keys)
		FROM (SELECT sealed FROM keys UNION ALL SELECT data_keys FROM installation)`).Scan(&bySecrets, &keys)
	ok(o.t, err)
	return bySecrets, keys
}

func TestTheSecretIsChanged(t *testing.T) {
	o := operate(t)
	s := o.start()
	token := o.token()
	ok(t, s.stop())
	former, err := os.ReadFile(o.path("data/secret"))
	ok(t, err)
	var next [32]byte
	_, _ = rand.Read(next[:])
	if err := errors.Join(
		os.WriteFile(o.path("data/secret.previous"), former, 0o600),
		os.WriteFile(o.path("data/secret"), []byte(base64.StdEncoding.EncodeToString(next[:])+"\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	s = o.start()
	if !o.accepts(token) {
		t.Error("a token that was issued under the former secret is refused")
	}
	for deadline := time.Now().Add(5 * time.Minute); ; { // until the next key is there, and all is sealed anew
		if by, keys := o.sealed("identity.db"); by == 1 && keys == 2 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("what the former secret has sealed is not sealed anew")
		}
	}
	ok(t, errors.Join(s.stop(), os.Remove(o.path("data/secret.previous"))))
	o.start()
	if !o.accepts(o.token()) {
		t.Error("nobody can sign in")
	}
}

// TestAStartThatIsRefusedHasChangedNothing has a file that would change production, and a sandbox with
// a database that is not its own.
func TestAStartThatIsRefusedHasChangedNothing(t *testing.T) {
	o := operate(t)
	ok(t, o.start().stop())
	text := must(os.ReadFile(o.path("service.json")))(t)
	o.write(strings.Replace(string(text), mariaPassword, "another-"+mariaPassword, 1))
	before := o.content("data/identity.db")
	secret := o.content("data/sandbox/secret")
	for _, c := range []struct{ secret, issuer, says string }{
		{"bm90aGluZyBidXQgYW4gb3RoZXIgc2VjcmV0IGhlcmUuLi4=", "", "sealed under another secret"},
		{secret, "https://other.test/oidc", "belongs to the issuer https://other.test/oidc"},
	} {
		ok(t, os.WriteFile(o.path("data/sandbox/secret"), []byte(c.secret), 0o600))
		if c.issuer != "" {
			o.exec("data/sandbox/identity.db", `UPDATE installation SET issuer = '`+c.issuer+`'`)
		}
		cfg := must(loadConfig(o.path("service.json")))(t)
		s, err := open(t.Context(), cfg, io.Discard, slog.New(slog.DiscardHandler))
		if err == nil {
			_ = s.close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), "sandbox.") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error is %v, want %q", err, c.says)
		}
		if o.content("data/identity.db") != before {
			t.Error("production has changed")
		}
	}
}

func (o operated) content(path string) string {
	o.t.Helper()
	content, err := os.ReadFile(o.path(path))
	ok(o.t, err)
	return string(content)
}

func TestRevokedKeysAreReplacedInEachEnvironment(t *testing.T) {
	o := operate(t)
	s := o.start()
	former := []string{o.keys(""), o.keys("/sandbox")}
	if printed := o.must("-revoke-keys"); strings.Count(printed, "revoked") != 2 { // beside the service
		t.Errorf("it says:\n%s", printed)
	}
	ok(t, s.stop())
	o.start()
	for i, path := range []string{"", "/sandbox"} {
		if o.keys(path) == former[i] {
			t.Errorf("%q: the key that was revoked signs", path)
		}
	}
	if !o.accepts(o.token()) {
		t.Error("nobody can sign in")
	}
	if _, err := o.command("-revoke-keys", "-revoke-before", "2026-01-02T15:04:05Z"); err == nil {
		t.Error("two commands are taken for one")
	}
}

func TestNextKeyIsMadeBeforeItsTime(t *testing.T) {
	o := operate(t)
	o.start()
	former := []string{o.keys(""), o.keys("/sandbox")}
	if printed := o.must("-rotate-keys"); strings.Count(printed, "signs in a day") != 2 { // beside the service
		t.Errorf("it says:\n%s", printed)
	}
	if printed := o.must("-rotate-keys"); strings.Count(printed, "nothing is done") != 2 {
		t.Errorf("once more, it says:\n%s", printed)
	}
	for i, path := range []string{"", "/sandbox"} {
		if now := o.keys(path); !strings.HasPrefix(now, former[i]) {
			t.Errorf("%q: the key of before is gone: %s, now %s", path, former[i], now)
		}
	}
	if printed := o.must("-rotate-data-key"); strings.Count(printed, "data key 2 is made") != 2 {
		t.Errorf("it says:\n%s", printed)
	}
	if printed := o.must("-rotate-data-key"); strings.Count(printed, "nothing is done") != 2 {
		t.Errorf("once more, it says:\n%s", printed)
	}
	o.must("-revoke-before", "2026-01-02T15:04:05Z")
	o.must("-revoke-keys")
	db := must(sql.Open("sqlite3", o.path("data/"+databaseName)))(t)
	defer func() { _ = db.Close() }()
	for _, name := range []string{"key_rotated", "revoked", "keys_revoked"} {
		var by string
		if err := db.QueryRowContext(t.Context(), `SELECT actor FROM events WHERE name = ? ORDER BY id DESC`, name).Scan(&by); err != nil || by != actor() {
			t.Errorf("%s by %q, %v", name, by, err)
		}
	}
}

func TestMaintenanceMakesNothingWhereNothingIs(t *testing.T) {
	o := operate(t)
	for _, args := range [][]string{{"-backup", o.path("backup")}, {"-revoke-before", "2026-01-02T15:04:05Z"}, {"-revoke-keys"}} {
		if _, err := o.command(args...); err == nil || !strings.Contains(err.Error(), "data:") {
			t.Errorf("%v: error is %v", args, err)
		}
	}
	for _, made := range []string{"data", "backup"} {
		if _, err := os.Stat(o.path(made)); !os.IsNotExist(err) {
			t.Errorf("%s was made (%v)", made, err)
		}
	}
	if _, err := o.command("-revoke-before", "yesterday"); err == nil {
		t.Error("yesterday is taken for a moment")
	}
}

// TestMaintenanceOfAnUnreleasedVersion tests that the commands of this program leave a database
// from before the first release as it is.
func TestMaintenanceOfAnUnreleasedVersion(t *testing.T) {
	o := operate(t)
	ok(t, o.start().stop())
	earlier := o.version("data/identity.db") - 1
	for _, database := range []string{"data/identity.db", "data/sandbox/identity.db"} {
		o.exec(database, fmt.Sprintf(`UPDATE schema_version SET version = %d`, earlier))
	}
	t.Run("IsCopiedAsItIs", func(t *testing.T) {
		o.must("-backup", o.path("backup"))
		for _, database := range []string{"backup/identity.db", "backup/sandbox/identity.db"} {
			if got := o.version(database); got != earlier {
				t.Errorf("%s has version %d of the schema, want %d", database, got, earlier)
			}
		}
	})
	for _, args := range [][]string{{"-rotate-keys"}, {"-rotate-data-key"}, {"-revoke-keys"}, {"-revoke-before", "2026-01-02T15:04:05Z"}} {
		t.Run("IsRefused"+args[0], func(t *testing.T) {
			if _, err := o.command(args...); !errors.Is(err, storage.ErrUnreleasedSchema) {
				t.Errorf("error is %v", err)
			}
		})
	}
	if got := o.version("data/identity.db"); got != earlier {
		t.Errorf("the database has version %d of the schema, want %d", got, earlier)
	}
}

// version returns which schema a database has.
func (o operated) version(database string) (version int) {
	o.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+o.path(database)+"?mode=ro")
	ok(o.t, err)
	defer db.Close()
	ok(o.t, db.QueryRowContext(o.t.Context(), `SELECT version FROM schema_version`).Scan(&version))
	return version
}

func (o operated) exec(database, statement string) {
	o.t.Helper()
	db, err := sql.Open("sqlite3", o.path(database))
	ok(o.t, err)
	defer db.Close()
	must(db.ExecContext(o.t.Context(), statement))(o.t)
}

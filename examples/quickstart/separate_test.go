package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// refusal opens a config that must be refused, and returns why.
func refusal(t *testing.T, folder, text string) string {
	t.Helper()
	cfg, err := parseConfig([]byte(text), folder)
	if err != nil {
		return err.Error()
	}
	s, err := open(t.Context(), cfg, &output{}, testLog(t))
	if err != nil {
		return err.Error()
	}
	_ = s.close()
	t.Errorf("%s: is accepted", text)
	return ""
}

func TestSandboxInThePlaceOfProductionIsRefused(t *testing.T) {
	folder := t.TempDir()
	for _, err := range []error{
		os.Mkdir(filepath.Join(folder, "real"), 0o700), os.Mkdir(filepath.Join(folder, "links"), 0o700),
		os.Mkdir(filepath.Join(folder, "copy"), 0o700), os.Symlink("real", filepath.Join(folder, "alias")),
		os.WriteFile(filepath.Join(folder, "real", secretName), []byte("c2VjcmV0\n"), 0o600),
		os.WriteFile(filepath.Join(folder, "copy", secretName), []byte("c2VjcmV0"), 0o600),
		os.WriteFile(filepath.Join(folder, "real", databaseName), []byte("a database"), 0o600),
		os.Symlink("../real/identity.db", filepath.Join(folder, "links", databaseName)),
	} {
		ok(t, err)
	}
	const base = `"listen": "127.0.0.1:0", "base_url": "http://localhost:8080"`
	for text, want := range map[string]string{
		base + `, "sandbox": {"data": "data"}`:                                                                                                                              "sandbox.data: is the folder of production",
		base + `, "sandbox": {"data": "x/../data/."}`:                                                                                                                       "sandbox.data: is the folder of production",
		base + `, "data": "real", "sandbox": {"data": "alias"}`:                                                                                                             "sandbox.data: is the folder of production",
		base + `, "data": "real/new", "sandbox": {"data": "alias/new"}`:                                                                                                     "sandbox.data: is the folder of production",
		base + `, "evidence": "data/sandbox/evidence", "sandbox": {}`:                                                                                                       "sandbox.evidence: is the folder of production",
		base + `, "data": "real", "sandbox": {"data": "links"}`:                                                                                                             "is the database of production",
		base + `, "data": "real", "sandbox": {"data": "copy"}`:                                                                                                              "is a copy of the secret of production",
		base + `, "database": "postgres://a@db/id", "sandbox": {"database": "postgres://b:p@DB:5432/id?sslmode=disable"}`:                                                   "sandbox.database: is that of production",
		base + `, "database": "host=db dbname=id", "sandbox": {"database": "host=db dbname=id"}`:                                                                            "sandbox.database: is that of production",
		base + `, "sandbox": {"base_url": "http://localhost:8080"}`:                                                                                                         "sandbox.base_url: is that of production",
		base + `, "sandbox": {"base_url": "http://LOCALHOST:8080/"}`:                                                                                                        "sandbox.base_url: is that of production",
		base + `, "sandbox": {"base_url": "http://localhost:8081"}`:                                                                                                         "in its port only",
		base + `, "sandbox": {"base_url": "http://localhost:8081/sandbox"}`:                                                                                                 "in its port only",
		base + `, "sandbox": {"base_url": "http://localhost"}`:                                                                                                              "in its port only",
		base + `, "sandbox": {"base_url": "http://localhost:8080/oauth"}`:                                                                                                   "/oauth is taken",
		base + `, "sandbox": {"base_url": "http://localhost:8080/developer"}`:                                                                                               "/developer is taken",
		base + `, "desk": {"anchor": "real"}, "sandbox": {"desk": {"anchor": "alias"}}`:                                                                                     "sandbox.desk.anchor: is the folder of production",
		base + `, "sandbox": {"base_url": "http://localhost:8080/desk"}`:                                                                                                    "/desk is taken",
		base + `, "sandbox": {"base_url": "http://localhost:8080/verification/x"}`:                                                                                          "/verification/x is taken",
		base + `, "sandbox": {"base_url": "http://localhost:8080/device"}`:                                                                                                  "/device is taken",
		base + `, "sandbox": {"base_url": "http://localhost:8080/.well-known"}`:                                                                                             "/.well-known is taken",
		base + `, "sandbox": {"base_url": "http://localhost:8080/account/apps"}`:                                                                                            "/account/apps is taken",
		`"listen": "127.0.0.1:0", "base_url": "https://x.test/id", "sandbox": {"base_url": "https://x.test/id/oidc"}`:                                                       "/id/oidc is taken",
		`"listen": "127.0.0.1:0", "base_url": "https://x.test/api", "sandbox": {"base_url": "https://x.test"}`:                                                              "/api is taken",
		`"listen": "127.0.0.1:0", "base_url": "https://x.test", "sandbox": {"base_url": "https://x.test:8443"}`:                                                             "in its port only",
		base + `, "sample_client": {"listen": "127.0.0.1:0", "base_url": "http://localhost:8080"}`:                                                                          "sample_client.base_url: is at the address of the provider",
		`"listen": "127.0.0.1:0", "base_url": "https://x.test", "users": [{"email": "a@x.test", "password": "quiet-otter-paints-dawn"}]`:                                    "users[0].password: is that of quickstart.json",
		`"listen": "127.0.0.1:0", "base_url": "https://x.test", "clients": [{"client_id": "a", "dialect": "v3", "client_secret": "nightly-stock-list-of-the-sample-shop"}]`: "clients[0].client_secret: is that of quickstart.json",
		base + `, "sandbox": {"previous_base_urls": ["http://localhost:8080"]}`:                                                                                             "sandbox.previous_base_urls: has the address of production",
		base + `, "previous_base_urls": ["http://localhost:8080/sandbox"], "sandbox": {}`:                                                                                   "previous_base_urls: has the address of the sandbox",
		base + `, "sample_client": {"listen": "127.0.0.1:0", "base_url": "nowhere"}`:                                                                                        "sample_client.base_url: ",
	} {
		if got := refusal(t, folder, "{"+text+"}"); !strings.Contains(got, want) {
			t.Errorf("%s: error is %q, want %s", text, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "data")); !os.IsNotExist(err) {
		t.Errorf("a refused config has made data (%v)", err)
	}
}

func TestDatabaseOfProductionUnderAnotherNameIsRefused(t *testing.T) {
	one := pgtest.Shared(t).Schema(t)
	other := strings.Replace(one, "&search_path", "%2F.&search_path", 1) // /. behind the folder of its socket
	if other == one || sameDatabase(one, other) {
		t.Skipf("%s has no second name", one)
	}
	folder := t.TempDir()
	copied := func() { // the secret, too
		text, err := os.ReadFile(filepath.Join(folder, "data", secretName))
		if err == nil {
			err = os.MkdirAll(filepath.Join(folder, "sandbox"), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, "sandbox", secretName), append(text, '\n'), 0o600)
		}
		ok(t, err)
	}
	production := fmt.Sprintf(`"listen": "127.0.0.1:0", "base_url": "https://x.test", "database": %q`, one)
	ok(t, startService(t, folder, "{"+production+"}").stop())
	sandbox := fmt.Sprintf(`, "sandbox": {"data": "sandbox", "database": %q}}`, other)
	for _, want := range []string{"sandbox.database: there is a database, but not the secret", "is a copy of the secret of production"} {
		if got := refusal(t, folder, "{"+production+sandbox); !strings.Contains(got, want) {
			t.Errorf("error is %q, want %s", got, want)
		}
		copied()
	}
	// Not even alone, where there is no production to compare it with.
	alone := fmt.Sprintf(`{"listen": "127.0.0.1:0", "base_url": "https://x.test/sandbox", "data": "sandbox", "database": %q}`, other)
	if got, want := refusal(t, folder, alone), "base_url: the database belongs to the issuer https://x.test/oidc"; !strings.Contains(got, want) {
		t.Errorf("error is %q, want %s", got, want)
	}
}

func TestSandboxBesideProductionIsAccepted(t *testing.T) {
	for production, sandboxes := range map[string][]string{
		"https://x.test":    {"https://x.test/sandbox", "https://x.test/oauthtest", "https://sandbox.x.test", "https://sandbox.x.test:8443/oauth"},
		"https://x.test/id": {"https://x.test", "https://x.test/oauth", "https://x.test/id2", "https://x.test/id/test/oauth"},
	} {
		for _, sandbox := range sandboxes {
			if err := separateURLs(production, sandbox); err != nil {
				t.Errorf("%s and %s: %v", production, sandbox, err)
			}
		}
	}
	if sameDatabase("postgres://db/id?search_path=a", "postgres://db/id?search_path=b") || sameDatabase("postgres://db/a", "postgres://db/b") {
		t.Error("two schemas, or two databases, are taken for one")
	}
}

// TestPagesAreThoseOfTheProvider fails when the provider gets a page that a sandbox
// could be put over.
func TestPagesAreThoseOfTheProvider(t *testing.T) {
	files := []string{"../../provider/provider.go", "dashboard.go", "desk.go", "verification.go", "wallet.go"}
	for _, room := range []string{"account", "authflow", "fedcm", "oauth", "recovery", "resource", "security", "selfservice", "signin", "web"} {
		of := must(filepath.Glob("../../provider/internal/" + room + "/*.go"))(t)
		files = append(files, of...)
	}
	var found [][]string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source := must(os.ReadFile(file))(t)
		found = append(found, regexp.MustCompile(`"/([a-z.][a-z-]*)[/"]`).FindAllStringSubmatch(string(source), -1)...)
	}
	if len(found) < 20 {
		t.Fatalf("%d paths are in the rooms of the provider", len(found))
	}
	for _, path := range found {
		if !slices.Contains(pages, path[1]) {
			t.Errorf("%s is a page of the provider", path[0])
		}
	}
}

func TestRouter(t *testing.T) {
	named := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, name, " ", r.URL.Path) })
	}
	var told bytes.Buffer
	sites := func(production, sandbox string) *router {
		r := &router{log: slog.New(slog.NewTextHandler(&told, nil))}
		r.add(production, production, named("production"), "/account")
		r.add(sandbox, production, named("sandbox"), "/account")
		return r
	}
	nestedPath := sites("https://x.test", "https://x.test/sandbox")
	otherHost := sites("https://x.test", "https://test.x.test:8443")
	below := sites("https://x.test/id", "https://test.x.test/try")
	for _, test := range []struct {
		router       *router
		host, target string
		want         string
	}{
		{nestedPath, "x.test", "/signin", "production /signin"},
		{nestedPath, "proxy:8080", "/sandbox/signin", "sandbox /sandbox/signin"},
		{nestedPath, "x.test", "/sandboxed", "production /sandboxed"},
		{nestedPath, "x.test", "//sandbox/signin?access_token=AT", "production //sandbox/signin"},
		{nestedPath, "x.test", "/a/../sandbox/signin", "production /a/../sandbox/signin"},
		{nestedPath, "x.test", "/", "https://x.test/account"},
		{nestedPath, "x.test", "/sandbox", "https://x.test/sandbox/account"},
		{nestedPath, "x.test", "/sandbox/", "https://x.test/sandbox/account"},
		{otherHost, "x.test", "/signin", "production /signin"},
		{otherHost, "TEST.x.test.:8443", "/signin", "sandbox /signin"},
		{otherHost, "test.x.test", "/signin", "sandbox /signin"},
		{otherHost, "10.0.0.7:8080", "/signin", "production /signin"},
		{below, "test.x.test", "/id/signin", "404 page not found\n"},
		{below, "test.x.test", "/try/signin", "sandbox /try/signin"},
		{below, "x.test", "/try/signin", "404 page not found\n"},
		{below, "x.test", "/id/signin", "production /id/signin"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "http://"+test.host+"/", nil)
		path, query, _ := strings.Cut(test.target, "?")
		r.URL.Path, r.URL.RawQuery = path, query
		test.router.ServeHTTP(w, r)
		got := w.Body.String()
		if location := w.Header().Get("Location"); location != "" {
			got = location
		}
		if got != test.want {
			t.Errorf("%s%s: %q, want %q", test.host, test.target, got, test.want)
		}
	}
	if n := strings.Count(told.String(), "must keep the path of base_url"); n != 1 {
		t.Errorf("a proxy that strips the path is told of %d times:\n%s", n, told.String())
	}
}

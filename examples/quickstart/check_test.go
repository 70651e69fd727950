package main

import (
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/smtpmailer/mailtest"
)

func TestCheckSaysWhatWouldBeDoneAndDoesNothing(t *testing.T) {
	server := mailtest.Start(t, mailtest.Config{})
	folder := t.TempDir()
	path := filepath.Join(folder, "service.json")
	text := `{"listen": "127.0.0.1:1", "base_url": "https://id.x.test/id", "probe_listen": "127.0.0.1:2", "lifetimes": {"grant": "960h"},
		"database": "postgres://id:hidden-password@127.0.0.1:1/identity?password=hidden-too",
		"users": [{"email": "maria@example.com", "password": "hidden-word"}],
		"clients": [{"client_id": "shop", "dialect": "v3", "client_secret": "hidden-secret-of-shop-0123456789-abcdef", "redirect_uris": ["https://shop.test/"]}],
		"smtp": {"host": "127.0.0.1", "port": ` + strconv.Itoa(server.Port) + `, "from": "id@x.test", "username": "u", "password": "hidden-smtp"},
		"verification": {"verifiers": {"card": {"document": {"require": [{"name": "card", "title": {"text": "Card"}}]}}},
			"policies": [{"group": "student", "rule": "card"}]},
		"sandbox": {}}`
	ok(t, os.WriteFile(path, []byte(text), 0o600))
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	out := &output{}
	ok(t, run(t.Context(), []string{"-config", path, "-check"}, nil, out))
	for _, want := range []string{
		"provider https://id.x.test/id\n", "callers     share the limits of the proxy", "path        a proxy must keep /id:",
		"documents   have up to 8 MB", "sandbox https://id.x.test/id/sandbox\n", "postgres://127.0.0.1:1/identity\n",
		filepath.Join(folder, "data/sandbox/identity.db") + " will be made", "maria@example.com", "shop", "go to 127.0.0.1 from id@x.test",
		"http://127.0.0.1:2/ready", "stays in secret.previous for 40 days", "Nothing was changed",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not said:\n%s", want, out)
		}
	}
	if strings.Contains(out.String(), "hidden") {
		t.Errorf("a secret is told:\n%s", out)
	}
	if diff := cmp.Diff([]string{"service.json"}, names(t, folder)); diff != "" {
		t.Errorf("left behind (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{}, names(t, scratch)); diff != "" {
		t.Errorf("left behind in the temporary folder (-want +got):\n%s", diff)
	}
	if server.Connections() != 0 {
		t.Error("the mail server was asked")
	}
}

// A file with which no service can start is refused by -check, and by a start that leaves the database as it is.
func TestCheckFindsWhatAStartWould(t *testing.T) {
	folder := t.TempDir()
	ok(t, startService(t, folder, `{"listen": "127.0.0.1:0"}`).stop())
	before := contents(t, filepath.Join(folder, "data"))
	for text, want := range map[string]string{
		`{"users": [{"email": "a@x.test", "status": [{"group": "pilots"}]}]}`:               `users[0].status[0].group: "pilots"`,
		`{"clients": [{"client_id": "a", "dialect": "v3"}]}`:                                "clients[0].redirect_uris: ",
		`{"base_url": "http://x.test"}`:                                                     "base_url: ",
		`{"base_url": "https://id:hidden@x.test"}`:                                          `base_url: "https://…@x.test" must have no`,
		`{"listen": "postgres://id:hidden@x.test"}`:                                         "listen: ",
		`{"sandbox": {"data": "data"}}`:                                                     "sandbox.data: ",
		`{"sandbox": {"users": [{"email": "a"}]}}`:                                          "sandbox.users[0].email: ",
		`{"smtp": {"host": "x.test"}}`:                                                      "smtp.from: ",
		`{"base_url": "https://x.test/a/../oauth"}`:                                         "base_url: ",
		`{"sample_client": {"base_url": "http://localhost:1/"}}`:                            "sample_client.base_url: ",
		`{"sample_client": {"listen": "127.0.0.1:8080", "base_url": "http://localhost:1"}}`: "sample_client.listen: 127.0.0.1:8080 is that of listen already",
		`{"listen": ":1", "probe_listen": ":1"}`:                                            "probe_listen: :1 is that of listen already",
		`{"smtp": {"host": "x.test:587", "from": "a@x.test"}}`:                              "smtp.host: ",
		`{"brand": {"logo": "/dev/zero"}}`:                                                  "brand.logo: ",
		`{"users": [{"email": "a@x.test", "password_file": "/dev/zero"}]}`:                  "users[0].password_file: ",
		`{"users": [{"email": "a@x.test", "password": "short"}]}`:                           "users[0].password: must have at least 10 characters\n",
		`{"listen": "127.0.0.1:99999"}`:                                                     "listen: ",
		`{"probe_listen": "nonsense"}`:                                                      "probe_listen: ",
		`{"developer": {"review": true}}`:                                                   "developer: ",
		`{"developer": {"operators": ["a@x.test"]}}`:                                        "developer.operators[0]: a@x.test is not in users",
		`{"sandbox": {"developer": {}}}`:                                                    "sandbox.developer",
		verifying(`{"email_domain": {}}`):                                                   "omains: is missing",
		verifying(`{"email_domain": {"domains": ["*"]}}`):                                   "omains[0]: ",
		verifying(`{"email_domain": {"domains": ["com"]}}`):                                 "omains[0]: \"com\" is a top-level domain",
		verifying(`{"roster": {}}`):                                                         "oster: ",
		verifying(`{"roster": {"roster": "r"}}`):                                            "olumns: ",
		verifying(`{"document": {}}`):                                                       "equire: ",
		verifying(`{"document": {"require": [{"name": "front"}]}}`):                         "equire[0].Title: ",
		`{"verification": {"policies": null}}`:                                              "olicies: are missing",
		`{"verification": {}}`:                                                              "olicies: are missing",
		`{"users": [{"uuid": "a", "email": "a@x.test"}], "desk": {"staff": [{"email": "a@x.test", "roles": ["auditor"], "id": "a b\n"}]}}`: "desk.staff[0].id: ",
		`{"listen": "nowhere"}`:                         "listen: ",
		`{"database": "postgres://u:hidden word@%zz/"}`: "database: is not an address",
	} {
		err := run(t.Context(), []string{"-config", writeConfig(t, text), "-check"}, nil, &output{})
		if err == nil || !strings.Contains(err.Error()+"\n", want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: error is %v, want %s", text, err, want)
		}
		cfg, err := parseConfig([]byte(text), folder)
		if err != nil || strings.Contains(text, "127.0.0.1:8080") {
			continue // as it was read
		}
		cfg.Users = append(cfg.Users, user{Account: provider.Account{ID: "new", Email: "new@x.test"}})
		if cfg.Listen == "127.0.0.1:8080" {
			cfg.Listen = "127.0.0.1:0"
		}
		if s, err := open(t.Context(), cfg, io.Discard, slog.New(slog.DiscardHandler)); err == nil {
			t.Errorf("%s: starts (%v)", text, s.close())
		}
		if after := contents(t, filepath.Join(folder, "data")); !maps.Equal(before, after) {
			t.Fatalf("%s: the start has changed its data", text)
		}
	}
}

// All that is wrong with a file by itself is said at once, with the key that was meant.
func TestCheckNamesAllMistakes(t *testing.T) {
	err := run(t.Context(), []string{"-config", writeConfig(t, `{"listen": "127.0.0.1:0", "trusted_proxies": ["127.0.0.1", "proxy"], "smtp": {"user": "id"},
		"lifetimes": {"session": "soon"}, "brand": {"color": "#123456"}, "clients": [{"client_id": "c", "dialect": "v3", "redirect_urls": []}, {"client_id": "c", "dialect": "v3"}], "xyz": 1,
		"users": [{"email": "a@x.test"}], "desk": {"staff": [{"email": "a@x.test"}, {"email": "b@x.test", "roles": ["support"]}]}}`), "-check"}, nil, &output{})
	if err == nil {
		t.Fatal("the file is accepted")
	}
	for _, want := range []string{
		`unknown key "smtp.user"; did you mean username?`, `unknown key "brand.color"; did you mean button_color?`, `unknown key "xyz"` + "\n",
		`unknown key "clients[0].redirect_urls"; did you mean redirect_uris?`, `clients[1].client_id: "c" is that of clients[0] already`,
		"trusted_proxies[1]: is not an address or a network", "lifetimes.session: is not a duration", "desk.staff[0].roles: is missing", "desk.staff[1].email: b@x.test is not in users",
	} {
		if !strings.Contains(err.Error()+"\n", want) {
			t.Errorf("not said: %s\n%v", want, err)
		}
	}
	for _, right := range []string{"trusted_proxies[0]", "a@x.test"} {
		if strings.Contains(err.Error(), right) {
			t.Errorf("%s is no mistake: %v", right, err)
		}
	}
}

// contents are those of the files in a folder.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, name := range names(t, folder) {
		text := must(os.ReadFile(filepath.Join(folder, name)))(t)
		found[name] = string(text)
	}
	return found
}

// verifying is a file with one verifier.
func verifying(verifier string) string {
	return `{"verification": {"verifiers": {"way": ` + verifier + `}, "policies": [{"group": "student", "rule": "way"}]}}`
}

func TestCheckKnowsNoPortThatIsFree(t *testing.T) {
	out := &output{}
	ok(t, run(t.Context(), []string{"-config", writeConfig(t, `{"listen": "127.0.0.1:0", "sandbox": {}}`), "-check"}, nil, out))
	if !strings.Contains(out.String(), "provider http://localhost\n") {
		t.Errorf("it would do:\n%s", out)
	}
}

func TestCommandLineThatCannotBeMeantIsRefused(t *testing.T) {
	for _, args := range [][]string{{"service.json"}, {"-check", "-init"}, {"-backup", "x", "-revoke-before", "2026-01-02T15:04:05Z"}, {"-ready"}, {"-test-mail", "a@x.test"}} {
		if err := run(t.Context(), args, nil, &output{}); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

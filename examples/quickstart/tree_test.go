package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatIsThereTwiceIsRefusedByName(t *testing.T) {
	for text, want := range map[string]string{
		`{"listen": "a", "listen": "b"}`:                                                                       `key "listen" is there twice`,
		`{"smtp": {"host": "a", "from": "x", "host": "b"}}`:                                                    `key "smtp.host" is there twice`,
		`{"users": [{}, {"attributes": {"fname": "A", "fname": "B"}}]}`:                                        `key "users[1].attributes.fname" is there twice`,
		`{"users": [{"uuid": "a", "email": "a@x.test"}, {"uuid": "a"}]}`:                                       `users[1].uuid: "a" is that of users[0] already`,
		`{"users": [{"email": "a@x.test"}, {"email": "b@x.test"}, {"email": "A@X.test"}]}`:                     `users[2].email: "a@x.test" is that of users[0] already`,
		`{"users": [{"email": "a@x.test", "status": [{"group": "nurse"}, {"group": "nurse"}]}]}`:               `users[0].status[1].group: "nurse" is that of users[0].status[0] already`,
		`{"clients": [{"client_id": "a", "dialect": "v3"}, {"client_id": "a", "dialect": "v3"}]}`:              `clients[1].client_id: "a" is that of clients[0] already`,
		`{"sample_client": {}, "clients": [{"client_id": "sample-v3", "dialect": "v3"}]}`:                      `clients[0].client_id: "sample-v3" is that of the sample client already`,
		`{"sandbox": {"clients": [{"client_id": "a", "dialect": "v3"}, {"client_id": "a", "dialect": "v3"}]}}`: `sandbox.clients[1].client_id: "a"`,
	} {
		_, err := loadConfig(writeConfig(t, text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %s", text, err, want)
		}
	}
}

func TestSpellingsOfOneAddressAreOneUser(t *testing.T) {
	cfg, err := parseConfig([]byte(`{"listen": "127.0.0.1:0", "users": [{"email": "jürgen@example.com"},
		{"email": "ju\u0308rgen@example.com"}]}`), t.TempDir())
	ok(t, err)
	_, err = open(t.Context(), cfg, &output{}, testLog(t))
	if want := "users[1]: is the user of users[0] already"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestValuesComeFromTheEnvironment(t *testing.T) {
	t.Setenv("ID_BASE", "https://id.x.test")
	t.Setenv("ID_PASSWORD", `quotes " and ${ID_BASE}`)
	cfg, err := loadConfig(writeConfig(t, `{"base_url": "${ID_BASE}/auth", "brand": {"name": "$5 $${ID_BASE} $$"},
		"users": [{"email": "a@x.test", "password": "${ID_PASSWORD}", "attributes": {"fname": "${ID_BASE}", "n": 12345678901234567890}}]}`))
	ok(t, err)
	if cfg.BaseURL != "https://id.x.test/auth" || cfg.Brand.Name != "$5 ${ID_BASE} $$" || cfg.Users[0].Attributes["fname"] != "https://id.x.test" {
		t.Errorf("read %+v", cfg.environment)
	}
	if got := cfg.Users[0].Password; got != `quotes " and ${ID_BASE}` {
		t.Errorf("what a variable holds is taken apart: %q", got)
	}
	t.Setenv("ID_EMPTY", "")
	for text, want := range map[string]string{
		`{"clients": [{"client_secret": "${ID_NONE}"}]}`: "clients[0].client_secret: the environment has no ID_NONE",
		`{"database": "${ID_EMPTY}"}`:                    "database: the environment has no ID_EMPTY",
		`{"data": "a${"}`:                                "data: has ${ without a name",
		`{"data": "${not a name}"}`:                      "data: has ${ without a name",
	} {
		_, err := loadConfig(writeConfig(t, text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %s", text, err, want)
		}
	}
}

func TestSecretsComeFromFiles(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"one": "first secret\n", "two": "second\r\n", "none": "\n", "lines": "a\nb\n", "service.json": `{
			"database_file": "two", "users": [{"password_file": "one"}], "clients": [{"client_secret_file": "one"}],
			"smtp": {"password_file": "two"}, "sandbox": {"users": [{"password_file": "two"}]}}`,
	} {
		ok(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	cfg := must(loadConfig(filepath.Join(folder, "service.json")))(t)
	if cfg.Database != "second" || cfg.Users[0].Password != "first secret" || cfg.Clients[0].Secret != "first secret" ||
		cfg.SMTP.Password != "second" || cfg.Sandbox.Users[0].Password != "second" {
		t.Errorf("read %+v and %+v", cfg.environment, cfg.Sandbox)
	}
	for text, want := range map[string]string{
		`{"users": [{"password_file": "nowhere"}]}`:                                     "users[0].password_file: open ",
		`{"clients": [{"client_secret_file": "none"}]}`:                                 "clients[0].client_secret_file: ",
		`{"smtp": {"password_file": "lines"}}`:                                          "smtp.password_file: ",
		`{"database": "postgres://x/y", "database_file": "two"}`:                        "database and database_file are both there",
		`{"sandbox": {"users": [{"password_file": "one"}, {"password_file": "none"}]}}`: "sandbox.users[1].password_file: ",
	} {
		_, err := parseConfig([]byte(text), folder)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "first secret") {
			t.Errorf("%s: error is %v, want %s", text, err, want)
		}
	}
}

func TestTextThatIsNotUTF8IsRefused(t *testing.T) {
	if _, err := loadConfig(writeConfig(t, "{\"users\": [{\"password\": \"gr\xfc\xdfe\"}]}")); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("error is %v", err)
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// utf16 is a text as an editor saves it that calls UTF-16 "Unicode".
const utf16 = "\xff\xfew\x00e\x00t\x00"

func TestFilesOfAnyEditor(t *testing.T) {
	const secret = "wet-cedar-hums-at-noon"
	for name, text := range map[string]string{
		"Plain": secret, "LineEnd": secret + "\n", "LineEndOfWindows": secret + "\r\n", "Mark": "\ufeff" + secret, "MarkAndLineEnd": "\ufeff" + secret + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "config.json")
			content := strings.ReplaceAll(`{"data": "data", "database_file": "s",
				"smtp": {"host": "smtp.x.test", "username": "id", "password_file": "s", "from": "id@x.test"},
				"users": [{"email": "a@x.test", "password_file": "s"}],
				"clients": [{"client_id": "a", "dialect": "v3", "client_secret_file": "s", "redirect_uris": ["https://a.test/cb"]}]}`, `"s"`, "\"secret.txt\"")
			writeText(t, filepath.Join(folder, "secret.txt"), text)
			writeText(t, path, "\ufeff"+content)
			cfg := must(loadConfig(path))(t)
			for key, got := range map[string]string{
				"database": cfg.Database, "smtp.password": cfg.SMTP.Password, "users": cfg.Users[0].Password, "clients": cfg.Clients[0].Secret,
			} {
				if got != secret {
					t.Errorf("%s is %q", key, got)
				}
			}
		})
	}
	t.Run("UTF16", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "secret.txt")
		writeText(t, path, utf16)
		var value string
		for of, err := range map[string]error{"a secret": fromFile(&value, path, "password"), "a config": func() error { _, err := loadConfig(path); return err }()} {
			if err == nil || !strings.Contains(err.Error(), "byte order mark") {
				t.Errorf("%s: %v", of, err)
			}
		}
	})
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	ok(t, os.WriteFile(path, []byte(text), 0o600))
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// names returns what is in a folder, but not beside a database.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries := must(os.ReadDir(folder))(t)
	list := []string{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "-wal") && !strings.HasSuffix(e.Name(), "-shm") {
			list = append(list, e.Name())
		}
	}
	return list
}

// away moves a file out of the way, and returns how to bring it back.
func away(t *testing.T, path string) (back func()) {
	t.Helper()
	hidden := t.TempDir() + "/hidden"
	ok(t, os.Rename(path, hidden))
	return func() {
		_ = os.Remove(path)
		ok(t, os.Rename(hidden, path))
	}
}

func TestLostDatabaseIsNotReplaced(t *testing.T) {
	o := operate(t)
	s := o.start()
	keys := keyIDs(t, o.base)
	ok(t, s.stop())
	for _, lost := range []string{"data/identity.db", "data/sandbox/identity.db"} {
		back := away(t, o.path(lost))
		text := must(os.ReadFile(o.path("service.json")))(t)
		got := refusal(t, o.folder, string(text))
		if !strings.Contains(got, o.path(lost)) || !strings.Contains(got, "-init") {
			t.Errorf("error is %q", got)
		}
		if _, err := o.command("-check"); err == nil || !strings.Contains(err.Error(), o.path(lost)) {
			t.Errorf("-check: error is %v", err)
		}
		if _, err := os.Stat(o.path(lost)); !os.IsNotExist(err) {
			t.Errorf("%s was replaced (%v)", lost, err)
		}
		back()
	}
	s = o.start()
	if diff := cmp.Diff(keys, keyIDs(t, o.base)); diff != "" {
		t.Errorf("keys (-before +after):\n%s", diff)
	}
	ok(t, s.stop())
	// Whoever says so gets a new one.
	away(t, o.path("data/identity.db"))
	o.must("-init")
	o.start()
	if diff := cmp.Diff(keys, keyIDs(t, o.base)); diff == "" {
		t.Error("a new database has the keys of the one that is gone")
	}
}

func TestLostSecretIsNotReplaced(t *testing.T) {
	o := operate(t)
	ok(t, o.start().stop())
	back := away(t, o.path("data/secret"))
	text := must(os.ReadFile(o.path("service.json")))(t)
	if got := refusal(t, o.folder, string(text)); !strings.Contains(got, "data: there is a database, but not the secret") {
		t.Errorf("error is %q", got)
	}
	for _, args := range [][]string{{"-init"}, {"-check"}, {"-revoke-before", "2026-01-02T15:04:05Z"}, {"-backup", o.path("backup")}} {
		if _, err := o.command(args...); err == nil || !strings.Contains(err.Error(), "data:") {
			t.Errorf("%v: error is %v", args, err)
		}
	}
	if diff := cmp.Diff([]string{"identity.db", "sandbox"}, names(t, o.path("data"))); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	back()
	o.start()
}

func TestEmptyPostgresBesideASecretIsRefused(t *testing.T) {
	server := pgtest.Shared(t)
	folder := t.TempDir()
	text := func(database string) string {
		return `{"listen": "127.0.0.1:0", "base_url": "http://localhost:8080", "database": "` + database + `"}`
	}
	first, second := server.Schema(t), server.Schema(t)
	ok(t, startService(t, folder, text(first)).stop())
	for range 2 { // the first try makes tables, and no provider
		if got := refusal(t, folder, text(second)); !strings.Contains(got, "database: the database is empty") || !strings.Contains(got, "-init") {
			t.Errorf("error is %q", got)
		}
	}
	ok(t, startService(t, folder, text(first)).stop())
	if got := refusal(t, t.TempDir(), text(first)); !strings.Contains(got, "database: there is a database, but not the secret") {
		t.Errorf("error is %q", got)
	}
	path := filepath.Join(folder, "service.json")
	ok(t, os.WriteFile(path, []byte(text(second)), 0o600))
	for range 2 { // the second time it is there
		ok(t, run(t.Context(), []string{"-config", path, "-init"}, nil, &output{}))
	}
	startService(t, folder, text(second))
}

// TestFirstStartThatWasCutShort has the states in which a first start can be killed.
func TestFirstStartThatWasCutShort(t *testing.T) {
	const text = `{"listen": "127.0.0.1:0", "base_url": "http://localhost:8080"}`
	for name, undo := range map[string][]string{
		"the secret is drafted":                        {databaseName},
		"the database has keys, the secret is a draft": {},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			s := startService(t, folder, text)
			keys := keyIDs(t, "http://"+s.sites[0].listener.Addr().String())
			ok(t, s.stop())
			data := filepath.Join(folder, "data")
			ok(t, os.Rename(filepath.Join(data, secretName), filepath.Join(data, draftName)))
			ok(t, os.WriteFile(filepath.Join(data, ".secret-123"), []byte("half"), 0o600))
			for _, missing := range undo {
				ok(t, os.Remove(filepath.Join(data, missing)))
			}
			s = startService(t, folder, text)
			same := cmp.Equal(keys, keyIDs(t, "http://"+s.sites[0].listener.Addr().String()))
			if want := len(undo) == 0; same != want {
				t.Errorf("keys are the same: %v, want %v", same, want)
			}
			if diff := cmp.Diff([]string{databaseName, secretName}, names(t, data)); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}
		})
	}
}

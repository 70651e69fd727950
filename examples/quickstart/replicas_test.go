package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// asProgram makes the test binary run as the program that it tests.
const asProgram = "QUICKSTART_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	providertest.Cheapen()
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	openNew = openCopy
	code := m.Run()
	if r, err := shared(); err == nil {
		if err := r.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// openCopy is sqlite.Open that copies a new database: its migrations take longer than most tests.
func openCopy(ctx context.Context, path string) (*sqlite.Store, error) {
	image, err := migrated()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(path, image, 0o600); err != nil {
			return nil, err
		}
	}
	return sqlite.Open(ctx, path)
}

// migrated returns the file of a database that has its tables.
var migrated = sync.OnceValues(func() (image []byte, err error) {
	folder, err := os.MkdirTemp("", "quickstart")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, databaseName)
	store, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// program is the quickstart as a process of its own, ended with the test.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path := must(os.Executable())(t)
	command := exec.CommandContext(t.Context(), path, args...)
	command.Env = append(os.Environ(), asProgram+"=1")
	return command
}

// startTogether starts processes at once and waits until each serves; it returns how
// to stop them. What one says when it cannot start is an error of the test.
func startTogether(t *testing.T, number int, config func(i int) string) (stop func()) {
	t.Helper()
	var starting sync.WaitGroup
	processes := make([]*exec.Cmd, number)
	for i := range processes {
		processes[i] = program(t, "-config", config(i))
		var said strings.Builder
		processes[i].Stderr = &said
		out := must(processes[i].StdoutPipe())(t)
		ok(t, processes[i].Start())
		starting.Go(func() {
			lines := bufio.NewReader(out)
			if line, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, "provider ") {
				_ = processes[i].Wait()
				t.Errorf("process %d does not start: %s", i, said.String())
				processes[i] = nil
				return
			}
			go func() { _, _ = io.Copy(io.Discard, lines) }()
		})
	}
	starting.Wait()
	return func() {
		for _, p := range processes {
			if p != nil {
				_ = p.Process.Signal(syscall.SIGTERM)
			}
		}
		for i, p := range processes {
			if p == nil {
				continue
			}
			if err := p.Wait(); err != nil {
				t.Errorf("process %d ends with %v", i, err)
			}
		}
	}
}

// ofReplicas is the config of processes of one provider, whose address is that of a
// load balancer.
func ofReplicas(t *testing.T, folder string, more map[string]any) string {
	t.Helper()
	tree := map[string]any{
		"listen": "127.0.0.1:0", "base_url": "http://localhost:8080",
		"users": []any{
			map[string]any{"email": "maria@example.com", "password": mariaPassword, "attributes": map[string]any{"fname": "Maria"},
				"status": []any{map[string]any{"group": "student", "verified": true}}},
			map[string]any{"email": "noah@example.com", "uuid": "noah", "password": "copper-lantern-rides-north"},
			map[string]any{"email": "ada@example.com"},
		},
		"clients": []any{
			map[string]any{"client_id": "secret-of-its-own", "dialect": "v3", "redirect_uris": []string{"https://a.test/cb"}, "client_secret": appSecret},
			map[string]any{"client_id": "secret-of-ours", "dialect": "v3", "redirect_uris": []string{"https://b.test/cb"}},
		},
		"sample_client": map[string]any{"listen": "127.0.0.1:0", "base_url": "http://localhost:8081"},
	}
	for key, value := range more {
		tree[key] = value
	}
	text := must(json.Marshal(tree))(t)
	path := filepath.Join(folder, "service.json")
	ok(t, os.WriteFile(path, text, 0o600))
	return path
}

const together = 4

func TestProcessesThatStartTogetherAllStart(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		path := ofReplicas(t, t.TempDir(), map[string]any{"sandbox": map[string]any{}})
		startTogether(t, together, func(int) string { return path })()
		checkFirstStart(t, path, event.AttributesChanged, event.StatusChanged)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		server := pgtest.Shared(t)
		path := ofReplicas(t, t.TempDir(), map[string]any{"database": server.Schema(t)})
		startTogether(t, together, func(int) string { return path })()
		checkFirstStart(t, path, event.AttributesChanged, event.StatusChanged)
	})
	t.Run("PostgreSQL from several machines", func(t *testing.T) {
		database := pgtest.Shared(t).Schema(t)
		var paths []string
		secret := filepath.Join(t.TempDir(), secretName)
		ok(t, makeSecret(filepath.Dir(secret), secret))
		text := must(os.ReadFile(secret))(t)
		for range together {
			folder := t.TempDir()
			paths = append(paths, ofReplicas(t, folder, map[string]any{"database": database}))
			ok(t, os.Mkdir(filepath.Join(folder, "data"), 0o700))
			ok(t, os.WriteFile(filepath.Join(folder, "data", secretName), text, 0o400))
		}
		if out, err := program(t, "-config", paths[0], "-init").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		startTogether(t, together, func(i int) string { return paths[i] })()
		checkFirstStart(t, paths[0])
	})
}

// checkFirstStart looks at what processes that started together have made.
func checkFirstStart(t *testing.T, path string, once ...string) {
	t.Helper()
	cfg := must(loadConfig(path))(t)
	s := must(open(context.WithoutCancel(t.Context()), cfg, io.Discard, testLog(t)))(t)
	defer func() { _ = s.close() }()
	wants := map[string]int{
		event.AccountCreated: 3, event.PasswordChanged: 0,
		event.ClientCreated: 4, event.SecretChanged: 0, event.ClientChanged: 0,
	}
	for _, event := range once { // by those of one folder, which take turns
		wants[event] = 1
	}
	for event, want := range wants {
		got := must(s.providers[0].Events().List(t.Context(), provider.EventFilter{Name: event}))(t)
		if len(got) != want {
			t.Errorf("%d events %s, want %d: %v", len(got), event, want, fmt.Sprint(got))
		}
	}
}

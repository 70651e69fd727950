package docs_test

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/providertest"

	// What the program of the README is built of: without these lines a result of the
	// test would be taken from the cache when they have changed.
	_ "github.com/bonafide-id/bonafide/provider"
	_ "github.com/bonafide-id/bonafide/storage/sqlite"
)

// root is the folder of the repository.
const root = ".."

var goBlock = regexp.MustCompile("(?s)```go\n(package main\n.*?)```")

// TestReadmeProgramRuns builds the program of the README in a module of its own, as a
// reader would, starts it, and asks it what its reader will ask first.
func TestReadmeProgramRuns(t *testing.T) {
	t.Parallel()
	found := goBlock.FindStringSubmatch(read(t, "README.md"))
	if found == nil {
		t.Fatal("README.md has no Go program")
	}
	example, _, _ := strings.Cut(read(t, "provider/doc.go"), "\n//\n// # ")
	if _, example, _ = strings.Cut(example, "//\n"); example == "" || !strings.Contains(found[1], strings.ReplaceAll(example, "//\t", "\t")) {
		t.Error("the example of go doc ./provider is no part of the program")
	}
	address := strings.Replace(providertest.FreeAddress(t), "127.0.0.1", "localhost", 1)
	dir := t.TempDir()
	write(t, dir, "main.go", strings.ReplaceAll(found[1], "localhost:8080", address))
	// The reader's module has what `go mod tidy` finds; the versions are ours, so that
	// nothing has to be downloaded.
	write(t, dir, "go.mod", readerModule(t))
	write(t, dir, "go.sum", read(t, "go.sum"))
	build := exec.CommandContext(t.Context(), "go", "build", "-mod=mod", "-ldflags=-s -w", "-o", "reader", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	program := exec.CommandContext(t.Context(), filepath.Join(dir, "reader"))
	program.Dir, program.Stderr = dir, t.Output()
	program.Env = append(os.Environ(), "SECRET="+rand.Text()+rand.Text(), "SHOP_SECRET="+rand.Text()+rand.Text())
	ok(t, program.Start())
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	t.Cleanup(func() {
		if program.Process.Kill() == nil {
			<-ended
		}
	})

	base := "http://" + address + "/id"
	response := firstResponse(t, base+"/oidc/.well-known/openid-configuration", ended)
	defer func() { _ = response.Body.Close() }()
	var metadata struct {
		Issuer   string `json:"issuer"`
		Endpoint string `json:"authorization_endpoint"`
	}
	if err := json.NewDecoder(response.Body).Decode(&metadata); err != nil {
		t.Fatalf("discovery: %v", err)
	}
	if want := base + "/oidc"; metadata.Issuer != want {
		t.Errorf("issuer is %q, want %q", metadata.Issuer, want)
	}

	request := metadata.Endpoint + "?" + url.Values{
		"client_id": {"shop"}, "redirect_uri": {"http://localhost:3000/callback"},
		"response_type": {"code"}, "scope": {"openid identity"}, "state": {"s"},
	}.Encode()
	response = firstResponse(t, request, ended)
	defer func() { _ = response.Body.Close() }()
	if location := response.Header.Get("Location"); !strings.Contains(location, "/id/signin?") {
		t.Errorf("the authorization endpoint answers %s and sends the browser to %q, want the sign-in screen", response.Status, location)
	}
}

// readerModule is our go.mod as that of a module that requires ours.
func readerModule(t *testing.T) string {
	t.Helper()
	repository, err := filepath.Abs(root)
	ok(t, err)
	const name = "github.com/bonafide-id/bonafide"
	ours := strings.NewReplacer("module "+name+"\n", "module reader.example\n", " => ./", " => "+repository+"/").Replace(read(t, "go.mod"))
	return ours + "\nrequire " + name + " v0.0.0\n\nreplace " + name + " => " + repository + "\n"
}

// firstResponse asks until the program listens, or has ended. Redirects are not followed.
func firstResponse(t *testing.T, address string, ended <-chan error) *http.Response {
	t.Helper()
	retry := time.NewTicker(50 * time.Millisecond)
	defer retry.Stop()
	for {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		ok(t, err)
		if response, err := http.DefaultTransport.RoundTrip(r); err == nil {
			return response
		}
		select {
		case err := <-ended:
			t.Fatalf("the program ended: %v", err)
		case <-retry.C:
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, path))
	ok(t, err)
	return string(b)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	ok(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

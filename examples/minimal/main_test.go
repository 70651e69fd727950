package main

import (
	"bufio"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/providertest"
)

func TestMinimalHasThirtyLinesAtMost(t *testing.T) {
	file, err := os.Open("main.go")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	lines := 0
	for s := bufio.NewScanner(file); s.Scan(); {
		if !strings.HasPrefix(s.Text(), "//") {
			lines++
		}
	}
	if lines == 0 || lines > 30 {
		t.Errorf("main.go has %d lines, want 1 to 30", lines)
	}
}

// asProgram makes the test binary run as the program that it tests, which saves the linker's time.
const asProgram = "MINIMAL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestMinimalIsAProvider(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	address := providertest.FreeAddress(t)
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Dir, cmd.Stderr = t.TempDir(), t.Output()
	cmd.Env = append(os.Environ(), asProgram+"=1", "ADDRESS="+address, "SECRET="+newSecret())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		if cmd.Process.Kill() == nil {
			<-ended
		}
	})

	response := firstAnswer(t, "http://"+address+"/id/oidc/.well-known/openid-configuration", ended)
	defer func() { _ = response.Body.Close() }()
	var document struct{ Issuer string }
	if err := json.NewDecoder(response.Body).Decode(&document); err != nil {
		t.Fatalf("discovery document: %v", err)
	}
	if want := "http://" + address + "/id/oidc"; document.Issuer != want {
		t.Errorf("issuer is %q, want %q", document.Issuer, want)
	}
}

// firstAnswer asks until the program listens, or has ended.
func firstAnswer(t *testing.T, address string, ended <-chan error) *http.Response {
	t.Helper()
	retry := time.NewTicker(50 * time.Millisecond)
	defer retry.Stop()
	deadline := time.After(5 * time.Minute)
	for {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if response, err := http.DefaultClient.Do(r); err == nil {
			return response
		}
		select {
		case err := <-ended:
			t.Fatalf("the program ended: %v", err)
		case <-deadline:
			t.Fatal("the program does not answer")
		case <-retry.C:
		}
	}
}

func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:])
	return base64.StdEncoding.EncodeToString(b[:])
}

package clients

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

const repository = "../../../.."

// need leaves out the test of a client whose program is not on this machine; in CI it has
// to be there.
func need(t *testing.T, missing string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(missing)
	}
	t.Skip(missing)
}

// once leaves out the test of a program under -short, of which .ci/run has a step of its own.
func once(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a program of others, which takes long")
	}
}

// tool builds the program of a module of .ci/tools, and returns its path.
func tool(t *testing.T, module, program string) string {
	t.Helper()
	folder := t.TempDir()
	c := exec.CommandContext(t.Context(), "go", "build", "-o", folder, "tool")
	c.Dir = filepath.Join(repository, ".ci/tools", module)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return filepath.Join(folder, program)
}

// start runs a program until it answers at an address, and ends it with the test.
func start(t *testing.T, address string, c *exec.Cmd) {
	t.Helper()
	out := &testkit.Output{}
	c.Stdout, c.Stderr = out, out
	testkit.OK(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = c.Process.Kill()
			<-ended
		}
		if t.Failed() {
			t.Logf("%s printed:\n%s", c.Args[0], out)
		}
	})
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: neverFollow}
	soon, late := time.NewTicker(50*time.Millisecond), time.After(3*time.Minute)
	defer soon.Stop()
	for {
		r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))(t)
		if response, err := client.Do(r); err == nil {
			response.Body.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s does not stay: %v", c.Args[0], err)
		case <-late:
			t.Fatalf("%s does not answer", c.Args[0])
		case <-soon.C:
		}
	}
}

func neverFollow(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// command is a program that outlives the context of its test until start has ended it.
func command(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
}

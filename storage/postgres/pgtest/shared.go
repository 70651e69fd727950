package pgtest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// shared is the server of Shared, once there is one.
var shared struct {
	mu       sync.Mutex
	server   *Server
	lifeline io.Closer // as long as it is open the server runs
}

// Shared returns a server that all tests of this process have in common: whoever
// neither stops nor changes one need not wait for one of its own. It starts with the
// first test that asks for it, ends with the process, and otherwise is as that of Start.
func Shared(t *testing.T) *Server {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.server == nil {
		shared.server = outlive(t)
	}
	return shared.server
}

// lastWill removes a folder when its standard input ends, which it does with the process
// at its other end, however that ends; the server in it is stopped before.
const lastWill = `"$@" & cat > /dev/null; kill -INT $!; wait $!; rm -rf "$0"`

// outlive starts a server that outlives the test. Its caller holds the lock of shared.
func outlive(t *testing.T) *Server {
	t.Helper()
	if url := os.Getenv("BONAFIDE_TEST_POSTGRES"); url != "" {
		return &Server{url: url}
	}
	bin := installed(t)
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{url: urlOf(dir), bin: bin, dir: dir, settings: append([]string{"synchronous_commit=off"}, fast...)}
	s.initialize(t)
	server := exec.Command("sh", append([]string{"-c", lastWill, dir, filepath.Join(bin, "postgres")}, s.arguments()...)...)
	unprivileged(t, server, dir)
	if shared.lifeline, err = server.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	run(t, server, "ready to accept")
	s.stop = func() { panic("pgtest: a server of Shared was to be stopped or changed; use Start") }
	s.kill = s.stop
	return s
}

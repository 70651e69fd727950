package faults

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// The application that the users use.
const (
	clientID     = "shop"
	clientSecret = "t9Vq2mXc7RzL4bWn8KdY3sHf6JgP1aEu"
	callbackURI  = "https://shop.example/callback"
)

// firstPassword is the one that every user begins with.
const firstPassword = "glacier-tulip-orbit-42"

// populate registers the application and users in a new database.
func populate(t *testing.T, s setup, users int) {
	t.Helper()
	keys := testkit.Must(signingKeys())(t)
	testkit.OK(t, s.addKeys(t.Context(), keys))
	p := testkit.Must(s.provider(t.Context(), nil))(t)
	defer func() {
		testkit.OK(t, p.Close())
	}()
	testkit.OK(t, p.Clients().Save(t.Context(), provider.Client{
		ID: clientID, Name: "Shop", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI},
		GrantTypes: []string{"authorization_code", "refresh_token"},
	}))
	for n := range users {
		account := provider.Account{Email: userEmail(n), EmailVerified: true, Password: firstPassword}
		testkit.Must(p.Accounts().Save(t.Context(), account))(t)
	}
}

// signingKeys are those of all providers of this run: it takes longer to make them than
// anything else that a test needs.
var signingKeys = sync.OnceValues(func() (keys []storage.Key, err error) {
	folder, err := os.MkdirTemp("", "bonafide-keys")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	s, ctx := setup{Database: filepath.Join(folder, "identity.db")}, context.Background()
	p, err := s.provider(ctx, nil)
	if err != nil {
		return nil, err
	}
	if err := p.Close(); err != nil {
		return nil, err
	}
	store, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	keys, err = store.Keys(ctx)
	return keys, errors.Join(err, store.Close())
})

// addKeys gives a new database its signing keys.
func (s setup) addKeys(ctx context.Context, keys []storage.Key) error {
	store, err := s.open(ctx)
	if err != nil {
		return err
	}
	for _, key := range keys {
		err = errors.Join(err, store.AddKey(ctx, key))
	}
	return errors.Join(err, store.Close())
}

// process is a program under test that runs.
type process struct {
	t       *testing.T
	command *exec.Cmd
	url     string
	ready   time.Duration // how long it took to start
	log     tail
}

// run starts a process and waits until it serves. wrapper is a command that gets the
// program as its last argument.
func (s setup) run(t *testing.T, wrapper ...string) *process {
	t.Helper()
	begin := time.Now()
	p, stdout := s.begin(t, wrapper...)
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = p.command.Wait()
		t.Fatalf("the process did not start: %v\n%s", err, p.log.String())
	}
	p.url = "http://" + strings.TrimSpace(address)
	answer, err := http.Get(p.url + "/oidc/.well-known/jwks")
	if err != nil {
		t.Fatalf("the process does not serve: %v\n%s", err, p.log.String())
	}
	answer.Body.Close()
	p.ready = time.Since(begin)
	return p
}

// begin starts a process, and returns what it prints.
func (s setup) begin(t *testing.T, wrapper ...string) (*process, io.Reader) {
	t.Helper()
	encoded := testkit.Must(json.Marshal(s))(t)
	binary := testkit.Must(os.Executable())(t)
	line := append(wrapper, binary)
	p := &process{t: t, command: exec.Command(line[0], line[1:]...)}
	p.command.Env = append(os.Environ(), childVariable+"="+string(encoded))
	p.command.Stderr = &p.log
	testkit.Must(p.command.StdinPipe())(t)
	stdout := testkit.Must(p.command.StdoutPipe())(t)
	testkit.OK(t, p.command.Start())
	t.Cleanup(p.kill)
	return p, stdout
}

// kill ends the process with SIGKILL, unless it has ended.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
	if p.t.Failed() && p.log.Len() > 0 {
		p.t.Logf("the process said:\n%s", p.log.String())
		p.log.Reset()
	}
}

// stop ends the process with SIGTERM and returns how long that took.
func (p *process) stop() (time.Duration, error) {
	begin := time.Now()
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	// A process that hangs is stopped the hard way and then is one that failed.
	timer := time.AfterFunc(patience, func() { _ = p.command.Process.Kill() })
	defer timer.Stop()
	err := p.command.Wait()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, p.log.String())
	}
	return time.Since(begin), err
}

// tail keeps the end of what is written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

const tailSize = 8 << 10

func (l *tail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b = append(l.b, p...)
	if extra := len(l.b) - tailSize; extra > 0 {
		l.b = append(l.b[:0], l.b[extra:]...)
	}
	return len(p), nil
}

func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.b)
}

func (l *tail) Len() int { return len(l.String()) }

func (l *tail) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b = nil
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// output is what a service prints.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// ok ends the test where there is an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must returns what a call has returned, in a test that ends if it has failed.
func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		ok(t, err)
		return value
	}
}

func testLog(t *testing.T) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

// running is a service that serves until stop is called, or the test ends.
type running struct {
	*service
	out  *output
	stop func() error
}

// startService runs a config from a folder, on free ports.
func startService(t *testing.T, folder, text string) *running {
	t.Helper()
	cfg := must(parseConfig([]byte(text), folder))(t)
	return startConfig(t, cfg)
}

// startConfig runs a config that has been read.
func startConfig(t *testing.T, cfg config) *running {
	t.Helper()
	r := must(runUnrehearsed(t.Context(), cfg, testLog(t)))(t)
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return r
}

// runUnrehearsed runs a config without the rehearsal of open, which is half of a start.
func runUnrehearsed(ctx context.Context, cfg config, log *slog.Logger) (*running, error) {
	s, out := &service{cfg: cfg, log: log}, &output{}
	at, err := s.listenAll(ctx)
	if err == nil {
		err = s.openAt(ctx, at, out)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx) }()
	return &running{service: s, out: out, stop: sync.OnceValue(func() error {
		cancel()
		return <-ended
	})}, nil
}

// onFreePorts returns the quickstart's own config on ports that are free.
func onFreePorts() ([]byte, error) {
	var tree map[string]any
	if err := json.Unmarshal(quickstart, &tree); err != nil {
		return nil, err
	}
	tree["listen"] = "127.0.0.1:0"
	delete(tree, "base_url")
	tree["sample_client"] = map[string]any{"listen": "127.0.0.1:0"}
	delete(tree["sandbox"].(map[string]any), "base_url")
	return json.Marshal(tree)
}

// ownQuickstart returns the config of a quickstart that a test has for itself.
func ownQuickstart(t *testing.T) string {
	t.Helper()
	text := must(onFreePorts())(t)
	return string(text)
}

func TestDataIsForTheOwnerOnly(t *testing.T) {
	openNew = sqlite.Open
	t.Cleanup(func() { openNew = openCopy })
	folder := t.TempDir()
	startService(t, folder, ownQuickstart(t))
	got := map[string]string{}
	err := filepath.WalkDir(filepath.Join(folder, "data"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if !strings.HasSuffix(name, "-wal") && !strings.HasSuffix(name, "-shm") {
			got[name] = info.Mode().String()
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return err
	})
	ok(t, err)
	want := map[string]string{
		"data": "drwx------", "data/secret": "-rw-------", "data/identity.db": "-rw-------",
		"data/sandbox": "drwx------", "data/sandbox/secret": "-rw-------", "data/sandbox/identity.db": "-rw-------",
		"data/evidence": "drwx------", "data/sandbox/evidence": "drwx------",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
	a, err1 := os.ReadFile(filepath.Join(folder, "data/secret"))
	b, err2 := os.ReadFile(filepath.Join(folder, "data/sandbox/secret"))
	if err1 != nil || err2 != nil || bytes.Equal(a, b) {
		t.Errorf("production and sandbox share a secret (%v, %v)", err1, err2)
	}
}

// keyIDs returns the kids of a provider's key set.
func keyIDs(t *testing.T, base string) []string {
	t.Helper()
	b := browser.New(t)
	b.Open(base + "/oidc/.well-known/jwks")
	var set struct{ Keys []struct{ Kid string } }
	ok(t, json.Unmarshal([]byte(b.Body), &set))
	ids := make([]string, 0, len(set.Keys))
	for _, k := range set.Keys {
		ids = append(ids, k.Kid)
	}
	return ids
}

// canSignIn reports whether an account's password is accepted.
func canSignIn(t *testing.T, base, email, password string) bool {
	t.Helper()
	b := browser.New(t)
	b.Open(base + "/signin")
	b.Submit("email", email, "password", password)
	return b.Status == http.StatusOK && strings.HasSuffix(b.URL.Path, "/account")
}

func TestRestartKeepsKeysAndDeletesNobody(t *testing.T) {
	const (
		first = `"users": [
			{"email": "maria@example.com", "password": "quiet-otter-paints-dawn"},
			{"email": "noah@example.com", "password": "copper-lantern-rides-north"}],
			"clients": [{"client_id": "old", "dialect": "v3", "redirect_uris": ["https://old.test/cb"]}]}`
		second = `"users": [
			{"email": "maria@example.com", "password": "loud-heron-draws-dusk"}]}`
	)
	folder, at := t.TempDir(), fmt.Sprintf(`{"listen": %q, `, providertest.FreeAddress(t))
	s := startService(t, folder, at+first)
	keys := keyIDs(t, s.cfg.BaseURL)
	ok(t, s.stop())
	s = startService(t, folder, at+second)
	base := s.cfg.BaseURL
	if diff := cmp.Diff(keys, keyIDs(t, base)); diff != "" || len(keys) == 0 {
		t.Errorf("keys (-before +after):\n%s", diff)
	}
	if canSignIn(t, base, "maria@example.com", "quiet-otter-paints-dawn") {
		t.Error("the password that the file no longer has is still good")
	}
	if !canSignIn(t, base, "maria@example.com", "loud-heron-draws-dusk") {
		t.Error("the password in the file is not good")
	}
	if !canSignIn(t, base, "noah@example.com", "copper-lantern-rides-north") {
		t.Error("a user who is no longer in the file is gone")
	}
	b := browser.New(t)
	b.Open(base + "/oauth/authorize?client_id=old&redirect_uri=https%3A%2F%2Fold.test%2Fcb&response_type=code&scope=military")
	if b.Status != http.StatusOK || !strings.HasSuffix(b.URL.Path, "/signin") {
		t.Errorf("a client that is no longer in the file is gone: %s (%d)", b.URL, b.Status)
	}
}

func TestAStartNeedsNoTemporaryFolder(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(folder, "none"))
	cfg := must(parseConfig([]byte(`{"listen": "127.0.0.1:0"}`), folder))(t)
	s, err := open(t.Context(), cfg, io.Discard, testLog(t))
	if err == nil {
		err = s.close()
	}
	if err != nil {
		t.Error(err)
	}
}

func TestNothingButTheProviderRunsUnasked(t *testing.T) {
	s := startService(t, t.TempDir(), `{"listen": "127.0.0.1:0"}`)
	s.announce(s.out)
	if got, want := s.out.String(), fmt.Sprintf("provider %s\nmails are printed here, with their codes; smtp in the config file sends them\n", s.cfg.BaseURL); got != want {
		t.Errorf("announced %q, want %q", got, want)
	}
	b := browser.New(t)
	b.Open(s.cfg.BaseURL + "/sandbox/oidc/.well-known/openid-configuration")
	if b.Status != http.StatusNotFound {
		t.Errorf("a sandbox answers with %d", b.Status)
	}
}

// TestMetadataOfASandbox tests that clients which know the issuer only, as those of MCP,
// find the metadata of the sandbox where RFC 8414 section 3.1 has it: outside its path.
func TestMetadataOfASandbox(t *testing.T) {
	s := sharedQuickstart(t)
	for _, e := range []struct{ base, path string }{{s.cfg.BaseURL, ""}, {s.cfg.Sandbox.BaseURL, "/sandbox"}} {
		for _, name := range []string{"oauth-authorization-server", "openid-configuration"} {
			b := browser.New(t)
			b.Open(s.cfg.BaseURL + "/.well-known/" + name + e.path + "/oidc")
			if b.Status != http.StatusOK || !strings.Contains(b.Body, `"issuer":"`+e.base+`/oidc"`) {
				t.Errorf("%s of %s: %d\n%s", name, e.base, b.Status, b.Body)
			}
		}
	}
}

func TestMailIsPrinted(t *testing.T) {
	s := startService(t, t.TempDir(), `{"listen": "127.0.0.1:0"}`)
	b := browser.New(t)
	b.Open(s.cfg.BaseURL + "/signup")
	b.Submit("email", "new@example.com", "new_password", "amber-kettle-waits-still")
	if !strings.Contains(s.out.String(), "new@example.com") {
		t.Errorf("no mail is printed; the page is %s (%d)\n%s", b.URL, b.Status, b.Body)
	}
}

func TestStopAnswersWhatIsInFlight(t *testing.T) {
	s := startService(t, t.TempDir(), `{"listen": "127.0.0.1:0"}`)
	begun, finish := make(chan struct{}), make(chan struct{})
	s.sites[0].server.Handler.(*router).add(s.cfg.BaseURL+"/slow", s.cfg.BaseURL, http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) {
			close(begun)
			<-finish
			w.WriteHeader(http.StatusTeapot)
		}), "/account")
	answered := make(chan int, 1)
	go func() {
		b := browser.New(t)
		b.Open(s.cfg.BaseURL + "/slow/work")
		answered <- b.Status
	}()
	<-begun
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	for refused := false; !refused; { // the listener closes first
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.sites[0].listener.Addr().String())
		if refused = err != nil; !refused {
			_ = conn.Close()
		}
	}
	close(finish)
	if got := <-answered; got != http.StatusTeapot {
		t.Errorf("the request in flight was answered with %d", got)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestStopDoesNotWaitForConnectionsThatSayNothing(t *testing.T) {
	s := startService(t, t.TempDir(), `{"listen": "127.0.0.1:0"}`)
	conn := must((&net.Dialer{}).DialContext(t.Context(), "tcp", s.sites[0].listener.Addr().String()))(t)
	defer func() { _ = conn.Close() }()
	// Once another request has been answered, the server knows of the connection.
	b := browser.New(t)
	b.Open(s.cfg.BaseURL + "/signin")
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}

func TestPortThatIsTakenIsSaidBeforeAnythingIsWritten(t *testing.T) {
	folder := t.TempDir()
	s := startService(t, folder, `{"listen": "127.0.0.1:0", "data": "a"}`)
	cfg := must(parseConfig([]byte(`{"data": "b"}`), folder))(t)
	cfg.Listen = s.sites[0].listener.Addr().String()
	if _, err := open(t.Context(), cfg, s.out, s.log); err == nil || !strings.Contains(err.Error(), "listen:") {
		t.Errorf("error is %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "b")); !os.IsNotExist(err) {
		t.Errorf("data was made: %v", err)
	}
}

// TestTakenAddress tests that a start says what to do when another program listens where
// the service would, as a quickstart that somebody has forgotten does.
func TestTakenAddress(t *testing.T) {
	var config net.ListenConfig
	l := must(config.Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer func() { _ = l.Close() }()
	for _, c := range []struct {
		demo bool
		says string
	}{{false, "choose another address in the config file"}, {true, "start with -config"}} {
		cfg, err := parseConfig([]byte(`{"listen": "`+l.Addr().String()+`"}`), t.TempDir())
		ok(t, err)
		cfg.demo = c.demo
		_, err = open(t.Context(), cfg, io.Discard, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), "listen: another program has "+l.Addr().String()) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error is %v, want %q", err, c.says)
		}
	}
}

// TestSampleSiteNamesPeople tests that the demonstration says whom to sign in as, and that a
// service of somebody's own tells no password.
func TestSampleSiteNamesPeople(t *testing.T) {
	for _, demo := range []bool{true, false} {
		s := sharedQuickstart(t)
		if demo {
			cfg := must(parseConfig([]byte(ownQuickstart(t)), t.TempDir()))(t)
			cfg.demo = true
			s = startConfig(t, cfg)
		}
		for service, password := range map[string]string{"live": mariaPassword, "sandbox": tessPassword} {
			b := browser.New(t)
			b.Open(s.cfg.SampleClient.BaseURL + "/?service=" + service)
			if got := strings.Contains(b.Body, password); got != demo || b.Status != http.StatusOK {
				t.Errorf("demo %v: the page of %s (%d) tells its password: %v", demo, service, b.Status, got)
			}
		}
	}
}

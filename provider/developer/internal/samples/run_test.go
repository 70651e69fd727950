package samples

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// runner is how a sample is run as it is shown.
type runner struct {
	// needs are programs of which all have to be there, and libraries asks one of them
	// whether its libraries are.
	needs     []string
	libraries []string

	// build makes the sample ready in its folder; start is the command.
	build func(t *testing.T, folder string)
	start func(v values) []string
}

// python is one that has the libraries, since there may be several.
var python = sync.OnceValue(func() string {
	for _, path := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(path, "-c", "import authlib, flask, requests").Run() == nil {
			return path
		}
	}
	return "python3"
})

var runners = map[string]map[string]runner{
	"go": {
		provider.Standard: {needs: []string{"go"}, build: buildGo, start: program("./sample")},
		provider.V3:       {needs: []string{"go"}, build: buildGo, start: program("./sample")},
	},
	"node": {
		provider.Standard: {needs: []string{"node"}, build: linkModules, start: program("node", "server.mjs")},
		provider.V3:       {needs: []string{"node"}, start: program("node", "server.mjs")},
	},
	"python": {
		provider.Standard: {
			needs: []string{"python3"}, libraries: []string{python(), "-c", "import authlib, flask, requests"},
			start: func(values) []string { return []string{python(), "server.py"} },
		},
		provider.V3: {needs: []string{"python3"}, start: program("python3", "server.py")},
	},
	"php": {
		provider.Standard: {needs: []string{"php"}, libraries: []string{"php", "-r", "curl_init() || exit(1);"}, start: php},
		provider.V3:       {needs: []string{"php"}, libraries: []string{"php", "-r", "curl_init() || exit(1);"}, start: php},
	},
	"ruby": {
		provider.Standard: {needs: []string{"ruby"}, libraries: []string{"ruby", "-rwebrick", "-rjwt", "-e", ""}, start: program("ruby", "server.rb")},
		provider.V3:       {needs: []string{"ruby"}, libraries: []string{"ruby", "-rwebrick", "-e", ""}, start: program("ruby", "server.rb")},
	},
}

func program(command ...string) func(values) []string {
	return func(values) []string { return command }
}

func php(v values) []string { return []string{"php", "-S", v.Address(), "index.php"} }

// buildGo compiles a sample within this module, which has what it imports.
func buildGo(t *testing.T, folder string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(folder, "sample"), filepath.Join(folder, "main.go"))
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
}

// nodeModules names the folder with the libraries of the Node sample.
const nodeModules = "BONAFIDE_NODE_MODULES"

// linkModules gives a sample the libraries that package-lock.json pins; the test of
// Node clients installs them, and runs this one.
func linkModules(t *testing.T, folder string) {
	t.Helper()
	modules := os.Getenv(nodeModules)
	if modules == "" {
		t.Skip("openid-client is not installed: make browser does that, and runs this test")
	}
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
}

// require skips the test of a sample on a machine that cannot run it.
func (r runner) require(t *testing.T) {
	t.Helper()
	missing := ""
	for _, name := range r.needs {
		if _, err := exec.LookPath(name); err != nil {
			missing = name
		}
	}
	if missing == "" && r.libraries != nil && exec.CommandContext(t.Context(), r.libraries[0], r.libraries[1:]...).Run() != nil {
		missing = strings.Join(r.libraries, " ")
	}
	switch {
	case missing == "":
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is missing", missing)
	default:
		t.Skipf("%s is missing", missing)
	}
}

const clientSecret = "correct-horse-battery-staple-0123456789"

// installation is a provider with alice, who is a verified veteran.
type installation struct {
	*provider.Provider
	base string
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	i := &installation{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { i.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	store, err := sqlite.Open(t.Context(), t.TempDir()+"/identity.db")
	if err != nil {
		t.Fatal(err)
	}
	i.base = server.URL + "/id"
	i.Provider, err = provider.New(t.Context(), provider.Config{
		BaseURL: i.base, Secret: []byte("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6o"), Store: store,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx := t.Context()
	if _, err := i.SaveAccount(ctx, provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: password}); err != nil {
		t.Fatal(err)
	}
	if err := i.SetStatus(ctx, "alice", provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true}); err != nil {
		t.Fatal(err)
	}
	return i
}

// application registers one that listens at an address of its own.
func (i *installation) application(t *testing.T, dialect string, public bool) Application {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	a := Application{
		ClientID: fmt.Sprintf("%s-%t-%d", dialect, public, listener.Addr().(*net.TCPAddr).Port), Dialect: dialect, Public: public,
		RedirectURI: fmt.Sprintf("http://%s/callback", listener.Addr()), Scopes: []string{"military"}, BaseURL: i.base, Button: i.ButtonScript(),
	}
	c := provider.Client{ID: a.ClientID, Dialect: dialect, Public: public, RedirectURIs: []string{a.RedirectURI}}
	if !public {
		c.Secret = clientSecret
	}
	if err := i.SaveClient(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return a
}

// write puts a sample into a folder.
func write(t *testing.T, a Application, id string) (folder string, v values) {
	t.Helper()
	all, err := For(a)
	if err != nil {
		t.Fatal(err)
	}
	n := slices.IndexFunc(all, func(s Sample) bool { return s.ID == id })
	if n < 0 {
		t.Fatalf("no sample %s", id)
	}
	folder = t.TempDir()
	for _, f := range all[n].Files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, f.Name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, f.Name), []byte(f.Text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if v, err = newValues(a); err != nil {
		t.Fatal(err)
	}
	return folder, v
}

// command is a program of a sample with the secret in its environment, which the end of
// the test kills.
func command(t *testing.T, folder string, args []string) (*exec.Cmd, *output) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	out := &output{}
	c.Dir, c.Stdout, c.Stderr = folder, out, out
	c.Env = append(os.Environ(), "BONAFIDE_CLIENT_SECRET="+clientSecret)
	t.Cleanup(cancel)
	return c, out
}

// output is what a program prints, which may be read while it runs.
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

// start runs a sample until it answers.
func start(t *testing.T, folder string, args []string, site string) {
	t.Helper()
	c, out := command(t, folder, args)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	b, soon := newBrowser(t), time.NewTicker(20*time.Millisecond)
	defer soon.Stop()
	for {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, site+"/nothing", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := b.http.Do(r)
		if err == nil {
			response.Body.Close()
			return
		}
		select {
		case err := <-ended:
			t.Fatalf("the sample does not stay: %v\n%s", err, out)
		case <-soon.C:
		}
	}
}

func TestSamplesSignInAsTheyAreShown(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long and starts programs that the race detector does not see")
	}
	t.Parallel()
	i := newInstallation(t)
	for id, dialects := range runners {
		for dialect, r := range dialects {
			for _, public := range []bool{false, true} {
				name := fmt.Sprintf("%s/%s/public=%t", id, dialect, public)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					r.require(t)
					a := i.application(t, dialect, public)
					folder, v := write(t, a, id)
					if r.build != nil {
						r.build(t, folder)
					}
					start(t, folder, r.start(v), v.Site())

					p := newBrowser(t).signIn(v.Site() + v.Start())
					for _, want := range []string{"alice@example.com", "military", "Veteran"} {
						if p.StatusCode != http.StatusOK || !strings.Contains(p.body, want) {
							t.Errorf("%s without %q:\n%s", p.Status, want, p.body)
						}
					}

					attack(t, v)
				})
			}
		}
	}
}

// attack gives a sample responses with a code that is good, which it must refuse all the
// same.
func attack(t *testing.T, v values) {
	t.Helper()
	for what, change := range map[string]func(b *browser, response string) (*browser, string){
		"response to nobody": func(_ *browser, r string) (*browser, string) { return newBrowser(t), r },
		"response to another browser": func(_ *browser, r string) (*browser, string) {
			b := newBrowser(t)
			b.until = v.BaseURL
			b.get(v.Site() + v.Start())
			return b, r
		},
		"response with another state": func(b *browser, r string) (*browser, string) {
			return b, strings.Replace(r, "state=", "state=x", 1)
		},
		"response without state": func(b *browser, r string) (*browser, string) {
			return b, strings.Replace(r, "state=", "stat=", 1)
		},
		"response of another issuer": func(b *browser, r string) (*browser, string) {
			return b, strings.Replace(r, "iss=", "iss=x", 1)
		},
	} {
		b := newBrowser(t)
		b.until = v.RedirectURI
		response := b.signIn(v.Site() + v.Start()).Header.Get("Location")
		b.until = ""
		who, address := change(b, response)
		if p := who.get(address); p.StatusCode != http.StatusBadRequest || strings.Contains(p.body, "alice") {
			t.Errorf("%s: %s\n%s", what, p.Status, p.body)
		}
	}
}

func TestCurlSampleSignsInAsItIsShown(t *testing.T) {
	t.Parallel()
	runner{needs: []string{"bash", "curl", "jq", "openssl"}}.require(t)
	i := newInstallation(t)
	for _, dialect := range []string{provider.Standard, provider.V3} {
		for _, public := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/public=%t", dialect, public), func(t *testing.T) {
				t.Parallel()
				a := i.application(t, dialect, public)
				if out, err := runCurl(t, a, func(response string) string { return response }); err != nil || !strings.Contains(out, "alice@example.com") {
					t.Errorf("%v\n%s", err, out)
				}
				forge := func(response string) string { return strings.Replace(response, "state=", "state=x", 1) }
				if out, err := runCurl(t, a, forge); err == nil || !strings.Contains(out, "not asked for") {
					t.Errorf("another state is accepted: %v\n%s", err, out)
				}
			})
		}
	}
}

// runCurl runs the script and gives it the response, changed.
func runCurl(t *testing.T, a Application, change func(string) string) (string, error) {
	t.Helper()
	folder, _ := write(t, a, "curl")
	c, out := command(t, folder, []string{"bash", "sign-in.sh"})
	read, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout = stdout
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	stdout.Close()
	lines := bufio.NewReader(read)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("no address: %v\n%s", err, out)
		}
		if address := strings.TrimSpace(line); strings.HasPrefix(address, "http") {
			b := newBrowser(t)
			b.until = a.RedirectURI
			if _, err := fmt.Fprintln(stdin, change(b.signIn(address).Header.Get("Location"))); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Wait()
	return string(rest) + out.String(), err
}

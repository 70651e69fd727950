package samples

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

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
	store := testkit.Must(sqlite.Open(t.Context(), t.TempDir()+"/identity.db"))(t)
	i.base = server.URL + "/id"
	i.Provider = testkit.Must(provider.New(t.Context(), provider.Config{
		BaseURL: i.base, Secret: []byte("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6o"), Store: store, DPoP: provider.DPoP{RequireNonce: true},
	}))(t)
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx := t.Context()
	testkit.Must(i.Accounts().Save(ctx, provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: password}))(t)
	testkit.OK(t, i.People().SetStatus(ctx, "alice", provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true}))
	return i
}

func TestMain(m *testing.M) {
	providertest.Cheapen()
	os.Exit(m.Run())
}

// bound registers an application whose tokens are all bound to a key.
func (i *installation) bound(t *testing.T, public bool) Application {
	t.Helper()
	a := i.application(t, provider.Standard, public)
	c := testkit.Must(i.Clients().Get(t.Context(), a.ClientID))(t)
	a.DPoP, c.DPoPBoundAccessTokens = true, true
	testkit.OK(t, i.Clients().Save(t.Context(), c))
	return a
}

// application registers one that listens at an address of its own.
func (i *installation) application(t *testing.T, dialect string, public bool) Application {
	t.Helper()
	port := testkit.Port(t)
	a := Application{
		ClientID: fmt.Sprintf("%s-%t-%d", dialect, public, port), Dialect: dialect, Public: public,
		RedirectURI: fmt.Sprintf("http://127.0.0.1:%d/callback", port), Scopes: []string{"military"}, BaseURL: i.base, Brand: `Ca&fé "24"`, Button: i.Rooms().Pages.ButtonScript(),
	}
	if dialect == provider.Standard { // of V3 a status gives the address, too
		a.Scopes = []string{"email", "military"}
	}
	c := provider.Client{ID: a.ClientID, Dialect: dialect, Public: public, RedirectURIs: []string{a.RedirectURI}}
	if !public {
		c.Secret = clientSecret
	}
	testkit.OK(t, i.Clients().Save(t.Context(), c))
	return a
}

// write puts a sample into a folder.
func write(t *testing.T, a Application, id string) (folder string, s Sample) {
	t.Helper()
	all := testkit.Must(For(a))(t)
	n := slices.IndexFunc(all, func(s Sample) bool { return s.ID == id })
	if n < 0 {
		t.Fatalf("no sample %s", id)
	}
	folder = t.TempDir()
	for _, f := range all[n].Files {
		testkit.OK(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, f.Name)), 0o755))
		testkit.OK(t, os.WriteFile(filepath.Join(folder, f.Name), []byte(f.Text), 0o600))
	}
	return folder, all[n]
}

// shell runs commands in a shell that has nothing of the sample in its environment. The end
// of the test kills it with all that it has started.
func shell(t *testing.T, folder, commands string) (*exec.Cmd, *testkit.Output) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	c := exec.CommandContext(ctx, "bash", "-c", commands)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	out := &testkit.Output{}
	c.Dir, c.Stdout, c.Stderr = folder, out, out
	t.Cleanup(cancel)
	return c, out
}

// start runs a sample until it answers at the address that it prints, which is the one that
// its page shows.
func start(t *testing.T, folder, commands string, s Sample) {
	t.Helper()
	c, out := shell(t, folder, commands)
	testkit.OK(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	b, soon := newBrowser(t), time.NewTicker(20*time.Millisecond)
	defer soon.Stop()
	for {
		r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, s.Open, nil))(t)
		response, err := b.http.Do(r)
		if err == nil {
			response.Body.Close()
			if strings.Contains(out.String(), "Open "+s.Open+"\n") {
				return
			}
		}
		select {
		case err := <-ended:
			t.Fatalf("the sample does not stay: %v\n%s", err, out)
		case <-soon.C:
		}
	}
}

// eachSample runs a test for each program that is a server.
func eachSample(t *testing.T, test func(t *testing.T, r runner, id, dialect string)) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long and starts programs that the race detector does not see")
	}
	t.Parallel()
	for id, dialects := range runners {
		for dialect, r := range dialects {
			t.Run(id+"/"+dialect, func(t *testing.T) {
				t.Parallel()
				r.require(t)
				test(t, r, id, dialect)
			})
		}
	}
}

func TestSamplesSignInAsTheyAreShown(t *testing.T) {
	i := newInstallation(t)
	eachSample(t, func(t *testing.T, r runner, id, dialect string) {
		for _, public := range []bool{false, true} {
			t.Run(fmt.Sprintf("public=%t", public), func(t *testing.T) {
				t.Parallel()
				a := i.application(t, dialect, public)
				folder, s := write(t, a, id)
				if r.build != nil {
					r.build(t, folder)
				}
				start(t, folder, r.commands(t, s), s)

				b := newBrowser(t)
				home := b.get(s.Open)
				link, text := home.link(t)
				if home.StatusCode != http.StatusOK || text != `Sign in with Ca&fé "24"` || !strings.HasPrefix(home.Header.Get("Content-Type"), "text/html") {
					t.Errorf("%s leads to %q by %q: %s\n%s", s.Open, link, text, home.Status, home.body)
				}
				if p := b.get(s.Open + "nothing"); p.StatusCode != http.StatusNotFound {
					t.Errorf("what is not there: %s\n%s", p.Status, p.body)
				}
				p := b.signIn(strings.TrimSuffix(s.Open, "/") + link)
				for _, want := range []string{"alice@example.com", "military", "Veteran"} {
					if p.StatusCode != http.StatusOK || !strings.Contains(p.body, want) {
						t.Errorf("%s without %q:\n%s", p.Status, want, p.body)
					}
				}

				v := testkit.Must(newValues(a))(t)
				attack(t, v, r)
			})
		}
	})
}

// The samples that can prove a key do so at the token endpoint and at userinfo, with the nonce
// that this provider requires; the others say that they do not.
func TestSamplesProveAKey(t *testing.T) {
	i := newInstallation(t)
	eachSample(t, func(t *testing.T, r runner, id, dialect string) {
		for _, public := range []bool{false, true} {
			if dialect != provider.Standard {
				continue
			}
			a := i.bound(t, public)
			folder, s := write(t, a, id)
			if s.Unproven == (id == "go" || id == "node") {
				t.Errorf("unproven: %t", s.Unproven)
			}
			if s.Unproven {
				continue
			}
			if r.build != nil {
				r.build(t, folder)
			}
			start(t, folder, r.commands(t, s), s)
			b := newBrowser(t)
			link, _ := b.get(s.Open).link(t)
			p := b.signIn(strings.TrimSuffix(s.Open, "/") + link)
			for _, want := range []string{"alice@example.com", "military", "Veteran"} {
				if p.StatusCode != http.StatusOK || !strings.Contains(p.body, want) {
					t.Errorf("public=%t: %s without %q:\n%s", public, p.Status, want, p.body)
				}
			}
			v := testkit.Must(newValues(a))(t)
			attack(t, v, r)
		}
	})
}

// Nobody has been asked anything when a sample ends: the provider is not even reached.
func TestSamplesEndAtOnceWithoutTheSecret(t *testing.T) {
	eachSample(t, func(t *testing.T, r runner, id, dialect string) {
		folder, s := write(t, withoutProvider(dialect), id)
		if r.build != nil {
			r.build(t, folder)
		}
		_, commands, _ := strings.Cut(r.commands(t, s), "\n") // all but the export
		endsFor(t, folder, commands)
	})
}

func TestCurlSamplesEndAtOnceWithoutTheSecret(t *testing.T) {
	t.Parallel()
	runner{needs: []string{"bash", "curl", "jq", "openssl"}}.require(t)
	for _, machine := range []bool{false, true} {
		a := withoutProvider(provider.Standard)
		a.Machine = machine
		folder, s := write(t, a, "curl")
		_, commands, _ := strings.Cut(s.Run, "\n")
		endsFor(t, folder, commands)
	}
}

func withoutProvider(dialect string) Application {
	a := shop()
	a.RedirectURI, a.BaseURL, a.Dialect = "http://127.0.0.1:1/callback", "http://127.0.0.1:1/id", dialect
	return a
}

// endsFor demands that commands end with one clear sentence, and with nothing else.
func endsFor(t *testing.T, folder, commands string) {
	t.Helper()
	for _, environment := range []string{"unset EXAMPLE_ID_CLIENT_SECRET", "export EXAMPLE_ID_CLIENT_SECRET="} {
		c, out := shell(t, folder, environment+"\n"+commands)
		err := c.Run()
		said := strings.TrimSpace(out.String())
		if err == nil || !strings.HasSuffix(said, "EXAMPLE_ID_CLIENT_SECRET is not set: set it to the client secret, and start again.") || strings.Contains(said, "\n") {
			t.Errorf("%s: %v\n%s", environment, err, said)
		}
	}
}

// attack gives a sample responses with a code that is good, which it must refuse all the
// same.
func attack(t *testing.T, v values, of runner) {
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
		if of.anyIssuer && what == "response of another issuer" {
			continue
		}
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

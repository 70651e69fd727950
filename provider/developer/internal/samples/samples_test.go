package samples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/widget"
)

// shop is an application on the web.
func shop() Application {
	return Application{
		ClientID: "shop", RedirectURI: "https://shop.example/callback", Dialect: provider.Standard,
		Scopes: []string{"openid", "military", "identity"}, BaseURL: "https://id.example", Brand: "Example ID",
		Button: widget.Script{URL: "https://id.example/widget/v1.js", ImmutableURL: "https://id.example/widget/abc.js", Integrity: "sha384-x"},
	}
}

func samplesOf(t *testing.T, a Application) map[string]Sample {
	t.Helper()
	all := testkit.Must(For(a))(t)
	byID := map[string]Sample{}
	for _, s := range all {
		byID[s.ID] = s
	}
	return byID
}

func TestSamplesAreOfTheApplication(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{provider.Standard, provider.V3} {
		a := shop()
		a.Dialect = dialect
		for id, s := range samplesOf(t, a) {
			text := ""
			for _, f := range s.Files {
				text += f.Text
			}
			for _, want := range []string{"shop", "https://id.example"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s/%s does not have %s", dialect, id, want)
				}
			}
			if strings.Contains(text, "<no value>") || strings.Contains(text, "{{") || (s.Run == "") != (id == "button") {
				t.Errorf("%s/%s is not filled, or nobody knows how to run it: %q\n%s", dialect, id, s.Run, text)
			}
		}
	}
}

func TestSamplesAskForWhatTheDialectAllows(t *testing.T) {
	t.Parallel()
	a := shop()
	a.Scopes = append(a.Scopes, "offline_access")
	for dialect, want := range map[string]string{provider.Standard: "openid military identity", provider.V3: "military"} {
		a.Dialect = dialect
		if v, err := newValues(a); err != nil || v.Scope() != want {
			t.Errorf("%s asks for %q, %v, want %q", dialect, v.Scope(), err, want)
		}
	}
}

func TestSamplesOfPublicApplicationsHaveNoSecret(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{provider.Standard, provider.V3} {
		for _, public := range []bool{false, true} {
			a := shop()
			a.Dialect, a.Public = dialect, public
			for id, s := range samplesOf(t, a) {
				if id == "button" {
					continue
				}
				if got := strings.Contains(fmt.Sprint(s.Files), "EXAMPLE_ID_CLIENT_SECRET"); got == public || got != strings.Contains(s.Run, "export EXAMPLE_ID_CLIENT_SECRET='"+Placeholder+"'\n") {
					t.Errorf("%s/%s, public %t: reads the secret: %t", dialect, id, public, got)
				}
			}
		}
	}
}

func TestSamplesOfAnAppAreNotServers(t *testing.T) {
	t.Parallel()
	a := shop()
	a.RedirectURI, a.Public = "com.example.shop:/callback", true
	if all := samplesOf(t, a); len(all) != 1 || all["curl"].ID == "" {
		t.Errorf("%v", all)
	}
}

func TestSampleOfAMachineAsksForTheApplicationItself(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{provider.Standard, provider.V3} {
		for scopes, want := range map[string]bool{"openid offline_access military identity": true, "openid": false} {
			all := samplesOf(t, Application{ClientID: "ro'bot", Machine: true, Dialect: dialect, Scopes: strings.Fields(scopes), BaseURL: "https://id.example"})
			text := fmt.Sprint(all["curl"].Files)
			if len(all) != 1 || !strings.Contains(text, "grant_type=client_credentials") || !strings.Contains(text, `'ro'\''bot'`) {
				t.Fatalf("%v", all)
			}
			if got := strings.Contains(text, "scope='military identity'"); got != want || strings.Contains(text, "scope=") != want {
				t.Errorf("%s, registered for %q:\n%s", dialect, scopes, text)
			}
		}
	}
}

func TestSamplesListenWhereTheResponseComes(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string][]string{
		"https://shop.example/callback": {"127.0.0.1:8080", "/callback", "/login", "https://shop.example", "https://shop.example/"},
		"http://localhost:8082/cb?x=1":  {"localhost:8082", "/cb", "/login", "http://localhost:8082", "http://localhost:8082/"},
		"http://[::1]:9000/login":       {"[::1]:9000", "/login", "/start", "http://[::1]:9000", "http://[::1]:9000/"},
		"http://127.0.0.1":              {"127.0.0.1:80", "/", "/login", "http://127.0.0.1", "http://127.0.0.1/login"},
	} {
		a := shop()
		a.RedirectURI = uri
		v := testkit.Must(newValues(a))(t)
		if got := []string{v.Address(), v.Path(), v.Start(), v.Site(), v.Open()}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", uri, got, want)
		}
	}
}

func TestSamplesNameTheSecretAfterTheProvider(t *testing.T) {
	t.Parallel()
	for brand, want := range map[string]string{
		"Bonafide": "BONAFIDE_CLIENT_SECRET", "Plumtree ID": "PLUMTREE_ID_CLIENT_SECRET", "Café – 24": "CAFE_24_CLIENT_SECRET",
		"3M's": "M_S_CLIENT_SECRET", "身份": "CLIENT_SECRET", "": "CLIENT_SECRET", `$(rm)'"=`: "RM_CLIENT_SECRET",
	} {
		if got := (values{Application: Application{Brand: brand}}).Variable(); got != want {
			t.Errorf("%s: %s, want %s", brand, got, want)
		}
	}
	if got := (values{Application: Application{Brand: "Acme 身份", Code: "AcmeID"}}).Variable(); got != "ACMEID_CLIENT_SECRET" {
		t.Errorf("after its code: %s", got)
	}
}

// The script is the one that stays, so that a page with the button outlives an update of the
// provider; the link is there until the script is.
func TestButtonOutlivesUpdates(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	for _, public := range []bool{false, true} {
		a := i.application(t, provider.Standard, public)
		root, err := html.ParseWithOptions(strings.NewReader(samplesOf(t, a)["button"].Files[0].Text), html.ParseOptionEnableScripting(false))
		testkit.OK(t, err)
		found := map[string]string{}
		for n := range root.Descendants() {
			for _, attribute := range n.Attr {
				found[n.Data+" "+attribute.Key] = attribute.Val
			}
			if (n.Data == "a" || n.Data == "noscript") && n.FirstChild != nil {
				found[n.Data] = n.FirstChild.Data
			}
		}
		if script := found["script src"]; script != i.base+"/widget/v1.js" || newBrowser(t).get(script).StatusCode != http.StatusOK {
			t.Errorf("the script is %q", script)
		}
		want := map[string]string{"script src": i.base + "/widget/v1.js", "script async": "", "span data-client-id": a.ClientID}
		if public {
			for key, value := range map[string]string{
				"span data-redirect": a.RedirectURI, "span data-scopes": "openid email military", "span data-response": "code", "span data-pkce": "",
				"noscript": `Signing in with Ca&fé "24" takes JavaScript.`,
			} {
				want[key] = value
			}
		} else {
			want["span data-start"], want["a href"], want["a"] = "/login", "/login", `Verify with Ca&fé "24"`
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("public %t (-want +got):\n%s", public, diff)
		}
	}
}

// What an application has registered must stay a string in every language, whatever it
// is: the sample is run on the machine of whoever copies it.
func TestAttackRegistrationWithQuotes(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{provider.Standard, provider.V3} {
		for _, public := range []bool{false, true} {
			a := shop()
			a.Dialect, a.Public, a.DPoP = dialect, public, dialect == provider.Standard
			a.ClientID = `x'"; $(touch a) #{exit} \`
			a.Brand = `B'"; $(touch d) #{exit} \ </a><script>`
			a.RedirectURI = `https://shop.example/cb';"$(touch%20b)?x='"&y=\#`
			a.Scopes = []string{"openid", `m'"\ $(touch c)`}
			for id, s := range samplesOf(t, a) {
				t.Run(fmt.Sprintf("%s/%s/public=%t", dialect, id, public), func(t *testing.T) {
					for _, f := range s.Files {
						parses(t, f)
					}
				})
			}
		}
	}
}

// parses demands that a file is one of its language.
func parses(t *testing.T, f File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(f.Name))
	check := func(program ...string) {
		t.Helper()
		runner{needs: program[:1]}.require(t)
		c := exec.CommandContext(t.Context(), program[0], program[1:]...)
		c.Stdin = strings.NewReader(f.Text)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", f.Name, err, out, f.Text)
		}
	}
	switch filepath.Ext(f.Name) {
	case ".go":
		if _, err := parser.ParseFile(token.NewFileSet(), path, f.Text, parser.AllErrors); err != nil {
			t.Error(err)
		}
	case ".sh":
		check("bash", "-n")
	case ".mjs":
		check("node", "--input-type=module", "--check")
	case ".py":
		check("python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())")
	case ".php":
		check("php", "-l")
	case ".rb":
		check("ruby", "-c")
	case ".json":
		if !json.Valid([]byte(f.Text)) {
			t.Errorf("%s is no JSON", f.Name)
		}
	case ".html":
		var tags []string
		for z := html.NewTokenizer(bytes.NewReader([]byte(f.Text))); ; {
			kind := z.Next()
			if kind == html.ErrorToken {
				break
			}
			if kind == html.StartTagToken {
				name, _ := z.TagName()
				tags = append(tags, string(name))
			}
		}
		if got := fmt.Sprint(tags); got != "[script style span a]" && got != "[script style span noscript]" {
			t.Errorf("the button has the tags %v", tags)
		}
	}
}

package flows

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// unzipped returns what a compressed answer holds.
func unzipped(t testing.TB, p lab.Page) string {
	t.Helper()
	if p.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("%s is not compressed: %v", p.Request.URL, p.Header)
	}
	z := testkit.Must(gzip.NewReader(strings.NewReader(p.Text)))(t)
	content := testkit.Must(io.ReadAll(z))(t)
	return string(content)
}

func TestAssetsAreCompressedForWhoTakesThemSo(t *testing.T) {
	t.Parallel()
	b := lab.New(t).NewBrowser()
	style := regexp.MustCompile(`href="([^"]*/base\.[^"]+)"`).FindStringSubmatch(b.Get("/signin").Text)[1]
	plain, small := b.Ask(http.MethodGet, style, "Accept-Encoding", "identity"), b.Ask(http.MethodGet, style)
	if plain.Header.Get("Content-Encoding") != "" || unzipped(t, small) != plain.Text || len(small.Text) > len(plain.Text)/3 {
		t.Errorf("%d bytes plain, %d compressed: %v", len(plain.Text), len(small.Text), small.Header)
	}
	t.Logf("base.css: %d bytes, %d compressed", len(plain.Text), len(small.Text))
	for _, p := range []lab.Page{plain, small} {
		if p.Header.Get("Vary") != "Accept-Encoding" || !strings.Contains(p.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%v", p.Header)
		}
	}
	tag := small.Header.Get("ETag")
	if tag == "" || tag == plain.Header.Get("ETag") {
		t.Errorf("two representations with the tags %q and %q", plain.Header.Get("ETag"), tag)
	}
	if p := b.Ask(http.MethodGet, style, "If-None-Match", tag); p.StatusCode != http.StatusNotModified {
		t.Errorf("the same again: %s", p.Status)
	}
	if p := b.Ask(http.MethodGet, style, "Range", "bytes=2-5"); p.StatusCode != http.StatusPartialContent || p.Text != small.Text[2:6] {
		t.Errorf("a range of what is compressed: %s %q", p.Status, p.Text)
	}
	if p := b.Ask(http.MethodGet, style, "Accept-Encoding", "gzip;q=0", "Range", "bytes=2-5"); p.StatusCode != http.StatusPartialContent || p.Text != plain.Text[2:6] {
		t.Errorf("a range of what is not: %s %q", p.Status, p.Text)
	}
	if p := b.Ask(http.MethodHead, style); p.StatusCode != http.StatusOK || p.Text != "" || p.Header.Get("ETag") != tag {
		t.Errorf("HEAD: %s %v", p.Status, p.Header)
	}
}

func TestDocumentsAreMadeOnce(t *testing.T) {
	t.Parallel()
	b := lab.New(t).NewBrowser()
	for _, path := range []string{lab.DiscoveryPath, lab.KeysPath} {
		plain, small := b.Ask(http.MethodGet, path, "Accept-Encoding", "identity"), b.Ask(http.MethodGet, path)
		if path == lab.DiscoveryPath && unzipped(t, small) != plain.Text || !strings.HasPrefix(plain.Text, "{") {
			t.Errorf("%s: %v is another document than %v", path, small.Header, plain.Header)
		}
		tag := plain.Header.Get("ETag")
		if !strings.HasPrefix(tag, "W/") || small.Header.Get("ETag") != tag {
			t.Errorf("%s: %v %v", path, plain.Header, small.Header)
		}
		vary := "Accept-Encoding"
		if path == lab.KeysPath { // one key is too little to compress
			vary = ""
		}
		if plain.Header.Get("Vary") != vary || small.Header.Get("Vary") != vary || plain.ContentLength != int64(len(plain.Text)) {
			t.Errorf("%s: it varies by %q, its length is %d", path, plain.Header.Get("Vary"), plain.ContentLength)
		}
		for _, known := range []string{tag, `"another", ` + tag, strings.TrimPrefix(tag, "W/"), "*"} {
			p := b.Ask(http.MethodGet, path, "If-None-Match", known)
			if p.StatusCode != http.StatusNotModified || p.Text != "" || p.Header.Get("ETag") != tag || p.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s: who has %s is answered %s %v", path, known, p.Status, p.Header)
			}
		}
		if p := b.Ask(http.MethodGet, path, "If-None-Match", `W/"another"`); p.StatusCode != http.StatusOK || p.Text == "" {
			t.Errorf("%s: who has another is answered %s", path, p.Status)
		}
		if p := b.Ask(http.MethodHead, path, "Accept-Encoding", "identity"); p.Text != "" || p.ContentLength != int64(len(plain.Text)) {
			t.Errorf("%s: HEAD tells of %d bytes, there are %d", path, p.ContentLength, len(plain.Text))
		}
	}
}

func TestPagesOfNobodyAreCompressed(t *testing.T) {
	t.Parallel()
	b := lab.New(t).NewBrowser()
	first := b.Ask(http.MethodGet, "/signin", "Sec-Fetch-Site", "cross-site")
	content := unzipped(t, first)
	if !strings.Contains(content, `name="password"`) || first.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%v %s", first.Header, content)
	}
	t.Logf("sign-in page: %d bytes, %d compressed", len(content), len(first.Text))
	unzipped(t, b.Ask(http.MethodGet, "/signin", "Sec-Fetch-Site", "cross-site")) // with what marks the browser
	if p := b.Ask(http.MethodGet, "/signin", "Accept-Encoding", "br"); p.Header.Get("Content-Encoding") != "" || !strings.Contains(p.Text, "<html") {
		t.Errorf("who takes no gzip: %v", p.Header)
	}
	if p := b.Ask(http.MethodHead, "/signin"); p.StatusCode != http.StatusOK || p.Text != "" || p.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("HEAD: %s %v", p.Status, p.Header)
	}
}

// A page about somebody is as long as it is, whatever another site makes the browser ask
// for: else the length tells when a guess in the address is the e-mail address on the page.
func TestBreachOfAPageAboutSomebody(t *testing.T) {
	t.Parallel()
	b := lab.New(t).WithUsers().WithClients().Alice()
	addresses := []string{"/account?flow=alice@example.com", "/account/apps", "/signout?client_id=std", b.Get(lab.AuthorizeURL()).Header.Get("Location")}
	for _, address := range addresses {
		for _, site := range []string{"cross-site", "same-site", ""} {
			if p := b.Ask(http.MethodGet, address, "Sec-Fetch-Site", site); p.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s is compressed for %q", address, site)
			}
		}
		for _, site := range []string{"same-origin", "none"} {
			if content := unzipped(t, b.Ask(http.MethodGet, address, "Sec-Fetch-Site", site)); !strings.Contains(content, "</html>") {
				t.Errorf("%s: %s", address, content)
			}
		}
	}
	// A host's own cookie may be that of a session.
	c := lab.New(t).NewBrowser()
	if p := c.Ask(http.MethodGet, "/signin", "Sec-Fetch-Site", "cross-site", "Cookie", "host_session=1"); p.Header.Get("Content-Encoding") != "" {
		t.Error("compressed for who may be signed in with the host")
	}
}

// What a page holds beside text of a stranger's choice is not the same twice when it is
// secret: the value of its forms, what is sealed, and no cookie at all.
func TestNoConstantSecretStandsInAPage(t *testing.T) {
	t.Parallel()
	b := lab.New(t).WithUsers().WithClients().Alice()
	hidden := regexp.MustCompile(`name="(?:csrf|flow|ticket)" value="([^"]+)"`)
	for _, address := range []string{"/account/password", "/signout", lab.AuthorizeURL(), lab.AuthorizeURL("prompt", "login")} {
		first, second := b.Open(address), b.Open(address)
		seen := map[string]bool{}
		for _, found := range hidden.FindAllStringSubmatch(first.Text, -1) {
			seen[found[1]] = true
		}
		if len(seen) == 0 {
			t.Errorf("%s has no form: %s", address, first.Text)
		}
		for _, found := range hidden.FindAllStringSubmatch(second.Text, -1) {
			if seen[found[1]] {
				t.Errorf("%s holds %q twice", address, found[0])
			}
		}
		for _, c := range b.HTTP.Jar.Cookies(b.ServerURL()) {
			if len(c.Value) > 8 && strings.Contains(second.Text, c.Value) {
				t.Errorf("%s holds the cookie %s", address, c.Name)
			}
		}
	}
}

func TestAScreenWithASecretIsCompressedForNobody(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	mux := http.NewServeMux()
	body := templ.Raw(strings.Repeat("<p>a long page</p>", 200))
	mux.Handle("/", w.Provider)
	mux.Handle("/plain", w.Pages().Screen(func(s *provider.Screen) error {
		s.RenderFrame(http.StatusOK, "Plain", body)
		return nil
	}))
	mux.Handle("/secret", w.Pages().Screen(func(s *provider.Screen) error {
		s.Room().RenderSecret(http.StatusOK, body)
		return nil
	}))
	w.Server.Config.Handler = mux
	b := w.NewBrowser()
	unzipped(t, b.Ask(http.MethodGet, "/plain", "Sec-Fetch-Site", "same-origin"))
	p := b.Ask(http.MethodGet, "/secret", "Sec-Fetch-Site", "same-origin")
	if p.Header.Get("Content-Encoding") != "" || p.Header.Get("Cache-Control") != "no-store, no-transform" || !strings.Contains(p.Text, "a long page") {
		t.Errorf("%v", p.Header)
	}
}

func TestRootLeadsToTheAccount(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*provider.Config){
		func(*provider.Config) {},
		func(c *provider.Config) { c.BaseURL += "/id" },
		func(c *provider.Config) { c.BaseURL, c.Sandbox = c.BaseURL+"/id", true },
		func(c *provider.Config) {
			c.Users = provider.Users{
				SignInURL: "https://host.test/login",
				SignedIn:  func(*http.Request) (provider.SignedIn, error) { return provider.SignedIn{}, nil },
			}
		},
	} {
		w := lab.New(t, change)
		base := strings.TrimSuffix(strings.TrimPrefix(w.Issuer(), w.Server.URL), "/oidc")
		for _, root := range []string{base, base + "/"} {
			p := w.NewBrowser().Get(w.Server.URL + root)
			if p.StatusCode != http.StatusSeeOther || p.Header.Get("Location") != base+"/account" {
				t.Errorf("%q: %s %q", root, p.Status, p.Header.Get("Location"))
			}
		}
		if p := w.NewBrowser().Post(base+"/", nil); p.StatusCode != http.StatusMethodNotAllowed || p.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST: %s %v", p.Status, p.Header)
		}
		p := w.NewBrowser().Open(base + "/")
		if !strings.Contains(p.Text, `name="password"`) && !strings.HasPrefix(p.Header.Get("Location"), "https://host.test/login?") {
			t.Errorf("who is not signed in comes to %s: %s", p.Request.URL, p.Status)
		}
	}
}

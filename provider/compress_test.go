package provider_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/provider"
)

// ask sends a request with headers of its own, and leaves the answer as it came.
func (b *browser) ask(method, address string, header ...string) page {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.absolute(address), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "gzip")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return b.do(r)
}

// unzipped returns what a compressed answer holds.
func unzipped(t testing.TB, p page) string {
	t.Helper()
	if p.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("%s is not compressed: %v", p.Request.URL, p.Header)
	}
	z, err := gzip.NewReader(strings.NewReader(p.body))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestAssetsAreCompressedForWhoTakesThemSo(t *testing.T) {
	t.Parallel()
	b := newFixture(t).newBrowser()
	style := regexp.MustCompile(`href="([^"]*/base\.[^"]+)"`).FindStringSubmatch(b.get("/signin").body)[1]
	plain, small := b.ask(http.MethodGet, style, "Accept-Encoding", "identity"), b.ask(http.MethodGet, style)
	if plain.Header.Get("Content-Encoding") != "" || unzipped(t, small) != plain.body || len(small.body) > len(plain.body)/3 {
		t.Errorf("%d bytes plain, %d compressed: %v", len(plain.body), len(small.body), small.Header)
	}
	t.Logf("base.css: %d bytes, %d compressed", len(plain.body), len(small.body))
	for _, p := range []page{plain, small} {
		if p.Header.Get("Vary") != "Accept-Encoding" || !strings.Contains(p.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%v", p.Header)
		}
	}
	tag := small.Header.Get("ETag")
	if tag == "" || tag == plain.Header.Get("ETag") {
		t.Errorf("two representations with the tags %q and %q", plain.Header.Get("ETag"), tag)
	}
	if p := b.ask(http.MethodGet, style, "If-None-Match", tag); p.StatusCode != http.StatusNotModified {
		t.Errorf("the same again: %s", p.Status)
	}
	if p := b.ask(http.MethodGet, style, "Range", "bytes=2-5"); p.StatusCode != http.StatusPartialContent || p.body != small.body[2:6] {
		t.Errorf("a range of what is compressed: %s %q", p.Status, p.body)
	}
	if p := b.ask(http.MethodGet, style, "Accept-Encoding", "gzip;q=0", "Range", "bytes=2-5"); p.StatusCode != http.StatusPartialContent || p.body != plain.body[2:6] {
		t.Errorf("a range of what is not: %s %q", p.Status, p.body)
	}
	if p := b.ask(http.MethodHead, style); p.StatusCode != http.StatusOK || p.body != "" || p.Header.Get("ETag") != tag {
		t.Errorf("HEAD: %s %v", p.Status, p.Header)
	}
}

func TestDocumentsAreMadeOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t).newBrowser()
	for _, path := range []string{discoveryPath, keysPath} {
		plain, small := b.ask(http.MethodGet, path, "Accept-Encoding", "identity"), b.ask(http.MethodGet, path)
		if path == discoveryPath && unzipped(t, small) != plain.body || !strings.HasPrefix(plain.body, "{") {
			t.Errorf("%s: %v is another document than %v", path, small.Header, plain.Header)
		}
		tag := plain.Header.Get("ETag")
		if !strings.HasPrefix(tag, "W/") || small.Header.Get("ETag") != tag || plain.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %v %v", path, plain.Header, small.Header)
		}
		for _, known := range []string{tag, `"another", ` + tag, strings.TrimPrefix(tag, "W/"), "*"} {
			p := b.ask(http.MethodGet, path, "If-None-Match", known)
			if p.StatusCode != http.StatusNotModified || p.body != "" || p.Header.Get("ETag") != tag || p.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s: who has %s is answered %s %v", path, known, p.Status, p.Header)
			}
		}
		if p := b.ask(http.MethodGet, path, "If-None-Match", `W/"another"`); p.StatusCode != http.StatusOK || p.body == "" {
			t.Errorf("%s: who has another is answered %s", path, p.Status)
		}
		if p := b.ask(http.MethodHead, path, "Accept-Encoding", "identity"); p.body != "" || p.ContentLength != int64(len(plain.body)) {
			t.Errorf("%s: HEAD tells of %d bytes, there are %d", path, p.ContentLength, len(plain.body))
		}
	}
}

func TestPagesOfNobodyAreCompressed(t *testing.T) {
	t.Parallel()
	b := newFixture(t).newBrowser()
	first := b.ask(http.MethodGet, "/signin", "Sec-Fetch-Site", "cross-site")
	content := unzipped(t, first)
	if !strings.Contains(content, `name="password"`) || first.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%v %s", first.Header, content)
	}
	t.Logf("sign-in page: %d bytes, %d compressed", len(content), len(first.body))
	unzipped(t, b.ask(http.MethodGet, "/signin", "Sec-Fetch-Site", "cross-site")) // with what marks the browser
	if p := b.ask(http.MethodGet, "/signin", "Accept-Encoding", "br"); p.Header.Get("Content-Encoding") != "" || !strings.Contains(p.body, "<html") {
		t.Errorf("who takes no gzip: %v", p.Header)
	}
	if p := b.ask(http.MethodHead, "/signin"); p.StatusCode != http.StatusOK || p.body != "" || p.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("HEAD: %s %v", p.Status, p.Header)
	}
}

// A page about somebody is as long as it is, whatever another site makes the browser ask
// for: else the length tells when a guess in the address is the e-mail address on the page.
func TestBreachOfAPageAboutSomebody(t *testing.T) {
	t.Parallel()
	b := newFixture(t).withUsers().withClients().alice()
	addresses := []string{"/account?flow=alice@example.com", "/account/apps", "/signout?client_id=std", b.get(authorizeURL()).Header.Get("Location")}
	for _, address := range addresses {
		for _, site := range []string{"cross-site", "same-site", ""} {
			if p := b.ask(http.MethodGet, address, "Sec-Fetch-Site", site); p.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s is compressed for %q", address, site)
			}
		}
		for _, site := range []string{"same-origin", "none"} {
			if content := unzipped(t, b.ask(http.MethodGet, address, "Sec-Fetch-Site", site)); !strings.Contains(content, "</html>") {
				t.Errorf("%s: %s", address, content)
			}
		}
	}
	// A host's own cookie may be that of a session.
	c := newFixture(t).newBrowser()
	if p := c.ask(http.MethodGet, "/signin", "Sec-Fetch-Site", "cross-site", "Cookie", "host_session=1"); p.Header.Get("Content-Encoding") != "" {
		t.Error("compressed for who may be signed in with the host")
	}
}

// What a page holds beside text of a stranger's choice is not the same twice when it is
// secret: the value of its forms, what is sealed, and no cookie at all.
func TestNoConstantSecretStandsInAPage(t *testing.T) {
	t.Parallel()
	b := newFixture(t).withUsers().withClients().alice()
	hidden := regexp.MustCompile(`name="(?:csrf|flow|ticket)" value="([^"]+)"`)
	for _, address := range []string{"/account/password", "/signout", authorizeURL(), authorizeURL("prompt", "login")} {
		first, second := b.open(address), b.open(address)
		seen := map[string]bool{}
		for _, found := range hidden.FindAllStringSubmatch(first.body, -1) {
			seen[found[1]] = true
		}
		if len(seen) == 0 {
			t.Errorf("%s has no form: %s", address, first.body)
		}
		for _, found := range hidden.FindAllStringSubmatch(second.body, -1) {
			if seen[found[1]] {
				t.Errorf("%s holds %q twice", address, found[0])
			}
		}
		for _, c := range b.http.Jar.Cookies(b.serverURL()) {
			if len(c.Value) > 8 && strings.Contains(second.body, c.Value) {
				t.Errorf("%s holds the cookie %s", address, c.Name)
			}
		}
	}
}

func TestAScreenWithASecretIsCompressedForNobody(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	mux := http.NewServeMux()
	body := templ.Raw(strings.Repeat("<p>a long page</p>", 200))
	mux.Handle("/", w.Provider)
	mux.Handle("/plain", w.Screen(func(s *provider.Screen) error {
		s.RenderFrame(http.StatusOK, "Plain", body)
		return nil
	}))
	mux.Handle("/secret", w.Screen(func(s *provider.Screen) error {
		s.RenderSecret(http.StatusOK, body)
		return nil
	}))
	w.server.Config.Handler = mux
	b := w.newBrowser()
	unzipped(t, b.ask(http.MethodGet, "/plain", "Sec-Fetch-Site", "same-origin"))
	p := b.ask(http.MethodGet, "/secret", "Sec-Fetch-Site", "same-origin")
	if p.Header.Get("Content-Encoding") != "" || p.Header.Get("Cache-Control") != "no-store, no-transform" || !strings.Contains(p.body, "a long page") {
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
		w := newFixture(t, change)
		base := strings.TrimSuffix(strings.TrimPrefix(w.Issuer(), w.server.URL), "/oidc")
		for _, root := range []string{base, base + "/"} {
			p := w.newBrowser().get(w.server.URL + root)
			if p.StatusCode != http.StatusSeeOther || p.Header.Get("Location") != base+"/account" {
				t.Errorf("%q: %s %q", root, p.Status, p.Header.Get("Location"))
			}
		}
		if p := w.newBrowser().post(base+"/", nil); p.StatusCode != http.StatusMethodNotAllowed || p.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST: %s %v", p.Status, p.Header)
		}
		p := w.newBrowser().open(base + "/")
		if !strings.Contains(p.body, `name="password"`) && !strings.HasPrefix(p.Header.Get("Location"), "https://host.test/login?") {
			t.Errorf("who is not signed in comes to %s: %s", p.Request.URL, p.Status)
		}
	}
}

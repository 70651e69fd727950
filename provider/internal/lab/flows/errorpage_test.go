package flows

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// waysOut returns where the content of a page leads: the addresses of its links and
// forms, and "close" for a button that closes the window.
func waysOut(content *html.Node) []string {
	var ways []string
	for n := range content.Descendants() {
		for _, a := range n.Attr {
			switch a.Key {
			case "href", "action":
				ways = append(ways, a.Val)
			case "data-close":
				ways = append(ways, "close")
			}
		}
	}
	return ways
}

func TestErrorPageHasOneWayOut(t *testing.T) {
	t.Parallel()
	const account, close = "/account", "close"
	popup := lab.AuthorizeURL("redirect_uri", "https://rp.test/CB", "display", "popup")
	tests := map[string]struct {
		open      func(w *lab.Fixture, b *lab.Browser) lab.Page
		status    int
		way, says string
	}{
		"NoSuchPage":    {func(_ *lab.Fixture, b *lab.Browser) lab.Page { return b.Get("/nowhere") }, 404, account, "Acme ID"},
		"UnknownClient": {func(_ *lab.Fixture, b *lab.Browser) lab.Page { return b.Get(lab.AuthorizeURL("client_id", "nobody")) }, 400, account, "Acme ID"},
		"BadRedirectURI": {func(_ *lab.Fixture, b *lab.Browser) lab.Page {
			return b.Get(lab.AuthorizeURL("redirect_uri", "https://rp.test/CB"))
		}, 400, account, "Please contact the owner of Veterans Shop"},
		"BadRedirectURIInPopup": {func(_ *lab.Fixture, b *lab.Browser) lab.Page { return b.Get(popup) }, 400, close, "Veterans Shop"},
		"ExpiredFlow":           {expired(), 400, "https://rp.test/", "Back to Veterans Shop"},
		"ExpiredFlowInPopup":    {expired("display", "popup"), 400, close, "You can close this window now."},
		"OtherBrowser": {func(w *lab.Fixture, b *lab.Browser) lab.Page {
			return w.NewBrowser().Get(b.Get(lab.AuthorizeURL()).Header.Get("Location"))
		}, 400, account, "Acme ID"},
		"FormTooLarge": {func(_ *lab.Fixture, b *lab.Browser) lab.Page {
			return b.Post("/signin", url.Values{"email": {strings.Repeat("a", 200<<10)}})
		}, 413, account, "Acme ID"},
		"FormOfAnotherSite": {func(w *lab.Fixture, b *lab.Browser) lab.Page {
			r := testkit.Must(http.NewRequestWithContext(b.T.Context(), http.MethodPost, w.Server.URL+"/signin", http.NoBody))(t)
			r.Header.Set("Origin", "https://attacker.test")
			return b.Do(r)
		}, 403, account, "nothing was changed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := lab.New(t, func(c *provider.Config) { c.Brand.Name = "Acme ID" }).WithClients().WithUsers()
			p := test.open(w, w.NewBrowser())
			lab.Shown(t, p, test.status)
			content := lab.MainOf(t, p)
			if ways := waysOut(content); len(ways) != 1 || !strings.HasSuffix(ways[0], test.way) {
				t.Errorf("leads to %q, want %q alone", ways, test.way)
			}
			if said := testkit.Text(content); !strings.Contains(said, test.says) {
				t.Errorf("does not say %q: %s", test.says, said)
			}
			// A popup that is cut off from the page that opened it cannot be closed.
			if cut := p.Header.Get("Cross-Origin-Opener-Policy") != ""; cut != (test.way != close) {
				t.Errorf("Cross-Origin-Opener-Policy %q", p.Header.Get("Cross-Origin-Opener-Policy"))
			}
		})
	}
}

// expired opens a page of an authorization request that has been left open for too long.
func expired(pairs ...string) func(*lab.Fixture, *lab.Browser) lab.Page {
	return func(w *lab.Fixture, b *lab.Browser) lab.Page {
		page := b.Get(lab.AuthorizeURL(pairs...)).Header.Get("Location")
		w.Advance(25 * time.Hour)
		return b.Get(page)
	}
}

func TestSandboxMarksWhatDiffersInARedirectURI(t *testing.T) {
	t.Parallel()
	marked := func(sandbox bool, sent string) string {
		w := lab.New(t, func(c *provider.Config) { c.Sandbox = sandbox }).WithClients()
		var marks []string
		for n := range lab.MainOf(t, w.NewBrowser().Get(lab.AuthorizeURL("client_id", "std", "redirect_uri", sent))).Descendants() {
			if n.Type == html.ElementNode && n.Data == "mark" {
				marks = append(marks, n.FirstChild.Data)
			}
		}
		return strings.Join(marks, "|")
	}
	for sent, want := range map[string]string{
		"https://rp.test/CB":       "CB|cb",
		"https://rp.test/cb/":      "/",
		"http://rp.test/cb":        "s",
		"https://rp.test/oter":     "h",
		"https://rp.test/cb<b>x":   "<b>x",
		"https://rp.test/cb\u00e9": "\u00e9",
	} {
		if got := marked(true, sent); got != want {
			t.Errorf("%s: marks %q, want %q", sent, got, want)
		}
	}
	if got := marked(false, "https://rp.test/CB"); got != "" {
		t.Errorf("marks %q outside of a sandbox", got)
	}
}

// A long address is a stranger's, and the language switch would repeat it.
func TestPagesDoNotRepeatALongAddress(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	b := w.NewBrowser()
	for _, path := range []string{"/signin?flow=", "/oauth/authorize?client_id=", "/reset/finish?ticket=", "/signout?client_id="} {
		short, long := b.Get(path+"x"), b.Get(path+strings.Repeat("x", 60_000))
		if len(long.Text) > len(short.Text)+5_000 {
			t.Errorf("%s: %d bytes, and %d for a long address", path, len(short.Text), len(long.Text))
		}
		if !strings.Contains(short.Text, `name="ui_locales" value="de"`) {
			t.Errorf("%s: no language switch", path)
		}
	}
}

package flows

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

var (
	brandFrame  = regexp.MustCompile(`<iframe [^>]*src="([^"]+)"`)
	brandSwitch = regexp.MustCompile(`href="([^"]*\?[^"]+)"`)
)

// brandBrowser opens a provider that has a BrandPreview at /brand.
func brandBrowser(t *testing.T, allow func(*http.Request) bool) *lab.Browser {
	t.Helper()
	w := lab.New(t)
	mux := http.NewServeMux()
	mux.Handle("/brand", w.Pages().BrandPreview(allow))
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	return w.NewBrowser()
}

func everybody(*http.Request) bool { return true }

// brandAddresses returns those that a page has of its own.
func brandAddresses(p lab.Page, like *regexp.Regexp) (all []string) {
	for _, m := range like.FindAllStringSubmatch(p.Text, -1) {
		address := strings.ReplaceAll(m[1], "&amp;", "&")
		if strings.HasPrefix(address, "?") {
			address = "/brand" + address
		}
		all = append(all, address)
	}
	return all
}

func TestBrandPreviewIsForWhoIsAllowed(t *testing.T) {
	t.Parallel()
	b := brandBrowser(t, func(r *http.Request) bool { return r.URL.Query().Get("who") == "operator" })
	nobody := brandBrowser(t, nil)
	missing := b.Get("/no-such-page").StatusCode
	if missing != http.StatusNotFound {
		t.Fatalf("an address that there is not has %d", missing)
	}
	for _, query := range []string{"", "?screen=signin", "?screen=mail"} {
		if got := b.Get("/brand" + query).StatusCode; got != missing {
			t.Errorf("%q is shown to a stranger: %d", query, got)
		}
		if got := nobody.Get("/brand" + query).StatusCode; got != missing {
			t.Errorf("%q is shown where nobody is allowed: %d", query, got)
		}
	}
	if got := b.Get("/brand?who=operator").StatusCode; got != http.StatusOK {
		t.Errorf("an operator gets %d", got)
	}
}

// A form that reached the page would be one that somebody forged: it has none.
func TestBrandPreviewTakesNoPost(t *testing.T) {
	t.Parallel()
	b := brandBrowser(t, everybody)
	for _, query := range []string{"", "?screen=signin"} {
		if got := b.Post("/brand"+query, url.Values{"email": {"ada@example.com"}}).StatusCode; got != http.StatusNotFound {
			t.Errorf("a post to %q is answered with %d", query, got)
		}
	}
}

func TestBrandPreviewHasFramesAndSwitchesThatAnswer(t *testing.T) {
	t.Parallel()
	b := brandBrowser(t, everybody)
	shown := b.Get("/brand?scheme=dark&width=desktop&ui_locales=ar")
	if !strings.Contains(shown.Text, `dir="rtl"`) || !strings.Contains(shown.Text, `class="previews desktop"`) {
		t.Error("it is not in Arabic, or not as wide as a desktop")
	}
	frames := brandAddresses(shown, brandFrame)
	if len(frames) != 5 {
		t.Errorf("it has the frames %q", frames)
	}
	for _, address := range frames {
		frame := b.Get(address)
		if frame.StatusCode != http.StatusOK || !strings.Contains(frame.Text, `dir="rtl"`) || !strings.Contains(frame.Text, "inert") {
			t.Errorf("%s has %d, is not in Arabic or can be used", address, frame.StatusCode)
		}
		if !strings.Contains(frame.Text, `data-scheme="dark"`) && !strings.Contains(frame.Text, "@media all") {
			t.Errorf("%s is not by night", address)
		}
	}
	switches := brandAddresses(shown, brandSwitch)
	if len(switches) < 4+8 {
		t.Errorf("it has the switches %q", switches)
	}
	for _, address := range switches {
		if got := b.Get(address).StatusCode; got != http.StatusOK {
			t.Errorf("%s has %d", address, got)
		}
	}
	for _, query := range []string{"?screen=", "?screen=password", "?scheme=dusk", "?screen=signin&scheme=dusk"} {
		if got := b.Get("/brand" + query).StatusCode; got != http.StatusNotFound {
			t.Errorf("%s has %d", query, got)
		}
	}
}

// Other origins could lay a frame under what somebody presses, and read along.
func TestBrandPreviewIsFramedByPagesOfItsOriginAlone(t *testing.T) {
	t.Parallel()
	b := brandBrowser(t, everybody)
	if page := directives(b.Get("/brand").Header); page["frame-ancestors"] != "'none'" || page["frame-src"] != "'self'" {
		t.Errorf("the page has %v", page)
	}
	for screen, want := range map[string]struct{ style, sandbox string }{
		"signin": {"'self'", "allow-same-origin"}, "signup": {"'self'", "allow-same-origin"},
		"consent": {"'self'", "allow-same-origin"}, "error": {"'self'", "allow-same-origin"},
		"mail": {"'unsafe-inline'", ""},
	} {
		frame := b.Get("/brand?screen=" + screen)
		policy := directives(frame.Header)
		if policy["frame-ancestors"] != "'self'" || frame.Header.Get("X-Frame-Options") != "SAMEORIGIN" {
			t.Errorf("%s may be framed by %q, %q", screen, policy["frame-ancestors"], frame.Header.Get("X-Frame-Options"))
		}
		if policy["default-src"] != "'none'" || policy["form-action"] != "'none'" || policy["base-uri"] != "'none'" || policy["script-src"] != "" {
			t.Errorf("something can be done on %s: %v", screen, policy)
		}
		sandbox, sandboxed := policy["sandbox"]
		if policy["style-src"] != want.style || !sandboxed || sandbox != want.sandbox {
			t.Errorf("%s has %v", screen, policy)
		}
		if opener := frame.Header.Get("Cross-Origin-Opener-Policy"); opener != "" {
			t.Errorf("browsers refuse %s with a sandbox and %q", screen, opener)
		}
	}
}

// Who has not chosen a language by looking is not given one.
func TestBrandPreviewRemembersNoLanguageThatNobodyChose(t *testing.T) {
	t.Parallel()
	b := brandBrowser(t, everybody)
	for _, address := range brandAddresses(b.Get("/brand"), brandFrame) {
		if strings.Contains(address, "ui_locales") {
			t.Errorf("%s has a language", address)
		}
	}
}

package pages

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// What a client sends does not make longer what goes to an upstream, nor what comes back.
func TestStateOfAnUpstreamIsShort(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	w.connect(w.is("s1", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass))
	for _, size := range []int{4, 300, 4096} {
		for _, posts := range []bool{false, true} {
			asked := strings.Repeat("s", size)
			b := w.NewBrowser()
			values := w.values(b, b.Open(lab.AuthorizeURL("state", asked, "prompt", "consent")), "campus")
			if n := len(values.Get("state")); n >= 500 {
				t.Errorf("%d: state of %d", size, n)
			}
			var p lab.Page
			if posts {
				p = b.Submit(w.NewBrowser().Post("/signin/with/campus/callback", values))
			} else {
				p = b.Open(callback("campus", values))
			}
			if got := lab.Response(t, b.Submit(p, "action", "allow")).Get("state"); got != asked {
				t.Errorf("%d: came back with %d", size, len(got))
			}
			t.Logf("client's state %d, posted %v: %d to the upstream", size, posts, len(values.Get("state")))
		}
	}
}

// A browser that visits upstreams in many tabs, each with the longest flow that travels, sends a
// line of cookies that a proxy takes.
func TestCookiesOfUpstreamsAreBounded(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	b := w.NewBrowser()
	for range 8 {
		b.Follow(leave(b, b.Open(lab.AuthorizeURL("state", strings.Repeat("s", 380))), "campus"))
	}
	length := 0
	for _, c := range b.HTTP.Jar.Cookies(b.ServerURL()) {
		length += len(c.Name) + len(c.Value) + len("=; ")
	}
	if t.Log(length); length > 8<<10-512 {
		t.Errorf("%d bytes of cookies", length)
	}
}

// Nobody learns from a posted response where a form may lead: to what it may from any page.
func TestPostedResponseOfAPlainApplication(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	b := w.NewBrowser()
	leads := func(p lab.Page) string {
		_, to, _ := strings.Cut(p.Header.Get("Content-Security-Policy"), "form-action ")
		return to
	}
	want := leads(w.NewBrowser().Open("/signup"))
	for _, values := range []url.Values{w.values(b, b.Open("/signin"), "campus"), {"state": {"http://evil.test"}}} {
		p := w.NewBrowser().Post("/signin/with/campus/callback", values)
		if p.StatusCode != http.StatusOK || leads(p) != want {
			t.Errorf("%s %q", p.Status, p.Header.Get("Content-Security-Policy"))
		}
	}
}

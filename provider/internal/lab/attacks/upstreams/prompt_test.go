package upstreams

import (
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestConnectionWithinADemandForNow has an application ask for an authentication of now. Who proves
// it while an identity is connected on the way is not asked again.
func TestConnectionWithinADemandForNow(t *testing.T) {
	t.Parallel()
	for name, asked := range map[string][]string{"Login": {"prompt", "login"}, "MaxAge": {"max_age", "60"}, "Zero": {"max_age", "0"}} {
		request := lab.AuthorizeURL(append([]string{"client_id", "std", "scope", "openid"}, asked...)...)
		for before, arrives := range map[string]func(w *campus, b *lab.Browser) lab.Page{
			"Nobody": func(_ *campus, b *lab.Browser) lab.Page { return b.Open(request) },
			"Another": func(_ *campus, b *lab.Browser) lab.Page {
				b.SignIn("bob@example.com", lab.BobPass)
				return b.Submit(b.Open(request), "action", "switch")
			},
			"Herself": func(w *campus, b *lab.Browser) lab.Page {
				b.SignIn("alice@example.com", lab.AlicePass)
				w.Advance(2 * time.Minute)
				return b.Submit(b.Open(request), "action", "switch")
			},
		} {
			t.Run(name+"/"+before, func(t *testing.T) {
				t.Parallel()
				w := newCampus(t)
				b := w.is("s1", "alice@example.com", true).NewBrowser()
				p := agree(b, w.arrive(b, arrives(w, b)))
				p = b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)
				if len(w.links("alice")) != 1 || !strings.Contains(p.Request.URL.Path, "/oauth/consent") {
					t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
				}
			})
		}
	}
}

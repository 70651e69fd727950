package flows

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// A host, a user and an application that do anything in any order: an answer is given
// only when the host knows the user and allows it, after the sign-in that was asked for.
func TestWalkAtRandomGetsNoAnswerThatItShouldNot(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 7))
			d := &lab.Directory{Person: provider.Person{Attributes: map[string]any{"fname": "Carol"}}}
			var verdict error
			w := lab.New(t, d.Configure, func(c *provider.Config) {
				c.Authorize = func(context.Context, string, string, []string) error {
					d.Mu.Lock()
					defer d.Mu.Unlock()
					return verdict
				}
			}).WithClients()
			one := func(of ...string) string { return of[random.IntN(len(of))] }
			b, other := w.NewBrowser(), w.NewBrowser()
			type request struct {
				prompt string
				at     time.Time
			}
			requests := map[string]request{} // by their state
			var seen []string                // addresses that can be opened again
			var p lab.Page
			codes, began := 0, time.Now().Add(-time.Hour)
			check := func() {
				t.Helper()
				if p.StatusCode >= 500 {
					t.Fatalf("%s %s: %s\n%s", p.Request.Method, p.Request.URL, p.Status, w.Log)
				}
				location, err := url.Parse(p.Header.Get("Location"))
				if err != nil || !strings.HasPrefix(location.String(), lab.CallbackURI) {
					return
				}
				answer := location.Query()
				if answer.Get("code") == "" {
					return
				}
				codes++
				asked := requests[answer.Get("state")]
				delete(requests, answer.Get("state"))
				switch {
				case asked.at.IsZero():
					t.Fatalf("answered twice: %s", location)
				case d.User.UserID == "" || d.Err != nil || verdict != nil:
					t.Fatalf("answered for %q, whom the host does not know (%v) or allow (%v)", d.User.UserID, d.Err, verdict)
				case strings.Contains(asked.prompt, "login") && d.User.AuthTime.Before(asked.at):
					t.Fatalf("prompt=%s is answered for a sign-in of %v, before %v", asked.prompt, d.User.AuthTime, asked.at)
				}
			}
			for n := range 1200 {
				b := b
				if random.IntN(12) == 0 {
					b = other // who must get nowhere with the flows of the first
				}
				d.Set(func() {
					switch random.IntN(14) {
					case 0:
						d.User = provider.SignedIn{UserID: one("carol", "dave"), AuthTime: time.Now()}
					case 1:
						d.User = provider.SignedIn{UserID: one("carol", "dave"), AuthTime: began}
					case 2:
						d.User = provider.SignedIn{}
					case 3:
						d.Err = provider.ErrNoUser
					case 4:
						verdict = provider.Refusal{Message: "No."}
					default:
						d.Err, verdict = nil, nil
					}
				})
				last := p.Response
				switch random.IntN(6) {
				case 0:
					state, prompt := fmt.Sprint("s", n), one("", "login", "none", "consent", "select_account", "login consent", "create")
					requests[state] = request{prompt, time.Now().Truncate(time.Microsecond)}
					p = b.Get(lab.AuthorizeURL(lab.Ask("state", state, "prompt", prompt, "op", one("", "signin", "signup"))...))
				case 1:
					if len(seen) > 0 {
						p = b.Get(seen[random.IntN(len(seen))])
					}
				default:
					if p.Response == nil {
						continue
					}
					switch location, _ := url.Parse(p.Header.Get("Location")); {
					case location.Host == "host.test":
						p = b.Get(location.Query().Get("return_to"))
					case location.Host == "" && location.Path != "":
						seen = append(seen, location.String())
						p = b.Get(location.String())
					case p.StatusCode == http.StatusOK && strings.Contains(p.Text, `method="post"`):
						action, fields := p.Form(t)
						fields.Set("action", one("allow", "allow", "deny", "continue", "switch", "x"))
						if random.IntN(8) == 0 {
							fields.Set("user", "dave")
						}
						p = b.Post(action, fields)
					}
				}
				if p.Response != nil && p.Response != last {
					check()
				}
			}
			if codes == 0 {
				t.Error("nothing was ever answered")
			}
			t.Logf("%d answers", codes)
		})
	}
}

package scale

import (
	"context"
	"flag"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/upstreams"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/provider/upstream/openid"
	"github.com/bonafide-id/bonafide/provider/verification"
)

var (
	day    = flag.Duration("day", 20*time.Minute, "how much time passes on the campus")
	coming = flag.Int("coming", 0, "how many of the people sign in in each half of it; all if 0")
)

const (
	// stride is by how much the clock moves, with a round of the background work: less than a leap.
	stride = 2 * time.Minute

	// remembered is how long sessions and grants last, and lines of the log are kept, on the campus: what
	// begins and ends within a day has to stop growing within it.
	remembered = 4 * time.Hour

	// connections is how many of them browsers keep open.
	connections = 64

	toolServer = "https://tools.campus.example/mcp"
)

// TestCampus lets a day pass on a campus with everything on: people sign in to applications with a
// password or at the university, become verified members, use tools of an agent, sign out; the staff
// looks after them; a webhook hears of it. Nothing fails, and what ends is removed as fast as it comes.
func TestCampus(t *testing.T) {
	c := newCampus(t)
	begin := time.Now()
	c.enrols()
	t.Logf("%d people enrolled in %.0f s", c.size, time.Since(begin).Seconds())
	t.Log(heading)
	strides := int(*day / stride)
	var glances []glance
	for n := range strides {
		c.lives(n, strides)
		if (n+1)%max(1, strides/24) == 0 {
			glances = append(glances, c.glances(time.Duration(n+1)*stride))
			t.Log(glances[len(glances)-1])
		}
	}
	c.steady(glances)
	if c.log.wrong.Load() > 0 {
		t.Errorf("the log has %d warnings and errors, the first %q", c.log.wrong.Load(), c.log.first.Load())
	}
	if c.hook.n.Load() == 0 {
		t.Error("the webhook has heard of nothing")
	}
	t.Logf("%v on the campus in %.0f s: %v sign-ins, %d of them at the university, %d tools, %d verified, %d looks of the staff, %d mails, %d messages to the webhook",
		*day, time.Since(begin).Seconds(), c.signIns.Load(), c.upstream.Load(), c.tools.Load(), c.verified.Load(), c.looks.Load(), c.mails.Load(), c.hook.n.Load())
}

// campus is a place with people of its own.
type campus struct {
	*place
	size   int
	coming int    // so many of them, the same in each half of the day
	code   string // of an invitation
	up     *upstreams.OpenID
	hook   struct {
		*httptest.Server
		n atomic.Int64
	}
	log         *counter
	connections *http.Transport // of all browsers

	signIns, upstream, tools, verified, looks, mails atomic.Int64
	seen                                             []atomic.Bool // who has been here
	atUniversity                                     sync.Mutex    // which says who everybody is that comes
}

func newCampus(t *testing.T) *campus {
	t.Helper()
	c := &campus{size: *people, log: &counter{}, connections: testkit.OwnConnections(t)}
	c.connections.MaxIdleConnsPerHost = connections
	c.connections.DisableCompression = true // the time of this machine is for people, not for their lines
	if testing.Short() {
		c.size = 40
	}
	c.coming = c.size
	if *coming > 0 {
		c.coming = min(*coming, c.size)
	}
	c.seen = make([]atomic.Bool, c.coming)
	c.hook.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c.hook.n.Add(1)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(c.hook.Close)
	c.place = newPlace(t, &kept{}, lab.Unlimited, func(cfg *provider.Config) {
		cfg.Logger, cfg.Mailer, cfg.KeepEvents, cfg.AllowPrivateNetworks = slog.New(c.log), c, remembered, true
		cfg.Lifetimes = provider.Lifetimes{RefreshToken: remembered / 2, Grant: remembered, SessionIdle: remembered / 2, Session: remembered}
		cfg.Signals = signals.Config{Webhooks: true, Endpoints: []signals.Endpoint{{Address: c.hook.URL, Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}}}
		cfg.Scopes = append(catalogue.DefaultScopes(), catalogue.Scope{Name: "tools:run", Title: "Run tools"})
		cfg.Resources = []provider.Resource{{URI: toolServer, Name: "Tools", Scopes: []string{"tools:run"}}}
		c.up = upstreams.NewOpenID(t, cfg.Clock)
		cfg.Upstreams = []provider.Upstream{{ID: "university", Title: "State University", AuthoritativeFor: []string{"campus.example"}, Connector: openid.New(openid.Options{
			Issuer: c.up.Issuer(), ClientID: c.up.ClientID, Secret: c.up.Secret,
		})}}
	})
	c.OK(c.Clients().Save(t.Context(), provider.Client{
		ID: "agent", Name: "Desktop Agent", Dialect: provider.Standard, Public: true, RedirectURIs: []string{lab.CallbackURI},
		GrantTypes: []string{"authorization_code", "refresh_token"}, AccessTokenFormat: "jwt",
	}))
	codes, _, err := c.verification.IssueCodes(t.Context(), verification.Codes{Group: "student", Uses: c.size})
	c.OK(err)
	c.code = codes[0]
	return c
}

func address(i int) string { return fmt.Sprintf("person%d@campus.example", i) }

// Send implements provider.Mailer: nobody keeps the mails of a day.
func (c *campus) Send(context.Context, provider.Mail) error {
	c.mails.Add(1)
	return nil
}

// enrols records everybody, as a host imports its people.
func (c *campus) enrols() {
	c.t.Helper()
	c.atOnce(0, c.size, func(i int) {
		id := fmt.Sprint("person", i)
		_, err := c.Accounts().Save(c.t.Context(), provider.Account{ID: id, Email: address(i), EmailVerified: true, Password: lab.AlicePass})
		c.OK(err)
		c.OK(c.People().SetAttributes(c.t.Context(), id, map[string]any{"fname": "Given", "lname": id}))
	})
}

// atOnce does something for people from one to another, a few at once.
func (c *campus) atOnce(from, to int, do func(i int)) {
	var next atomic.Int64
	next.Store(int64(from))
	var all sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < to && !c.t.Failed(); i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}

// lives lets a stride of the day pass, in which a part of the people comes.
func (c *campus) lives(n, strides int) {
	c.t.Helper()
	half := max(1, strides/2)
	at := n % half
	c.Advance(stride)
	rounds := c.Rooms().Condition(c.t.Context()).Round // asked before the next one begins, or a minute passes until another does
	end := c.runs()
	var staff sync.WaitGroup
	staff.Go(func() { c.staff(n) })
	c.atOnce(c.coming*at/half, c.coming*(at+1)/half, c.comes)
	staff.Wait()
	lab.Eventually(c.t, func() bool { return !c.Rooms().Condition(c.t.Context()).Round.Equal(rounds) })
	end()
}

// comes has somebody visit what they use.
func (c *campus) comes(i int) {
	b, first := c.browser(), !c.seen[i].Swap(true)
	request := lab.Ask("code_challenge", lab.S256, "code_challenge_method", "S256", "scope", "openid identity")
	if i%20 == 2 {
		request = []string{
			"client_id", "agent", "scope", "tools:run", "resource", toolServer, "code_challenge", lab.S256, "code_challenge_method", "S256",
		}
	}
	p := b.Open(lab.AuthorizeURL(request...))
	if i%20 == 1 {
		p = c.byUniversity(b, p, i)
	} else {
		p = b.Submit(p, "email", address(i), "password", lab.AlicePass)
	}
	c.signIns.Add(1)
	if p.StatusCode == http.StatusOK {
		p = b.Submit(p, "action", "allow")
	}
	code := lab.Response(c.t, p).Get("code")
	if i%20 == 2 {
		c.callsTools(b, code)
		return
	}
	tokens := c.tokens(b, lab.Std("code", code, "code_verifier", lab.Verifier))
	b.Userinfo(tokens)
	if i%3 == 0 {
		b.Userinfo(c.tokens(b, lab.Std("grant_type", "refresh_token", "redirect_uri", "", "refresh_token", lab.Member(c.t, tokens, "refresh_token"))))
	}
	if first && i%20 == 0 {
		c.becomesMember(b)
	}
	if i%5 == 0 {
		b.Submit(b.Open("/signout"))
	}
}

// browser returns one without cookies; there are too many for connections of their own.
func (c *campus) browser() *lab.Browser {
	jar := testkit.Must(cookiejar.New(nil))(c.T)
	return &lab.Browser{T: c.t, Fixture: c.Fixture, HTTP: &http.Client{
		Jar: jar, Transport: c.connections,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// tokens asks the token endpoint.
func (c *campus) tokens(b *lab.Browser, request []string) map[string]any {
	p, tokens := b.Token(request...)
	if p.StatusCode != http.StatusOK {
		c.t.Errorf("token: %s %s", p.Status, p.Text)
	}
	return tokens
}

// connected is the link by which somebody proves the account that an upstream shall sign in to.
var connected = regexp.MustCompile(`href="(/signin/connected\?[^"]+)"`)

// byUniversity signs somebody in at the upstream.
func (c *campus) byUniversity(b *lab.Browser, p lab.Page, i int) lab.Page {
	c.atUniversity.Lock()
	defer c.atUniversity.Unlock()
	c.up.Be(upstreams.Person{Subject: fmt.Sprint("u", i), Email: address(i), Verified: true, Name: "Somebody"})
	_, fields := p.Form(c.t)
	sent := b.Post("/signin/with/university", fields).Header.Get("Location")
	c.upstream.Add(1)
	p = b.Open("/signin/with/university/callback?" + c.up.Return(c.t, sent).Encode())
	if connect := connected.FindStringSubmatch(p.Text); connect != nil { // the first time
		p = b.Submit(b.Open(html.UnescapeString(connect[1])), "email", address(i), "password", lab.AlicePass)
	}
	return p
}

// callsTools has the agent of the Model Context Protocol get tokens for the tools, and others later.
func (c *campus) callsTools(b *lab.Browser, code string) {
	exchange := func(pairs ...string) map[string]any {
		return c.tokens(b, append([]string{"client_id", "agent", "client_secret", "", "resource", toolServer}, pairs...))
	}
	tokens := exchange("code", code, "code_verifier", lab.Verifier)
	exchange("grant_type", "refresh_token", "redirect_uri", "", "refresh_token", lab.Member(c.t, tokens, "refresh_token"))
	c.tools.Add(1)
}

// becomesMember verifies somebody by the code of an invitation.
func (c *campus) becomesMember(b *lab.Browser) {
	p := b.Submit(b.Open("/verification/student"), "method", "code")
	if p = b.Submit(p, "answer_code", c.code); p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "You’re verified") {
		c.t.Errorf("verification: %s\n%s", p.Status, p.Text)
	}
	c.verified.Add(1)
}

// staff opens a matter about somebody, and looks.
func (c *campus) staff(n int) {
	olga := c.browser().SignIn("olga@example.com", lab.AlicePass)
	c.kept.record.Runs = n // which names matters
	matter := c.opens("olga", fmt.Sprint("person", n%c.size))
	for _, page := range []string{matter + "/account", matter + "/history", matter + "/applications", "/desk/trail", "/desk/health"} {
		if p := olga.Get(page); p.StatusCode != http.StatusOK {
			c.t.Errorf("%s: %s", page, p.Status)
		}
		c.looks.Add(1)
	}
}

// counter is a log of which only the amount is kept, and the first line that tells of something wrong.
type counter struct {
	lines, bytes, wrong atomic.Int64
	first               atomic.Value
}

// Enabled implements slog.Handler.
func (*counter) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle implements slog.Handler.
func (c *counter) Handle(_ context.Context, r slog.Record) error {
	var line strings.Builder
	text := slog.NewTextHandler(&line, nil)
	if err := text.Handle(context.Background(), r); err != nil {
		return err
	}
	c.lines.Add(1)
	c.bytes.Add(int64(line.Len()))
	if r.Level >= slog.LevelWarn {
		c.wrong.Add(1)
		c.first.CompareAndSwap(nil, line.String())
	}
	return nil
}

// WithAttrs implements slog.Handler.
func (c *counter) WithAttrs([]slog.Attr) slog.Handler { return c }

// WithGroup implements slog.Handler.
func (c *counter) WithGroup(string) slog.Handler { return c }

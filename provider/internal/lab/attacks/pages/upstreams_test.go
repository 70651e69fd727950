package pages

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/upstreams"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/openid"
)

// campus is a provider with alice, whose address is verified, and bob, whose is not, and with
// the upstreams campus and mirror, which the tests tell whom to authenticate.
type campus struct {
	*lab.Fixture
	up, mirror *upstreams.OpenID
}

func newCampus(t *testing.T, change ...func(*provider.Upstream)) *campus {
	return newCampusWith(t, func(*provider.Config) {}, change...)
}

func newCampusWith(t *testing.T, configure func(*provider.Config), change ...func(*provider.Upstream)) *campus {
	t.Helper()
	c := &campus{}
	c.Fixture = lab.New(t, func(cfg *provider.Config) {
		cfg.AllowPrivateNetworks = true
		c.up, c.mirror = upstreams.NewOpenID(t, cfg.Clock), upstreams.NewOpenID(t, cfg.Clock)
		one := provider.Upstream{ID: "campus", Title: "State University", Connector: connector(c.up)}
		for _, f := range change {
			f(&one)
		}
		cfg.Upstreams = []provider.Upstream{one, {ID: "mirror", Title: "Mirror", Connector: connector(c.mirror)}}
		configure(cfg)
	}).WithClients().WithUsers()
	return c
}

// known is the connector of an upstream of the tests.
type known struct {
	*openid.Connector
	up *upstreams.OpenID
}

func connector(up *upstreams.OpenID) known {
	return known{newConnector(up), up}
}

func newConnector(up *upstreams.OpenID) *openid.Connector {
	return openid.New(openid.Options{Issuer: up.Issuer(), ClientID: up.ClientID, Secret: up.Secret})
}

// is has everybody who is sent to the campus be this person.
func (c *campus) is(subject, email string, verified bool) *campus {
	c.up.Be(upstreams.Person{Subject: subject, Email: email, Verified: verified, Name: "Somebody"})
	return c
}

// authoritative has the campus give out the addresses of example.com.
func authoritative(u *provider.Upstream) { u.AuthoritativeFor = []string{"example.com"} }

// leave presses the button of an upstream on a page, and returns the redirect.
func leave(b *lab.Browser, page lab.Page, id string) lab.Page {
	b.T.Helper()
	_, fields := page.Form(b.T)
	return b.Post("/signin/with/"+id, fields)
}

// sentTo is the address of the upstream to which a page leads.
func sentTo(b *lab.Browser, p lab.Page) string {
	b.T.Helper()
	address := p.Header.Get("Location")
	if p.StatusCode != http.StatusSeeOther || !strings.HasPrefix(address, "http://127.0.0.1") {
		b.T.Fatalf("nobody is sent to an upstream: %s %q\n%s", p.Status, address, p.Text)
	}
	return address
}

// values are what the browser brings back from an upstream.
func (c *campus) values(b *lab.Browser, page lab.Page, id string) url.Values {
	b.T.Helper()
	return c.up.Return(b.T, sentTo(b, leave(b, page, id)))
}

func callback(id string, values url.Values) string {
	return "/signin/with/" + id + "/callback?" + values.Encode()
}

// arrive signs in by the campus on a page, as far as the first page after.
func (c *campus) arrive(b *lab.Browser, page lab.Page) lab.Page {
	b.T.Helper()
	return b.Open(callback("campus", c.values(b, page, "campus")))
}

// connect connects the campus to the account that is signed in, freshly.
func (c *campus) connect(b *lab.Browser) lab.Page {
	b.T.Helper()
	_, fields := b.Open("/account/security").Form(b.T)
	p := b.Post("/account/connections/campus", fields)
	return b.Open(callback("campus", c.up.Return(b.T, sentTo(b, p))))
}

// signedInAs reports which address the browser is signed in with.
func signedInAs(b *lab.Browser, email string) bool {
	b.T.Helper()
	p := b.Get("/account")
	return p.StatusCode == http.StatusOK && strings.Contains(p.Text, email)
}

func nobody(t *testing.T, b *lab.Browser) {
	t.Helper()
	if p := b.Get("/account"); p.StatusCode == http.StatusOK {
		t.Error("somebody is signed in")
	}
}

// links are the identities that an account has.
func (c *campus) links(id string) []provider.RecordedLink {
	c.T.Helper()
	has, err := c.Accounts().Authenticators(c.T.Context(), id)
	c.OK(err)
	return has.Links
}

// forgetful is a connector that remembers nothing of its upstream from one call to the next.
type forgetful struct{ up *upstreams.OpenID }

func (f forgetful) Start(ctx context.Context, r upstream.Request) (string, []byte, error) {
	return newConnector(f.up).Start(ctx, r)
}

func (f forgetful) Finish(ctx context.Context, c upstream.Callback) (upstream.Identity, error) {
	return newConnector(f.up).Finish(ctx, c)
}

// member is somebody at the campus, with an affiliation.
func member(subject, affiliation string) upstreams.Person {
	return upstreams.Person{Subject: subject, Email: "a@campus.test", Verified: true, Claims: map[string]any{"affiliation": affiliation}}
}

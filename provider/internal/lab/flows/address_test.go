package flows

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// longest notes the longest address that a browser asks of the provider, but for the one at which
// an application begins.
type longest struct {
	http.RoundTripper
	bytes atomic.Int64
}

func (l *longest) RoundTrip(r *http.Request) (*http.Response, error) {
	if n := int64(len(r.URL.RequestURI())); r.URL.Path != "/oauth/authorize" || r.URL.Query().Has("flow") {
		l.bytes.Store(max(l.bytes.Load(), n))
	}
	return l.RoundTripper.RoundTrip(r)
}

// Whatever an application sends, no address of a sign-in is longer than what every proxy forwards.
func TestAddressesOfASignInAreShort(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.DeviceAuthorization.On = true }).WithClients().WithUsers().WithEveryResponseType().WithSigners()
	app, _ := w.AddApp("bob")
	state := strings.Repeat("s", 4096)
	claims := `{"id_token":{"email":null,"` + strings.Repeat("x", 3000) + `":null}}`
	std := func(pairs ...string) string {
		return lab.AuthorizeURL(append(lab.Std("state", state, "prompt", "consent"), pairs...)...)
	}
	password := func(b *lab.Browser, p lab.Page) lab.Page {
		return b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)
	}
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "tv", Dialect: provider.Standard, Public: true, GrantTypes: []string{"urn:ietf:params:oauth:grant-type:device_code"},
	}))
	for name, flow := range map[string]func(b *lab.Browser) lab.Page{
		"Device": func(b *lab.Browser) lab.Page {
			scopes := "openid email" + strings.Repeat(" email", 300)
			_, codes := b.JSON(b.Post("/oauth/device_authorization", lab.Form("client_id", "tv", "scope", scopes)))
			p := password(b, b.Open("/device"))
			p = b.Submit(p, "user_code", lab.Member(t, codes, "user_code"))
			if p = b.Submit(p, "action", "allow"); p.StatusCode != http.StatusOK {
				t.Errorf("the device: %s", p.Status)
			}
			return b.Open(lab.AuthorizeURL("state", state, "prompt", "consent"))
		},
		"Password": func(b *lab.Browser) lab.Page {
			return password(b, b.Open(lab.AuthorizeURL("state", state, "prompt", "consent")))
		},
		"Claims": func(b *lab.Browser) lab.Page { return password(b, b.Open(std("claims", claims))) },
		"SecondStep": func(b *lab.Browser) lab.Page {
			p := b.Submit(b.Open(lab.AuthorizeURL("state", state, "prompt", "consent")), "email", "bob@example.com", "password", lab.BobPass)
			return b.Submit(p, "code", app.Code())
		},
		"Pushed": func(b *lab.Browser) lab.Page {
			return password(b, b.Open(lab.PushedURL("std", b.Pushed("state", state, "prompt", "consent"))))
		},
		"RequestObject": func(b *lab.Browser) lab.Page {
			object := lab.ClientKeys()["ES256"].Sign(t, w.Object("key", "state", state, "prompt", "consent"))
			return password(b, b.Open(lab.AuthorizeURL("client_id", "key", "scope", "openid", "state", "", "request", object)))
		},
		"Posted": func(b *lab.Browser) lab.Page {
			_, query, _ := strings.Cut(lab.AuthorizeURL("state", state, "prompt", "consent"), "?")
			form := testkit.Must(url.ParseQuery(query))(t)
			return password(b, b.Submit(w.NewBrowser().Post("/oauth/authorize", form)))
		},
		"SignUp": func(b *lab.Browser) lab.Page {
			p := b.Open(lab.AuthorizeURL("state", state, "prompt", "consent"))
			p = b.Open("/signup?" + p.Request.URL.RawQuery)
			p = b.Submit(p, "email", "new@example.com", "new_password", "violet-harbor-lantern-62")
			_, code := w.Mails.Last(t)
			return b.Submit(p, "code", code)
		},
	} {
		b := w.NewBrowser()
		l := &longest{RoundTripper: b.HTTP.Transport}
		b.HTTP.Transport = l
		p := flow(b)
		if got := lab.Response(t, b.Submit(p, "action", "allow")).Get("state"); got != state {
			t.Errorf("%s: state of %d bytes came back", name, len(got))
		}
		if t.Logf("%s: %d", name, l.bytes.Load()); l.bytes.Load() > lab.MaxAddress {
			t.Errorf("%s: an address of %d bytes", name, l.bytes.Load())
		}
	}
}

// A long request is kept as long as its flow, for its browser alone, and goes back and forth.
func TestKeptRequest(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.Limits.Flow = provider.Limit{Burst: 3, Every: time.Minute} }).WithClients().WithUsers()
	long := func(of string) string { return lab.AuthorizeURL("state", of+strings.Repeat("s", 2000)) }
	b := w.NewBrowser()
	first, second := b.Open(long("1")), b.Open(long("2"))
	rows := func() int { return w.Count("pushed_requests") }
	if n := rows(); n != 2 {
		t.Errorf("%d rows for two flows", n)
	}
	lab.Shown(t, w.NewBrowser().Get(first.Request.URL.String()), http.StatusBadRequest) // another browser
	b.Submit(second, "email", "alice@example.com", "password", lab.AlicePass)
	p := b.Open("/oauth/authorize?" + first.Request.URL.RawQuery)
	b.Get(p.Request.URL.String())
	if answer := lab.Response(t, b.Submit(p, "action", "allow")); !strings.HasPrefix(answer.Get("state"), "1s") {
		t.Errorf("answered %v", answer)
	}
	b.Open(lab.AuthorizeURL()) // a short one is not counted
	if n := rows(); n != 2 {
		t.Errorf("%d rows after pages of two flows", n)
	}
	w.NewBrowser().Get(long("3"))
	thrown := w.NewBrowser().Get(long("4"))
	lab.Shown(t, thrown, http.StatusTooManyRequests)
	if thrown.Header.Get("Retry-After") == "" || rows() != 3 {
		t.Errorf("%d rows, and %v", rows(), thrown.Header)
	}
	if p := w.NewBrowser().Get(lab.AuthorizeURL()); p.StatusCode != http.StatusSeeOther {
		t.Errorf("a short request beside: %s", p.Status)
	}
	w.Advance(time.Hour + time.Minute)
	lab.Shown(t, b.Get(second.Request.URL.String()), http.StatusBadRequest)
	testkit.Must(w.Store.Sweep(t.Context(), w.Now(), 1000))(t)
	if n := rows(); n != 0 {
		t.Errorf("%d rows after their time", n)
	}
}

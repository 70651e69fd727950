package operations

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestSlowDatabase(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w, b := lab.WithAlice(t, lab.Faulty(&store))
	tokens := b.StandardTokens()
	code := b.Allow(lab.Ask()...).Get("code")
	hasty := impatient(w).NewBrowser()
	hasty.HTTP.Jar = b.HTTP.Jar
	w.Advance(2 * time.Second)
	store.BreakBefore(func(ctx context.Context, _ string) error { // it answers nobody in time
		<-ctx.Done()
		return ctx.Err()
	})
	pages := lab.Race(40, func(i int) lab.Page {
		if i%2 == 0 {
			p, _ := hasty.Token(lab.Std("code", code)...)
			return p
		}
		return hasty.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token"))
	})
	for _, p := range pages {
		lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
	}
	lab.Unavailable(t, hasty.Get("/account"))
	for _, path := range []string{lab.DiscoveryPath, lab.KeysPath} {
		if p := b.Get(path); p.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, p.Status)
		}
	}
	store.BreakBefore(nil)
	if p, _ := b.Token(lab.Std("code", code)...); p.StatusCode != http.StatusOK {
		t.Errorf("the code afterwards: %s %s", p.Status, p.Text)
	}
}

// Closing while requests are on their way answers or refuses each of them, and burns
// nothing of those that it refuses.
func TestCloseUnderLoad(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	other := w.Twin()
	b := w.Alice()
	const n = 30
	codes := make([]string, n)
	for i := range codes {
		codes[i] = b.Allow(lab.Ask()...).Get("code")
	}
	client := other.NewBrowser()
	closed := make(chan error, 1)
	pages := lab.Race(n+1, func(i int) lab.Page {
		if i == n {
			closed <- other.Provider.Close()
			return lab.Page{}
		}
		p, _ := client.Token(lab.Std("code", codes[i])...)
		return p
	})
	if err := <-closed; err != nil {
		t.Error(err)
	}
	for i, p := range pages[:n] {
		switch p.StatusCode {
		case http.StatusOK:
		case http.StatusServiceUnavailable:
			if p, _ := b.Token(lab.Std("code", codes[i])...); p.StatusCode != http.StatusOK {
				t.Errorf("a refused code was burnt: %s %s", p.Status, p.Text)
			}
		default:
			t.Errorf("answered %s %s", p.Status, p.Text)
		}
	}
	lab.Refused(t, client.Get(lab.AttributesPath), http.StatusServiceUnavailable, "temporarily_unavailable")
	lab.Unavailable(t, client.Get("/signin"))
}

// Requests that never end hold up nobody else.
func TestBodiesThatDripHoldUpNobody(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	address := testkit.Must(url.Parse(w.Server.URL))(t)
	for i := range 100 {
		path := []string{lab.TokenPath, lab.RevokePath, "/signin", lab.UserinfoPath}[i%4]
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address.Host)
		testkit.OK(t, err)
		defer func() { _ = connection.Close() }()
		_, err = fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9999\r\n\r\na=", path, address.Host)
		testkit.OK(t, err)
	}
	w.Alice().StandardTokens()
	w.Server.CloseClientConnections()
}

// deadlines is a connection that notes how long its body may take.
type deadlines struct {
	*httptest.ResponseRecorder
	read time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error { d.read = t; return nil }

func TestBodyThatDripsIsCutOffWhateverTheServerAllows(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	answer := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	begin := time.Now()
	w.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, lab.TokenPath, strings.NewReader("a=b")))
	if answer.read.Before(begin.Add(5*time.Second)) || answer.read.After(time.Now().Add(11*time.Second)) {
		t.Errorf("the body may take %v", answer.read.Sub(begin))
	}
}

func TestOversizedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	form := "application/x-www-form-urlencoded"
	for name, p := range map[string]lab.Page{
		"query of half a megabyte": b.Get(lab.AuthorizeURL() + "&x=" + strings.Repeat("a", 1<<19)),
		"10,000 parameters":        b.Get(lab.AuthorizeURL() + strings.Repeat("&a=1", 10000)),
		"body of a megabyte":       b.Send(http.MethodPost, "/signin", "email="+strings.Repeat("a", 1<<20), "Content-Type", form),
		"authorize by POST":        b.Send(http.MethodPost, "/oauth/authorize", "x="+strings.Repeat("a", 1<<20), "Content-Type", form),
		"token in the query":       b.Get(lab.AttributesPath + "?access_token=" + strings.Repeat("a", 1<<19)),
		"Basic header":             b.Send(http.MethodPost, lab.TokenPath, "grant_type=authorization_code", "Content-Type", form, "Authorization", "Basic "+strings.Repeat("YTph", 1<<16)),
		"Bearer header":            b.Bearer(lab.UserinfoPath, strings.Repeat("a", 1<<19)),
		"200 cookies":              b.Send(http.MethodGet, lab.AttributesPath, "", "Cookie", strings.Repeat("a=b; ", 10000)),
	} {
		if p.StatusCode < 400 && p.Header.Get("Location") == "" || p.StatusCode >= 500 || len(p.Text) > 64<<10 {
			t.Errorf("%s: %s, %d bytes", name, p.Status, len(p.Text))
		}
	}
	if p := b.Get(lab.DiscoveryPath); p.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %s", p.Status)
	}
}

// Two processes whose clocks differ come to the same verdicts.
func TestClocksThatDiffer(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	for _, skew := range []time.Duration{-30 * time.Second, 30 * time.Second} {
		t.Run(skew.String(), func(t *testing.T) {
			other := w.Twin(func(c *provider.Config) { c.Clock = func() time.Time { return w.Now().Add(skew) } })
			b, elsewhere := w.Alice(), other.NewBrowser()
			code := b.Allow(lab.Ask()...).Get("code")
			p, tokens := elsewhere.Token(lab.Std("code", code)...)
			if p.StatusCode != http.StatusOK {
				t.Fatalf("code: %s %s", p.Status, p.Text)
			}
			lab.Works(t, b, lab.Member(t, tokens, "access_token"), true)
			lab.Works(t, elsewhere, lab.Member(t, tokens, "access_token"), true)
			p, _ = b.Token(lab.Std("code", code)...)
			lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		})
	}
}

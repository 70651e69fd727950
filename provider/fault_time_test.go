package provider_test

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
)

func TestSlowDatabase(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients().withUsers()
	b := w.alice()
	tokens := b.standardTokens()
	code := b.allow(ask()...).Get("code")
	hasty := w.impatient().newBrowser()
	hasty.http.Jar = b.http.Jar
	w.advance(2 * time.Second)
	store.breakBefore(func(ctx context.Context, _ string) error { // it answers nobody in time
		<-ctx.Done()
		return ctx.Err()
	})
	pages := race(40, func(i int) page {
		if i%2 == 0 {
			p, _ := hasty.token(std("code", code)...)
			return p
		}
		return hasty.bearer(userinfoPath, text(t, tokens, "access_token"))
	})
	for _, p := range pages {
		refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
	}
	unavailable(t, hasty.get("/account"))
	for _, path := range []string{discoveryPath, keysPath} {
		if p := b.get(path); p.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, p.Status)
		}
	}
	store.breakBefore(nil)
	if p, _ := b.token(std("code", code)...); p.StatusCode != http.StatusOK {
		t.Errorf("the code afterwards: %s %s", p.Status, p.body)
	}
}

// Closing while requests are on their way answers or refuses each of them, and burns
// nothing of those that it refuses.
func TestCloseUnderLoad(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	other := w.twin()
	b := w.alice()
	const n = 30
	codes := make([]string, n)
	for i := range codes {
		codes[i] = b.allow(ask()...).Get("code")
	}
	client := other.newBrowser()
	closed := make(chan error, 1)
	pages := race(n+1, func(i int) page {
		if i == n {
			closed <- other.Provider.Close()
			return page{}
		}
		p, _ := client.token(std("code", codes[i])...)
		return p
	})
	if err := <-closed; err != nil {
		t.Error(err)
	}
	for i, p := range pages[:n] {
		switch p.StatusCode {
		case http.StatusOK:
		case http.StatusServiceUnavailable:
			if p, _ := b.token(std("code", codes[i])...); p.StatusCode != http.StatusOK {
				t.Errorf("a refused code was burnt: %s %s", p.Status, p.body)
			}
		default:
			t.Errorf("answered %s %s", p.Status, p.body)
		}
	}
	refused(t, client.get(attributesPath), http.StatusServiceUnavailable, "temporarily_unavailable")
	unavailable(t, client.get("/signin"))
}

// Requests that never end hold up nobody else.
func TestBodiesThatDripHoldUpNobody(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	address, err := url.Parse(w.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		path := []string{tokenPath, revokePath, "/signin", userinfoPath}[i%4]
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = connection.Close() }()
		_, err = fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9999\r\n\r\na=", path, address.Host)
		if err != nil {
			t.Fatal(err)
		}
	}
	w.alice().standardTokens()
	w.server.CloseClientConnections()
}

// deadlines is a connection that notes how long its body may take.
type deadlines struct {
	*httptest.ResponseRecorder
	read time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error { d.read = t; return nil }

func TestBodyThatDripsIsCutOffWhateverTheServerAllows(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	answer := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	begin := time.Now()
	w.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, tokenPath, strings.NewReader("a=b")))
	if answer.read.Before(begin.Add(5*time.Second)) || answer.read.After(time.Now().Add(11*time.Second)) {
		t.Errorf("the body may take %v", answer.read.Sub(begin))
	}
}

func TestOversizedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.newBrowser()
	form := "application/x-www-form-urlencoded"
	for name, p := range map[string]page{
		"query of half a megabyte": b.get(authorizeURL() + "&x=" + strings.Repeat("a", 1<<19)),
		"10,000 parameters":        b.get(authorizeURL() + strings.Repeat("&a=1", 10000)),
		"body of a megabyte":       b.send(http.MethodPost, "/signin", "email="+strings.Repeat("a", 1<<20), "Content-Type", form),
		"authorize by POST":        b.send(http.MethodPost, "/oauth/authorize", "x="+strings.Repeat("a", 1<<20), "Content-Type", form),
		"token in the query":       b.get(attributesPath + "?access_token=" + strings.Repeat("a", 1<<19)),
		"Basic header":             b.send(http.MethodPost, tokenPath, "grant_type=authorization_code", "Content-Type", form, "Authorization", "Basic "+strings.Repeat("YTph", 1<<16)),
		"Bearer header":            b.bearer(userinfoPath, strings.Repeat("a", 1<<19)),
		"200 cookies":              b.send(http.MethodGet, attributesPath, "", "Cookie", strings.Repeat("a=b; ", 10000)),
	} {
		if p.StatusCode < 400 && p.Header.Get("Location") == "" || p.StatusCode >= 500 || len(p.body) > 64<<10 {
			t.Errorf("%s: %s, %d bytes", name, p.Status, len(p.body))
		}
	}
	if p := b.get(discoveryPath); p.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %s", p.Status)
	}
}

// Two processes whose clocks differ come to the same verdicts.
func TestClocksThatDiffer(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	for _, skew := range []time.Duration{-30 * time.Second, 30 * time.Second} {
		t.Run(skew.String(), func(t *testing.T) {
			other := w.twin(func(c *provider.Config) { c.Clock = func() time.Time { return w.now().Add(skew) } })
			b, elsewhere := w.alice(), other.newBrowser()
			code := b.allow(ask()...).Get("code")
			p, tokens := elsewhere.token(std("code", code)...)
			if p.StatusCode != http.StatusOK {
				t.Fatalf("code: %s %s", p.Status, p.body)
			}
			works(t, b, text(t, tokens, "access_token"), true)
			works(t, elsewhere, text(t, tokens, "access_token"), true)
			p, _ = b.token(std("code", code)...)
			refused(t, p, http.StatusBadRequest, "invalid_grant")
		})
	}
}

package outbound

import (
	"context"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// server counts what reaches it.
type server struct {
	*httptest.Server
	connections, requests atomic.Int32
}

func serve(t *testing.T, handler http.HandlerFunc, secure bool) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		handler(w, r)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	s.Config.ErrorLog = nil
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }

func newClient(t *testing.T, o Options) *Client {
	t.Helper()
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

// resolver says of every name that it has these addresses, one after another with every
// question for an address of IPv4.
func resolver(answers ...string) *net.Resolver {
	var asked atomic.Int32
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go answer(far, func(question dnsmessage.Type) netip.Addr {
			n := int(asked.Load())
			addr := netip.MustParseAddr(answers[min(n, len(answers)-1)])
			if addr.Is4() != (question == dnsmessage.TypeA) {
				return netip.Addr{}
			}
			asked.Add(1)
			return addr
		})
		return near, nil
	}}
}

func answer(conn net.Conn, address func(dnsmessage.Type) netip.Addr) {
	defer conn.Close()
	var size uint16
	if binary.Read(conn, binary.BigEndian, &size) != nil {
		return
	}
	query := make([]byte, size)
	if _, err := io.ReadFull(conn, query); err != nil {
		return
	}
	var m dnsmessage.Message
	if m.Unpack(query) != nil {
		return
	}
	m.Response, m.RCode, m.Additionals = true, dnsmessage.RCodeSuccess, nil
	header := dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET}
	switch addr := address(m.Questions[0].Type); {
	case addr.Is4():
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}}}
	case addr.Is6():
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}}}
	}
	packed, err := m.Pack()
	if err != nil {
		return
	}
	_, _ = conn.Write(binary.BigEndian.AppendUint16(nil, uint16(len(packed))))
	_, _ = conn.Write(packed)
}

// forbiddenWithoutPrivate are addresses that only a host which allows private networks
// may have called, and forbiddenAlways those that are never.
var (
	forbiddenWithoutPrivate = []string{
		"127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1",
		"::1", "fc00::1", "fd12:3456::1", "64:ff9b::a00:1", "64:ff9b::7f00:1",
	}
	forbiddenAlways = []string{
		"0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.1.1", "192.0.0.192", "192.0.2.1", "198.18.0.1", "203.0.113.1",
		"224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "100.100.100.200", "168.63.129.16",
		"::", "fe80::1", "fec0::1", "ff02::1", "fd00:ec2::254", "2001:db8::1", "2002:7f00:1::", "2001:0:7f00:1::",
		"64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "::7f00:1",
	}
)

func TestRefusesForbiddenAddresses(t *testing.T) {
	t.Parallel()
	for _, always := range []bool{false, true} {
		list := forbiddenWithoutPrivate
		if always {
			list = forbiddenAlways
		}
		for _, text := range list {
			addr := netip.MustParseAddr(text)
			if allowed(addr, always) {
				t.Errorf("%s with private networks allowed = %t may be dialled", text, always)
			}
			if addr.Is4() && allowed(netip.AddrFrom16(addr.As16()), always) {
				t.Errorf("::ffff:%s may be dialled", text)
			}
			if !always && !allowed(addr, true) {
				t.Errorf("%s may not be dialled where private networks are allowed", text)
			}
			// Refused as a literal, and as what a name resolves to.
			for _, address := range []string{
				"https://" + net.JoinHostPort(text, "8443") + "/", "https://rp.example.com:8443/",
			} {
				c := newClient(t, Options{AllowPrivate: always, Resolver: resolver(text)})
				if _, err := c.Get(t.Context(), address, ""); !errors.Is(err, ErrForbiddenAddress) {
					t.Errorf("%s at %s: %v, want ErrForbiddenAddress", address, text, err)
				}
				if _, err := c.PostForm(t.Context(), address, url.Values{}); !errors.Is(err, ErrForbiddenAddress) {
					t.Errorf("post to %s at %s: %v, want ErrForbiddenAddress", address, text, err)
				}
			}
		}
	}
	for _, text := range []string{"8.8.8.8", "93.184.216.34", "2606:4700::1111", "64:ff9b::808:808", "100.128.0.1", "172.32.0.1"} {
		if !allowed(netip.MustParseAddr(text), false) {
			t.Errorf("%s may not be dialled", text)
		}
	}
}

// Every spelling of the machine itself reaches a listener unless it is refused.
func TestNoSpellingReachesTheMachineItself(t *testing.T) {
	t.Parallel()
	s := serve(t, ok, true)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c := newClient(t, Options{RootCAs: roots(s), Resolver: resolver("127.0.0.1")})
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST.", "a.localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0",
		"[::]", "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1",
	} {
		if _, err := c.Get(t.Context(), "https://"+host+":"+port+"/", ""); err == nil {
			t.Errorf("%s is called", host)
		}
	}
	if n := s.connections.Load(); n != 0 {
		t.Errorf("%d connections reached the machine itself", n)
	}
}

func TestRefusesNamesThatResolveToTheMachineItself(t *testing.T) {
	t.Parallel()
	s := serve(t, ok, true)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c := newClient(t, Options{RootCAs: roots(s), Resolver: resolver("127.0.0.1")})
	if _, err := c.Get(t.Context(), "https://example.com:"+port+"/", ""); !errors.Is(err, ErrForbiddenAddress) {
		t.Errorf("error %v, want ErrForbiddenAddress", err)
	}
	if n := s.connections.Load(); n != 0 {
		t.Errorf("%d connections reached the machine itself", n)
	}
	// The certificate of httptest is for example.com, so the name would do.
	c = newClient(t, Options{RootCAs: roots(s), Resolver: resolver("127.0.0.1"), AllowPrivate: true})
	if body, err := c.Get(t.Context(), "https://example.com:"+port+"/", ""); err != nil || string(body) != "hello" {
		t.Errorf("with private networks allowed: %q, %v", body, err)
	}
}

// A name that was harmless when it was looked at, and is another when it is dialled.
func TestRefusesRebinding(t *testing.T) {
	t.Parallel()
	s := serve(t, ok, true)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	names := resolver("93.184.216.34", "127.0.0.1")
	testkit.Must(names.LookupNetIP(t.Context(), "ip4", "example.com"))(t)
	c := newClient(t, Options{RootCAs: roots(s), Resolver: names})
	if _, err := c.Get(t.Context(), "https://example.com:"+port+"/", ""); !errors.Is(err, ErrForbiddenAddress) {
		t.Errorf("error %v, want ErrForbiddenAddress", err)
	}
}

// http is for the machine itself, whatever its name resolves to.
func TestPlainHTTPDialsTheMachineItselfOnly(t *testing.T) {
	t.Parallel()
	s := serve(t, ok, false)
	if body, err := newClient(t, Options{AllowPrivate: true}).Get(t.Context(), s.URL, ""); err != nil || string(body) != "hello" {
		t.Errorf("loopback: %q, %v", body, err)
	}
	if _, err := newClient(t, Options{}).Get(t.Context(), s.URL, ""); !errors.Is(err, ErrForbiddenAddress) {
		t.Errorf("loopback where private networks are not allowed: %v", err)
	}
	c := newClient(t, Options{AllowPrivate: true, Resolver: resolver("10.0.0.1")})
	if _, err := c.Get(t.Context(), "http://app.localhost:8080/", ""); !errors.Is(err, ErrForbiddenAddress) {
		t.Errorf("a name below localhost at 10.0.0.1: %v", err)
	}
}

func TestFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	inner := serve(t, ok, false)
	for _, to := range []string{inner.URL, "http://169.254.169.254/latest/meta-data/", "file:///etc/passwd"} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Location", to); w.WriteHeader(307) }, false)
		c := newClient(t, Options{AllowPrivate: true})
		var status *StatusError
		if _, err := c.Get(t.Context(), s.URL, ""); !errors.As(err, &status) || status.Status != 307 {
			t.Errorf("get, redirected to %s: %v, want status 307", to, err)
		}
		if got, err := c.PostForm(t.Context(), s.URL, url.Values{}); err != nil || got != 307 {
			t.Errorf("post, redirected to %s: %d, %v, want 307", to, got, err)
		}
	}
	if inner.requests.Load() != 0 {
		t.Error("a redirect was followed")
	}
}

func TestEndsSlowResponses(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"header": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"body": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "h")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		s := serve(t, handler, false)
		c := newClient(t, Options{AllowPrivate: true, Timeout: 100 * time.Millisecond})
		if _, err := c.Get(t.Context(), s.URL, ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s that never ends: %v", name, err)
		}
	}
}

// A listener that accepts and says nothing holds a handshake no longer than a response.
func TestEndsSlowHandshakes(t *testing.T) {
	t.Parallel()
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	c := newClient(t, Options{AllowPrivate: true, Timeout: 100 * time.Millisecond})
	if _, err := c.Get(t.Context(), "https://"+l.Addr().String(), ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want DeadlineExceeded", err)
	}
}

func TestBoundsResponses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		whole   bool
	}{
		"exact": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, MaxBody)) }, true},
		"large": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, MaxBody+1)) }, false},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 4096)); err != nil {
					return
				}
			}
		}, false},
	} {
		s := serve(t, test.handler, false)
		c := newClient(t, Options{AllowPrivate: true})
		if body, err := c.Get(t.Context(), s.URL, ""); (err == nil) != test.whole || !test.whole && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %d bytes, %v", name, len(body), err)
		}
		if _, err := c.PostForm(t.Context(), s.URL, url.Values{}); (err == nil) != test.whole {
			t.Errorf("post, %s: %v", name, err)
		}
	}
	header := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("a", 2*maxHeader)) }, false)
	if _, err := newClient(t, Options{AllowPrivate: true}).Get(t.Context(), header.URL, ""); err == nil {
		t.Error("a large header is accepted")
	}
}

func TestKeepsNoCookieAndAsksForNoCompression(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 2)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Clone()
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
	}, false)
	c := newClient(t, Options{AllowPrivate: true})
	for range 2 {
		testkit.Must(c.Get(t.Context(), s.URL, "application/jwk-set+json"))(t)
		if header := <-seen; header.Get("Cookie") != "" || header.Get("Accept-Encoding") != "" || header.Get("Accept") != "application/jwk-set+json" {
			t.Errorf("request has the header %v", header)
		}
	}
}

func TestKnowsNoProxy(t *testing.T) { // not parallel: it sets the environment
	proxy := serve(t, ok, false)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	c := newClient(t, Options{Resolver: resolver("10.0.0.1")})
	if _, err := c.Get(t.Context(), "https://rp.example.com/", ""); !errors.Is(err, ErrForbiddenAddress) {
		t.Errorf("error %v, want ErrForbiddenAddress", err)
	}
	if proxy.connections.Load() != 0 {
		t.Error("the proxy of the environment was asked")
	}
	for name, client := range map[string]http.Client{"secure": c.secure, "plain": c.plain} {
		if client.Transport.(*http.Transport).Proxy != nil || client.Jar != nil {
			t.Errorf("the client %s has a proxy or a jar", name)
		}
	}
}

func TestRefusesCertificatesOfStrangers(t *testing.T) {
	t.Parallel()
	s := serve(t, ok, true)
	if _, err := newClient(t, Options{AllowPrivate: true}).Get(t.Context(), s.URL, ""); err == nil {
		t.Error("a certificate that nobody signed is believed")
	}
}

func TestPostsForms(t *testing.T) {
	t.Parallel()
	arrived := make(chan string, 1)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- r.Method + " " + r.Header.Get("Content-Type") + " " + r.PostFormValue("logout_token")
		w.WriteHeader(http.StatusNoContent)
	}, true)
	c := newClient(t, Options{AllowPrivate: true, RootCAs: roots(s)})
	status, err := c.PostForm(t.Context(), s.URL, url.Values{"logout_token": {"a.b.c"}})
	if err != nil || status != http.StatusNoContent {
		t.Fatalf("%d, %v", status, err)
	}
	if got := <-arrived; got != "POST application/x-www-form-urlencoded a.b.c" {
		t.Errorf("arrived: %s", got)
	}
}

// What is wrong with a call does not show the query, which may be somebody's secret.
func TestErrorsHideTheAddress(t *testing.T) {
	t.Parallel()
	s := serve(t, ok, false)
	s.Close()
	_, err := newClient(t, Options{AllowPrivate: true}).Get(t.Context(), s.URL+"/?key=hidden", "")
	if err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("error %v", err)
	}
}

func roots(s *server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}

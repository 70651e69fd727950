// Package outbound is the one HTTP client with which the provider calls addresses that
// applications have registered. Whoever may register one chooses where the provider
// connects to, so that it could be used to reach what only the provider's machine can:
// services of the same network, and the metadata of a cloud. What is refused is decided
// about the address that is dialled, after its name has been resolved, so that a name
// that changes its address is of no use.
package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// MaxBody is how many bytes a response may have.
const MaxBody = 64 << 10

const (
	// maxHeader bounds the header of a response, in bytes.
	maxHeader = 16 << 10
	// maxCalls bounds the calls of a process at a time, and maxConns those to one host and
	// its connections, so that many slow addresses use up neither memory nor ports.
	maxCalls = 64
	maxConns = 8
)

// ErrTooLarge says that a response had more than MaxBody bytes.
var ErrTooLarge = fmt.Errorf("the response has more than %d bytes", MaxBody)

// StatusError is a response with another status than 200.
type StatusError struct {
	Status int
}

// Error names the status.
func (e *StatusError) Error() string { return fmt.Sprintf("the response has status %d", e.Status) }

// Options are what a Client works with.
type Options struct {
	// AllowPrivate allows addresses of private networks and of the machine itself, and
	// plain http to the latter.
	// Defaults to false.
	AllowPrivate bool

	// Timeout bounds a call, to the last byte of the response.
	// Defaults to 5 seconds.
	Timeout time.Duration

	// RootCAs are whose certificates are believed.
	// Defaults to those of the system.
	RootCAs *x509.CertPool

	// Resolver finds the addresses of a name.
	// Defaults to that of the system.
	Resolver *net.Resolver
}

// Client calls addresses of applications. It is safe for concurrent use. It follows no
// redirect, keeps no cookie, and knows no proxy: a proxy would resolve names itself.
type Client struct {
	allowPrivate bool
	timeout      time.Duration
	secure       http.Client
	plain        http.Client // for http, which dials the machine itself only
	hosts        hosts
	calls        chan struct{} // one for each call that goes on
}

// New returns a Client.
func New(o Options) *Client {
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	return &Client{
		allowPrivate: o.AllowPrivate,
		timeout:      o.Timeout,
		secure:       newHTTP(o, func(a netip.Addr) bool { return allowed(a, o.AllowPrivate) }),
		plain:        newHTTP(o, netip.Addr.IsLoopback),
		hosts:        hosts{busy: map[string]*host{}},
		calls:        make(chan struct{}, maxCalls),
	}
}

// newHTTP returns an HTTP client that connects to those addresses only which may be dialled.
func newHTTP(o Options, mayDial func(netip.Addr) bool) http.Client {
	dialer := &net.Dialer{
		Resolver: o.Resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			dialled, err := netip.ParseAddrPort(address)
			if err != nil || !mayDial(dialled.Addr().Unmap()) {
				return ErrForbiddenAddress
			}
			return nil
		},
	}
	return http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
			MaxResponseHeaderBytes: maxHeader,
			DisableCompression:     true, // what is small on the wire could be endless
			MaxConnsPerHost:        maxConns,
			MaxIdleConns:           maxCalls,
			MaxIdleConnsPerHost:    1,
			IdleConnTimeout:        30 * time.Second,
		},
	}
}

// Get returns the body of a resource, which it asks for as the media type accept, or as
// any when that is "". An address that may not be called is ErrForbiddenAddress, another
// status than 200 a StatusError, and a body of more than MaxBody bytes ErrTooLarge.
func (c *Client) Get(ctx context.Context, address, accept string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, ErrForbiddenAddress
	}
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	a, err := c.do(r)
	if err == nil && a.status != http.StatusOK {
		err = &StatusError{a.status}
	}
	if err != nil {
		return nil, err
	}
	return a.body, nil
}

// PostForm sends a form and returns the status of the response, whichever that is. An
// address that may not be called is ErrForbiddenAddress, and a body of more than MaxBody
// bytes ErrTooLarge.
func (c *Client) PostForm(ctx context.Context, address string, form url.Values) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, ErrForbiddenAddress
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a, err := c.do(r)
	return a.status, err
}

// HTTP returns an http.Client that calls as c does, for libraries that want one: responses
// are complete when it returns, and a redirect is a response.
func (c *Client) HTTP() *http.Client {
	return &http.Client{
		Transport:     transport{c},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type transport struct{ client *Client }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
	}
	a, err := t.client.do(r.Clone(r.Context()))
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)), StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: a.header,
		Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: r,
	}, nil
}

// response is a whole response.
type response struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request and reads the whole response. Its errors do not repeat the address,
// whose query may be somebody's secret.
func (c *Client) do(r *http.Request) (response, error) {
	if ValidateURL(r.URL.String(), c.allowPrivate) != nil {
		return response{}, ErrForbiddenAddress
	}
	ctx, cancel := context.WithTimeout(r.Context(), c.timeout)
	defer cancel()
	leave, err := c.hosts.enter(ctx, strings.ToLower(strings.TrimSuffix(r.URL.Hostname(), ".")))
	if err != nil {
		return response{}, err
	}
	defer leave()
	select {
	case c.calls <- struct{}{}:
		defer func() { <-c.calls }()
	case <-ctx.Done():
		return response{}, ctx.Err()
	}
	client := &c.secure
	if r.URL.Scheme == "http" {
		client = &c.plain
	}
	r.Header.Set("User-Agent", "Bonafide")
	res, err := client.Do(r.WithContext(ctx)) //nolint:gosec // what is dialled is decided about the address
	if err != nil {
		return response{}, withoutAddress(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, MaxBody+1))
	switch {
	case err != nil:
		return response{}, fmt.Errorf("read response: %w", err)
	case len(body) > MaxBody:
		return response{}, ErrTooLarge
	}
	return response{res.StatusCode, res.Header, body}, nil
}

func withoutAddress(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// Close closes the connections that nobody uses.
func (c *Client) Close() {
	c.secure.CloseIdleConnections()
	c.plain.CloseIdleConnections()
}

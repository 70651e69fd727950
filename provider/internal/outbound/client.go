// Package outbound is the HTTP client that calls URLs which applications have registered.
// Without its rules a registration could reach services that only the provider's machine can
// reach, such as those of its network and the metadata of a cloud (server-side request
// forgery). The rules check the resolved address that is dialled, so that DNS rebinding does
// not get around them.
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

// MaxBody is the maximum size of a response body in bytes, unless Options say another.
const MaxBody = 64 << 10

const (
	// maxHeader is the maximum size of a response header in bytes.
	maxHeader = 16 << 10
	// maxCalls limits concurrent calls of a client, unless Options say another, maxConns
	// concurrent calls and connections to one host: slow hosts use up neither memory nor
	// ports.
	maxCalls = 64
	maxConns = 8
)

// ErrTooLarge means that a response body has more bytes than the client reads.
var ErrTooLarge = errors.New("the response is too large")

// StatusError means that a response has another status than 200.
type StatusError struct {
	Status int
}

// Error names the status.
func (e *StatusError) Error() string { return fmt.Sprintf("the response has status %d", e.Status) }

// Options configure a Client.
type Options struct {
	// AllowPrivate allows addresses of private networks and loopback addresses, and http
	// to the latter.
	// Defaults to false.
	AllowPrivate bool

	// Timeout limits a call up to the last byte of the response.
	// Defaults to 5 seconds.
	Timeout time.Duration

	// MaxBody limits the body of a response, in bytes.
	// Defaults to the constant MaxBody.
	MaxBody int

	// MaxCalls limits concurrent calls.
	// Defaults to 64.
	MaxCalls int

	// MaxIdle limits the connections to one host that are kept for the next call.
	// Defaults to 1.
	MaxIdle int

	// RootCAs are the trusted certificate authorities.
	// Defaults to those of the system.
	RootCAs *x509.CertPool

	// Resolver resolves host names.
	// Defaults to that of the system.
	Resolver *net.Resolver
}

// Client calls URLs of applications. It is safe for concurrent use. It follows no redirects,
// keeps no cookies and uses no proxy: a proxy would resolve names itself.
type Client struct {
	allowPrivate bool
	timeout      time.Duration
	maxBody      int
	secure       http.Client
	plain        http.Client // for http, which dials loopback addresses only
	hosts        hosts
	calls        chan struct{} // one element for each call in progress
}

// New returns a Client.
func New(o Options) *Client {
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	if o.MaxBody <= 0 {
		o.MaxBody = MaxBody
	}
	if o.MaxCalls <= 0 {
		o.MaxCalls = maxCalls
	}
	return &Client{
		allowPrivate: o.AllowPrivate,
		timeout:      o.Timeout,
		maxBody:      o.MaxBody,
		secure:       newHTTP(o, func(a netip.Addr) bool { return allowed(a, o.AllowPrivate) }),
		plain:        newHTTP(o, netip.Addr.IsLoopback),
		hosts:        hosts{busy: map[string]*host{}},
		calls:        make(chan struct{}, o.MaxCalls),
	}
}

// newHTTP returns an HTTP client that connects only to addresses for which mayDial is true.
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
			DisableCompression:     true, // a small response could decompress without end
			MaxConnsPerHost:        maxConns,
			MaxIdleConns:           o.MaxCalls,
			MaxIdleConnsPerHost:    max(o.MaxIdle, 1),
			IdleConnTimeout:        30 * time.Second,
		},
	}
}

// Get returns the body of a resource. The header Accept has the media type accept, unless it
// is empty. Errors are ErrForbiddenAddress, ErrTooLarge, a StatusError for another status than
// 200, and those of the connection.
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

// PostForm sends a form and returns the status of the response, whatever it is. Errors are
// ErrForbiddenAddress, ErrTooLarge and those of the connection.
func (c *Client) PostForm(ctx context.Context, address string, form url.Values) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, ErrForbiddenAddress
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a, err := c.do(r)
	return a.status, err
}

// Answer is a response to Post.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Post sends a body with a header and returns the response, whatever its status. Of a body that is
// too large it has the beginning. Errors are ErrForbiddenAddress and those of the connection.
func (c *Client) Post(ctx context.Context, address string, header http.Header, body []byte) (Answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return Answer{}, ErrForbiddenAddress
	}
	r.Header = header.Clone()
	a, err := c.do(r)
	if errors.Is(err, ErrTooLarge) {
		err = nil
	}
	return Answer{a.status, a.header, a.body}, err
}

// HTTP returns an http.Client with the rules of c, for libraries that take one. It returns a
// response after its last byte, and a redirect as a response.
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

// response is a response with its whole body.
type response struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request and reads the whole response. Its errors do not contain the URL, whose
// query may be a secret.
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
	res, err := client.Do(r.WithContext(ctx)) //nolint:gosec // the dialer checks the address
	if err != nil {
		return response{}, withoutAddress(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(c.maxBody)+1))
	switch {
	case err != nil:
		return response{}, fmt.Errorf("read response: %w", err)
	case len(body) > c.maxBody:
		return response{res.StatusCode, res.Header, body[:c.maxBody]}, ErrTooLarge
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

// Close closes idle connections.
func (c *Client) Close() {
	c.secure.CloseIdleConnections()
	c.plain.CloseIdleConnections()
}

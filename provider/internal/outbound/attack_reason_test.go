package outbound_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/outbound"
)

// TestAttackReasonAsAnOracle has the provider call what only its own network knows, and
// reads of it in the reason.
func TestAttackReasonAsAnOracle(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("name server 10.9.8.7:53 does not answer")
	}}
	for name, c := range map[string]struct {
		options outbound.Options
		address string
		want    string
	}{
		"Unresolved": {outbound.Options{Resolver: resolver}, "https://db.corp.example/", "the name of the host has no address"},
		"Forbidden":  {outbound.Options{}, "https://10.9.8.7/", "the address may not be called"},
		"Untrusted":  {outbound.Options{AllowPrivate: true}, secure.URL, "the certificate is not trusted, has expired, or is of another host"},
		"Refused":    {outbound.Options{AllowPrivate: true}, closed(t), "the connection was refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := outbound.New(c.options)
			defer client.Close()
			_, err := client.Get(t.Context(), c.address, "")
			if err == nil {
				t.Fatal("it answers")
			}
			if got := outbound.Reason(err); got != c.want || strings.ContainsAny(got, "0123456789") {
				t.Errorf("%q of %v, want %q", got, err, c.want)
			}
		})
	}
}

// closed is an address at which nobody listens.
func closed(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	return server.URL
}

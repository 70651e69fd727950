package verification

import (
	"crypto/x509"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/outbound"
)

// Egress says how a verifier calls the other side. Its zero value calls the public internet
// by https.
type Egress struct {
	// AllowPrivate allows addresses of private networks and of the machine itself, and plain
	// http to the latter. The addresses where clouds serve credentials stay forbidden.
	// Defaults to false.
	AllowPrivate bool

	// Timeout bounds a call, to the last byte of the response.
	// Defaults to 5 seconds.
	Timeout time.Duration

	// RootCAs are whose certificates are believed.
	// Defaults to those of the system.
	RootCAs *x509.CertPool
}

// Client returns the client of an Egress. What may be called is decided about the address
// that is dialled, so that a name that changes its address is of no use. It follows no
// redirect, keeps no cookie and knows no proxy; a response of more than 64 KiB is an error.
func (e Egress) Client() *http.Client {
	return outbound.New(outbound.Options{AllowPrivate: e.AllowPrivate, Timeout: e.Timeout, RootCAs: e.RootCAs}).HTTP()
}

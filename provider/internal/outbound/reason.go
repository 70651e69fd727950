package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"syscall"
)

// Reason returns why a call has failed, for the owner of the application that registered the
// URL. It does not repeat the text of the error, which names addresses of the provider's
// network and of its name server.
func Reason(err error) string {
	var unresolved *net.DNSError
	var untrusted *tls.CertificateVerificationError
	var late net.Error
	switch {
	case errors.Is(err, ErrForbiddenAddress):
		return "the address may not be called"
	case errors.Is(err, ErrTooLarge):
		return ErrTooLarge.Error()
	case errors.As(err, &unresolved):
		return "the name of the host has no address"
	case errors.As(err, &untrusted):
		return "the certificate is not trusted, has expired, or is of another host"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return "the answer was not complete in time"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	default:
		return "there was no answer"
	}
}

// IsLasting reports whether an error of Get is that of the address, as it is registered or as it
// answers, and not of the network, or of a server that has failed and may recover.
func IsLasting(err error) bool {
	var status *StatusError
	if errors.As(err, &status) {
		return status.Status < http.StatusInternalServerError && status.Status != http.StatusTooManyRequests
	}
	return errors.Is(err, ErrForbiddenAddress) || errors.Is(err, ErrTooLarge)
}

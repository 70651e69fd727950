package smtpmailer

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/textproto"
	"regexp"
	"strings"
)

// failed says which step failed, and what the server said to it.
func failed(step string, err error) error {
	var reply *textproto.Error
	if !errors.As(err, &reply) {
		return fmt.Errorf("%s: %w", step, err)
	}
	text := strings.ToValidUTF8(reply.Msg, "?")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' { // a log is read on terminals
			return ' '
		}
		return r
	}, text)
	if len(text) > 200 {
		text = text[:200]
	}
	if text == "" {
		return fmt.Errorf("%s (%d)", step, reply.Code)
	}
	return fmt.Errorf("%s (%d %s)", step, reply.Code, text)
}

// withoutText leaves of what the server said the codes: the words may repeat the
// address of the mail's reader, or a line of the mail.
func withoutText(err error) error {
	var reply *textproto.Error
	if !errors.As(err, &reply) {
		return err
	}
	return &textproto.Error{Code: reply.Code, Msg: enhanced.FindString(reply.Msg)}
}

// enhanced is a status code of RFC 3463, as a reply begins with it.
var enhanced = regexp.MustCompile(`^[245]\.[0-9]{1,3}\.[0-9]{1,3}\b`)

// code returns the codes of a reply as a part of a sentence.
func code(err error) string {
	var reply *textproto.Error
	if !errors.As(withoutText(err), &reply) {
		return ""
	}
	return strings.TrimRight(fmt.Sprintf(", %d %s", reply.Code, reply.Msg), " ")
}

// tlsError says what is wrong with a server's certificate, if that is what is wrong.
func tlsError(err error) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &certificate):
		return fmt.Errorf("the server's certificate is not good for this host: %w", err)
	case errors.As(err, &record):
		return fmt.Errorf("the server does not speak TLS on this port; port 587 is StartTLS: %w", err)
	}
	return failed("no TLS connection", err)
}

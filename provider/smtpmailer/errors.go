package smtpmailer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
)

// failed says why a step failed: the server refused it, with what it said, or has not
// answered it, in time or at all. A refusal is for an operator to look at the settings; a
// time-out says nothing against them.
func failed(ctx context.Context, step, refusal string, err error) error {
	var reply *textproto.Error
	switch {
	case errors.As(err, &reply):
		return fmt.Errorf("%s (%s)", refusal, quoted(reply))
	case ctx.Err() != nil:
		return fmt.Errorf("the server did not answer %s in time: %w", step, ctx.Err())
	}
	return fmt.Errorf("the server did not answer %s: %w", step, err)
}

// notOfTheAddress are the enhanced codes of refusals that say nothing about a recipient: of the
// mail system, the protocol, the content and the policy (RFC 3463 sections 3.4 and 3.6 to 3.8).
var notOfTheAddress = regexp.MustCompile(`^5\.[3567]\.`)

// refusedFor adds to a refused recipient that it is refused for good, if it is for what the
// address is (RFC 5321 section 4.2.3, RFC 7504 section 4.2). A server that delivers to nobody from
// here refuses every address, which the operator has to mend; a full mailbox is none that is wrong.
func refusedFor(reply, refusal error) error {
	var said *textproto.Error
	if !errors.As(reply, &said) || !slices.Contains([]int{550, 551, 553, 556}, said.Code) || notOfTheAddress.MatchString(said.Msg) {
		return refusal
	}
	return fmt.Errorf("%w: %w", provider.ErrRecipientRefused, refusal)
}

// quoted is what a server said, as a log can hold it.
func quoted(reply *textproto.Error) string {
	text := strings.ToValidUTF8(reply.Msg, "?")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' { // a log is read on terminals
			return ' '
		}
		return r
	}, text)
	return strings.TrimRight(fmt.Sprintf("%d %s", reply.Code, text[:min(len(text), 200)]), " ")
}

// withoutText leaves of what the server said the codes: the words may repeat the
// address of the mail's reader, a line of the mail, or the password.
func withoutText(err error) error {
	var reply *textproto.Error
	var network net.Error
	switch {
	case errors.As(err, &reply):
		return &textproto.Error{Code: reply.Code, Msg: enhanced.FindString(reply.Msg)}
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, errTooMuch):
		return err
	}
	return errors.New("what it says is no answer of SMTP")
}

// enhanced is a status code of RFC 3463, as a reply begins with it.
var enhanced = regexp.MustCompile(`^[245]\.[0-9]{1,3}\.[0-9]{1,3}\b`)

// tlsError says what is wrong with a server's certificate, if that is what is wrong.
func tlsError(ctx context.Context, err error) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &certificate):
		return fmt.Errorf("the server's certificate is not good for this host: %w", err)
	case errors.As(err, &record):
		return fmt.Errorf("the server does not speak TLS on this port; port 587 is StartTLS: %w", err)
	}
	return failed(ctx, "the beginning of TLS", "the server refused TLS", err)
}

package smtpmailer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"github.com/bonafide-id/bonafide/provider"
)

// Send hands a mail to the server and returns nil once the server has taken it over.
// After an error it may have been sent nevertheless, when only the reply was lost.
// provider.ErrRecipientRefused if there is no such mailbox for the server, now or later.
func (m *Mailer) Send(ctx context.Context, message provider.Mail) error {
	ctx, cancel := context.WithTimeout(ctx, m.cfg.Timeout)
	defer cancel()
	to, text, err := m.compose(message, time.Now())
	if err != nil {
		return fmt.Errorf("smtp: %w", err)
	}
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	case <-ctx.Done():
		return fmt.Errorf("smtp %s: %d mails were on their way already: %w", m.address(), m.cfg.Connections, ctx.Err())
	}
	if err := m.deliver(ctx, to, text); err != nil {
		return fmt.Errorf("smtp %s: %w", m.address(), err)
	}
	return nil
}

// deliver makes a connection and hands over one mail. The end of ctx closes the
// connection, whatever the server is doing or not doing.
func (m *Mailer) deliver(ctx context.Context, to mail.Address, text []byte) error {
	dialer := net.Dialer{Timeout: m.cfg.ConnectTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", m.address())
	if err != nil {
		// Not wrapped: a connection that was not made in time would be taken for a mail
		// of which nobody knows whether it was sent.
		return fmt.Errorf("no connection; check the host and the port: %s", err.Error())
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	return m.converse(ctx, &bounded{Conn: conn, left: mostHeard}, to, text)
}

// converse is the whole dialogue with a server.
func (m *Mailer) converse(ctx context.Context, conn net.Conn, to mail.Address, text []byte) error {
	if m.cfg.Security == ImplicitTLS {
		encrypted := tls.Client(conn, m.tls())
		if err := encrypted.HandshakeContext(ctx); err != nil {
			return tlsError(ctx, err)
		}
		conn = encrypted
	}
	client, err := smtp.NewClient(conn, m.cfg.Host)
	if err != nil {
		return failed(ctx, "the connection (port 465 is ImplicitTLS, port 587 StartTLS)", "the server refused the connection", err)
	}
	// Servers that do not know the extension would refuse mail that needs none of it.
	client.SkipSMTPUTF8(isASCII(to.Address))
	if err := client.Hello(m.hello); err != nil {
		return failed(ctx, "EHLO", "the server refused the greeting", err)
	}
	if m.cfg.Security == StartTLS {
		// Whoever can change what passes by can take the offer out; what is sent to
		// them then is nothing.
		if offered, _ := client.Extension("STARTTLS"); !offered {
			return errors.New("the server does not offer STARTTLS, or somebody has taken the offer out; nothing was sent. Port 465 needs ImplicitTLS")
		}
		if err := client.StartTLS(m.tls()); err != nil {
			return tlsError(ctx, err)
		}
	}
	if err := m.authenticate(ctx, client); err != nil {
		return err
	}
	return m.hand(ctx, client, to, text)
}

// authenticate signs in at the server, over TLS: New refuses a password without it.
// What the server says to a refusal is left out, save for the code: it could repeat
// the password.
func (m *Mailer) authenticate(ctx context.Context, client *smtp.Client) error {
	if m.cfg.Username == "" {
		return nil
	}
	_, offered := client.Extension("AUTH")
	mechanisms := strings.Fields(strings.ToUpper(offered))
	for _, known := range []struct {
		name string
		auth smtp.Auth
	}{
		{"PLAIN", smtp.PlainAuth("", m.cfg.Username, m.cfg.Password, m.cfg.Host, false)},
		{"LOGIN", smtp.LoginAuth(m.cfg.Username, m.cfg.Password, m.cfg.Host, false)},
	} {
		for _, mechanism := range mechanisms {
			if mechanism != known.name {
				continue
			}
			if err := client.Auth(known.auth); err != nil {
				return failed(ctx, "AUTH "+known.name, "the server refused the user name or the password, by "+known.name, withoutText(err))
			}
			return nil
		}
	}
	return errors.New("the server offers neither PLAIN nor LOGIN to sign in by; leave user name and password out if it asks for none")
}

// goodbye is how long a server that has taken a mail may take to hang up.
const goodbye = 500 * time.Millisecond

// hand gives the envelope and the mail to the server. The reply to the last line of
// the mail is the one that counts; what comes after it is a courtesy.
func (m *Mailer) hand(ctx context.Context, client *smtp.Client, to mail.Address, text []byte) error {
	if err := client.Mail(bare(m.from)); err != nil {
		return failed(ctx, "MAIL FROM", "the server refused the sender; check the address that mails come from, and whether this user may send as it", err)
	}
	if err := client.Rcpt(bare(to)); err != nil {
		return refusedFor(err, failed(ctx, "RCPT TO", "the server refused the recipient", withoutText(err)))
	}
	body, err := client.Data()
	if err != nil {
		return failed(ctx, "DATA", "the server refused the mail", withoutText(err))
	}
	_, err = body.Write(text)
	if err := errors.Join(err, body.Close()); err != nil {
		return failed(ctx, "the mail", "the server refused the mail", withoutText(err))
	}
	if client.UpdateDeadline(goodbye) == nil {
		_ = client.Quit()
	}
	return nil
}

// bare is an address without a name, in angle brackets.
func bare(a mail.Address) string { return (&mail.Address{Address: a.Address}).String() }

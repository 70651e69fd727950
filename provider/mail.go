package provider

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/ui"
)

// Mailer sends mail to users: notices, and codes that finish a sign-up or reset a password.
// Send returns once the message is handed over; if it fails, the screen says that the mail
// could not be sent. An unsent mail does not count against its recipient's limit, unless
// the error is context.DeadlineExceeded or context.Canceled (errors.Is): it may have been
// sent. If no mail can ever be delivered to the recipient, the error is ErrRecipientRefused
// (errors.Is): the form says so, and the service is not taken for unavailable.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// ErrRecipientRefused is the error of a Mailer whose server refuses the recipient of a mail for
// good, such as an address that does not exist (RFC 5321 section 4.2.1: 5yz). It must not depend
// on anything but the address: the page tells it to strangers.
var ErrRecipientRefused = host.ErrRecipientRefused

// Mail is a message. A Mailer sends Text and HTML, or composes its own from Kind, Language
// and Code.
type Mail struct {
	To      string
	Subject string

	// Text is plain text, HTML the same as a page in the look of the service, or empty.
	Text string
	HTML string

	// Kind is the type of mail, such as ui.MailSignUp.
	Kind ui.MailKind

	// Language is the BCP 47 tag of its language.
	Language string

	// Code is the code in it, or empty.
	Code string

	// ClientID names the application in whose flow the mail was sent; empty for none. A
	// sandbox whose Mailer keeps mails instead of sending them can show each to the
	// developers of its application.
	ClientID string
}

func composeMail(to string, v ui.MailView) Mail {
	m := ui.Compose(v)
	return Mail{To: to, Subject: m.Subject, Text: m.Body, HTML: m.HTML, Kind: m.Kind, Language: m.Lang, Code: m.Code}
}

// ComposeMail composes a mail of a handler beside the provider, for a Mailer, in the look of the
// service, and with its address for resetting a password unless the mail has one.
func (p pagesRoom) ComposeMail(to string, v ui.MailView) Mail {
	site := p.flows.Site
	v.Brand, v.Theme, v.BaseURL = site.Brand, site.Theme, site.BaseURL
	if v.ResetURL == "" {
		v.ResetURL = site.BaseURL + "/reset"
	}
	return composeMail(to, v)
}

// InsecureMailPrinter returns a Mailer for development that writes every message,
// with its codes, to w instead of sending it.
func InsecureMailPrinter(w io.Writer) Mailer { return mailPrinter{w} }

type mailPrinter struct{ w io.Writer }

func (p mailPrinter) Send(_ context.Context, m Mail) error {
	_, err := fmt.Fprintf(p.w, "\n--- mail to %s\n--- %s\n%s\n---\n", m.To, m.Subject, m.Text)
	return err
}

// sendMail returns the Mailer as an internal function, or nil.
func (p *Provider) sendMail() func(ctx context.Context, to string, v ui.MailView) error {
	c := p.cfg
	if c.Mailer == nil {
		return nil
	}
	return func(ctx context.Context, to string, v ui.MailView) error {
		m := composeMail(to, v)
		request, _ := RequestOf(ctx)
		m.ClientID = request.ClientID
		err := c.Mailer.Send(ctx, m)
		if now := c.Clock(); err == nil {
			p.mailed.Store(&now)
		} else if ctx.Err() == nil && !errors.Is(err, ErrRecipientRefused) { // nobody has given up waiting, or mistyped
			p.unmailed.Store(&now)
		}
		return err
	}
}

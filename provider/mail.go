package provider

import (
	"context"
	"fmt"
	"io"

	"github.com/bonafide-id/bonafide/ui"
)

// Mailer sends mail to users: codes that finish a sign-up or reset a password, and
// notices. Send returns once the message is handed over; an error makes the screen
// say that the mail could not be sent. A mail that was not sent does not count as one of
// those that its reader may be sent. One whose error is context.DeadlineExceeded or
// context.Canceled does (errors.Is): nobody knows whether it was sent.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// Mail is a message. A Mailer sends Text, with HTML beside it, or writes one of its own from
// Kind, Language and Code.
type Mail struct {
	To      string
	Subject string

	// Text is plain text, HTML the same as a page in the looks of the service, or empty.
	Text string
	HTML string

	// Kind says what it is about, such as ui.MailSignUp.
	Kind ui.MailKind

	// Language is the BCP 47 tag of the language that it is in.
	Language string

	// Code is the code that it carries, or empty.
	Code string

	// ClientID names the application in whose flow the mail was caused; empty for none. A
	// sandbox whose Mailer keeps mails instead of sending them shows each to the
	// developers of its application.
	ClientID string
}

// ComposeMail writes a mail of the service, for a Mailer.
func ComposeMail(to string, v ui.MailView) Mail {
	m := ui.Compose(v)
	return Mail{To: to, Subject: m.Subject, Text: m.Body, HTML: m.HTML, Kind: m.Kind, Language: m.Lang, Code: m.Code}
}

// InsecureMailPrinter returns a Mailer for development that writes every message,
// with its codes, to w instead of sending it.
func InsecureMailPrinter(w io.Writer) Mailer { return mailPrinter{w} }

type mailPrinter struct{ w io.Writer }

func (p mailPrinter) Send(_ context.Context, m Mail) error {
	_, err := fmt.Fprintf(p.w, "\n--- mail to %s\n--- %s\n%s\n---\n", m.To, m.Subject, m.Text)
	return err
}

// sendMail returns the Mailer as the rooms see it, or nil.
func (c Config) sendMail() func(ctx context.Context, to string, v ui.MailView) error {
	if c.Mailer == nil {
		return nil
	}
	return func(ctx context.Context, to string, v ui.MailView) error {
		m := ComposeMail(to, v)
		request, _ := RequestOf(ctx)
		m.ClientID = request.ClientID
		return c.Mailer.Send(ctx, m)
	}
}

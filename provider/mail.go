package provider

import (
	"context"
	"fmt"
	"io"
)

// Mailer sends mail to users: codes that finish a sign-up or reset a password, and
// notices. Send returns once the message is handed over; an error makes the screen
// say that the mail could not be sent.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// Mail is a message in plain text.
type Mail struct {
	To      string
	Subject string
	Text    string

	// ClientID names the application in whose flow the mail was caused; empty for none. A
	// sandbox whose Mailer keeps mails instead of sending them shows each to the
	// developers of its application.
	ClientID string
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
func (c Config) sendMail() func(ctx context.Context, to, subject, text string) error {
	if c.Mailer == nil {
		return nil
	}
	return func(ctx context.Context, to, subject, text string) error {
		request, _ := RequestOf(ctx)
		return c.Mailer.Send(ctx, Mail{To: to, Subject: subject, Text: text, ClientID: request.ClientID})
	}
}

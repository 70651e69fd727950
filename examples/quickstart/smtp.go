package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/smtpmailer"
)

// smtp is the server that takes mails.
type smtp struct {
	// Host is the name of the server, as its certificate has it. Required.
	Host string `json:"host"`

	// Defaults to that of tls: 587, 465 or 25.
	Port int `json:"port"`

	// TLS is "starttls", encrypted or not at all; implicit, encrypted from the first byte; or insecure-none, without a
	// password, for a server on the same machine.
	// Defaults to starttls.
	TLS string `json:"tls"`

	// CAFile has trusted certificates in PEM.
	// Defaults to those of the system.
	CAFile string `json:"ca_file"`

	// Username and Password are for a server that wants them.
	Username     string `json:"username"`
	Password     string `json:"password"`
	PasswordFile string `json:"password_file"`

	// From is the sender, as in Example ID <id@example.com>. Required.
	From string `json:"from"`
}

var securities = map[string]smtpmailer.Security{
	"":              smtpmailer.StartTLS,
	"starttls":      smtpmailer.StartTLS,
	"implicit":      smtpmailer.ImplicitTLS,
	"insecure-none": smtpmailer.InsecureNoTLS,
}

// mailer returns what sends the mails of an environment; without a server they are
// printed to out.
func (e *environment) mailer(out io.Writer) (provider.Mailer, error) {
	if e.SMTP == nil {
		return provider.InsecureMailPrinter(out), nil
	}
	m, err := e.SMTP.mailer()
	if err != nil {
		return nil, fmt.Errorf("smtp.%w", err)
	}
	return m, nil
}

// dropping drops mails, and says so.
type dropping struct{ log *slog.Logger }

// Send implements provider.Mailer.
func (d dropping) Send(ctx context.Context, _ provider.Mail) error {
	d.log.InfoContext(ctx, "dropped a sandbox mail to an address without an inbox; smtp in sandbox would send it")
	return nil
}

func (s *smtp) mailer() (*smtpmailer.Mailer, error) {
	security, ok := securities[s.TLS]
	if !ok {
		return nil, fmt.Errorf("tls: %q is none of starttls, implicit, insecure-none", s.TLS)
	}
	cfg := smtpmailer.Config{
		Host: s.Host, Port: s.Port, Security: security, Username: s.Username, Password: s.Password, From: s.From,
	}
	if s.CAFile != "" {
		text, err := readFile(s.CAFile, 1<<20)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("ca_file: %s has no certificate in PEM", s.CAFile)
		}
	}
	m, err := smtpmailer.New(cfg)
	if err != nil {
		return nil, errors.New(smtpKeyOfField.Replace(err.Error()))
	}
	return m, nil
}

// sendTestMail sends a mail to an address, so that whoever sets the server up need not
// find out from users whether it works.
func (c *config) sendTestMail(ctx context.Context, to string, out io.Writer) error {
	if c.SMTP == nil {
		return errors.New("smtp: is not set, so mails are printed and not sent")
	}
	m, err := c.SMTP.mailer()
	if err != nil {
		return fmt.Errorf("smtp.%w", err)
	}
	err = m.Send(ctx, provider.Mail{To: to, Subject: "A test", Text: "This mail was sent to find out whether mails arrive.\n"})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%s has taken a mail to %s\n", c.SMTP.Host, to)
	return nil
}

var smtpKeyOfField = strings.NewReplacer(
	"smtpmailer: Config.Host", "host",
	"smtpmailer: Config.Port", "port",
	"smtpmailer: Config.From", "from",
	"smtpmailer: Config.Password", "password",
	"Username", "username",
	"StartTLS", `"tls": "starttls"`,
	"ImplicitTLS", `"tls": "implicit"`,
)

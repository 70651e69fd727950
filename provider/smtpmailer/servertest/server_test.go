package servertest

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/smtpmailer"
	"github.com/bonafide-id/bonafide/provider/smtpmailer/mailtest"
)

const password = "wet-cedar-hums-at-noon"

var aMail = provider.Mail{To: "maria@example.com", Subject: "Ihr Code für heute", Text: "123456 ist der Code.\n.\n"}

// backend takes mails from whoever knows the password.
type backend struct {
	mechanism string

	mu    sync.Mutex
	mails []string
}

func (b *backend) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{backend: b}, nil }

type session struct {
	*backend
	known    bool
	from, to string
}

func (s *session) AuthMechanisms() []string { return []string{s.mechanism} }

func (s *session) Auth(mechanism string) (sasl.Server, error) {
	check := func(username, given string) error {
		if username != "id" || given != password {
			return smtp.ErrAuthFailed
		}
		s.known = true
		return nil
	}
	if mechanism == "LOGIN" {
		return &login{check: check}, nil
	}
	return sasl.NewPlainServer(func(_, username, given string) error { return check(username, given) }), nil
}

// login is the server's side of LOGIN, which go-sasl has no more.
type login struct {
	check    func(username, password string) error
	step     int
	username string
}

func (l *login) Next(response []byte) (challenge []byte, done bool, err error) {
	l.step++
	switch l.step {
	case 1:
		return []byte("Username:"), false, nil
	case 2:
		l.username = string(response)
		return []byte("Password:"), false, nil
	default:
		return nil, true, l.check(l.username, string(response))
	}
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if !s.known {
		return smtp.ErrAuthRequired
	}
	s.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "<" + to + "> is unknown"}
	}
	s.to = to
	return nil
}

func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = append(s.mails, s.from+" to "+s.to+"\n"+string(text))
	return nil
}

func (s *session) Reset() {}

func (s *session) Logout() error { return nil }

// start runs a server and returns what a mailer needs to use it.
func start(t *testing.T, mechanism string, security smtpmailer.Security) (*backend, smtpmailer.Config) {
	t.Helper()
	b := &backend{mechanism: mechanism}
	server := smtp.NewServer(b)
	server.Domain = "localhost"
	cfg := smtpmailer.Config{
		Host: "127.0.0.1", Security: security, From: "Example ID <id@example.com>", Username: "id", Password: password,
	}
	var certificate *tls.Config
	certificate, cfg.RootCAs, _ = mailtest.Certificate(t, "127.0.0.1")
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Port = l.Addr().(*net.TCPAddr).Port
	if security == smtpmailer.ImplicitTLS {
		l = tls.NewListener(l, certificate)
	} else {
		server.TLSConfig = certificate
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := server.Serve(l); err != nil && !errors.Is(err, smtp.ErrServerClosed) {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		_ = server.Close()
		serving.Wait()
	})
	return b, cfg
}

func send(t *testing.T, cfg smtpmailer.Config, m provider.Mail) error {
	t.Helper()
	mailer, err := smtpmailer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return mailer.Send(t.Context(), m)
}

func TestSend(t *testing.T) {
	for name, test := range map[string]struct {
		mechanism string
		security  smtpmailer.Security
	}{
		"STARTTLS, PLAIN":     {"PLAIN", smtpmailer.StartTLS},
		"STARTTLS, LOGIN":     {"LOGIN", smtpmailer.StartTLS},
		"implicit TLS, PLAIN": {"PLAIN", smtpmailer.ImplicitTLS},
		"implicit TLS, LOGIN": {"LOGIN", smtpmailer.ImplicitTLS},
	} {
		t.Run(name, func(t *testing.T) {
			b, cfg := start(t, test.mechanism, test.security)
			for range 2 {
				if err := send(t, cfg, aMail); err != nil {
					t.Fatal(err)
				}
			}
			if len(b.mails) != 2 {
				t.Fatalf("%d mails", len(b.mails))
			}
			envelope, text, _ := strings.Cut(b.mails[0], "\n")
			if envelope != "id@example.com to maria@example.com" {
				t.Errorf("envelope is %q", envelope)
			}
			m := mailtest.Parse(t, text)
			if m.Header.Get("From") != `"Example ID" <id@example.com>` || m.Header.Get("Auto-Submitted") != "auto-generated" {
				t.Errorf("header is %v", m.Header)
			}
			// Quoted-printable leaves ASCII as it is, and SMTP a line of one dot.
			if body, err := io.ReadAll(m.Body); err != nil || string(body) != "123456 ist der Code.\r\n.\r\n" {
				t.Errorf("body is %q (%v)", body, err)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*smtpmailer.Config)
		to     string
		says   string
	}{
		"password, PLAIN": {func(c *smtpmailer.Config) { c.Password = "wrong" }, aMail.To, "by PLAIN (535 5.7.8)"},
		"no password":     {func(c *smtpmailer.Config) { c.Username, c.Password = "", "" }, aMail.To, "refused the sender"},
		"recipient":       {func(*smtpmailer.Config) {}, "nobody@example.com", "the recipient (550 5.1.1)"},
		"authority":       {func(c *smtpmailer.Config) { c.RootCAs = nil }, aMail.To, "certificate"},
		"other security":  {func(c *smtpmailer.Config) { c.Security = smtpmailer.ImplicitTLS }, aMail.To, "587"},
	} {
		t.Run(name, func(t *testing.T) {
			b, cfg := start(t, "PLAIN", smtpmailer.StartTLS)
			test.change(&cfg)
			m := aMail
			m.To = test.to
			err := send(t, cfg, m)
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "nobody@") || strings.Contains(err.Error(), "wrong") {
				t.Errorf("error is %v, want %s", err, test.says)
			}
			if len(b.mails) != 0 {
				t.Error("the mail was taken")
			}
		})
	}
}

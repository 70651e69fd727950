package smtpmailer_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/smtpmailer"
	"github.com/bonafide-id/bonafide/provider/smtpmailer/mailtest"
)

const password = "wet-cedar-hums-at-noon"

var aMail = provider.Mail{To: "maria@example.com", Subject: "Your code", Text: "123456 is your code.\n"}

// start starts a server for 127.0.0.1 and returns what a mailer needs to use it.
func start(t *testing.T, cfg mailtest.Config) (*mailtest.Server, smtpmailer.Config) {
	t.Helper()
	mailer := smtpmailer.Config{From: "Example ID <id@example.com>"}
	if cfg.TLS == nil {
		cfg.TLS, mailer.RootCAs, _ = mailtest.Certificate(t, "127.0.0.1")
	}
	if cfg.Implicit {
		mailer.Security = smtpmailer.ImplicitTLS
	}
	s := mailtest.Start(t, cfg)
	mailer.Host, mailer.Port = s.Host, s.Port
	mailer.Username, mailer.Password = cfg.Username, cfg.Password
	return s, mailer
}

func send(t *testing.T, cfg smtpmailer.Config, m provider.Mail) error {
	t.Helper()
	mailer := testkit.Must(smtpmailer.New(cfg))(t)
	return mailer.Send(t.Context(), m)
}

func TestSend(t *testing.T) {
	for name, implicit := range map[string]bool{"STARTTLS": false, "ImplicitTLS": true} {
		t.Run(name, func(t *testing.T) {
			s, cfg := start(t, mailtest.Config{Implicit: implicit, Username: "id", Password: password})
			testkit.OK(t, send(t, cfg, aMail))
			if got := len(s.Mails()); got != 1 || s.Connections() != 1 {
				t.Errorf("%d mails in %d connections", got, s.Connections())
			}
		})
	}
}

func TestMessage(t *testing.T) {
	s, cfg := start(t, mailtest.Config{})
	cfg.From = "Üben & Co. <id@example.com>"
	long := strings.Repeat("ein sehr langer Satz ", 60)
	m := provider.Mail{To: "maria@example.com", Subject: "Ihr Code für Üben 🎓: 123 456", Text: "Grüße,\n.\n.punkt\n" + long + "\n"}
	before := time.Now().Add(-time.Second)
	for range 2 {
		testkit.OK(t, send(t, cfg, m))
	}
	raw := s.Mails()
	got, other := mailtest.Parse(t, raw[0]), mailtest.Parse(t, raw[1])
	from, err := got.Header.AddressList("From")
	if err != nil || cmp.Diff([]*mail.Address{{Name: "Üben & Co.", Address: "id@example.com"}}, from) != "" {
		t.Errorf("From is %v (%v)", got.Header["From"], err)
	}
	if to, err := got.Header.AddressList("To"); err != nil || to[0].String() != "<maria@example.com>" {
		t.Errorf("To is %v (%v)", got.Header["To"], err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	if err != nil || subject != m.Subject {
		t.Errorf("Subject is %q (%v)", subject, err)
	}
	if date, err := got.Header.Date(); err != nil || date.Before(before) || date.After(time.Now()) {
		t.Errorf("Date is %v (%v)", date, err)
	}
	if got.Header.Get("Auto-Submitted") != "auto-generated" {
		t.Errorf("Auto-Submitted is %q", got.Header.Get("Auto-Submitted"))
	}
	id := got.Header.Get("Message-Id")
	if !strings.HasSuffix(id, "@example.com>") || len(id) < 30 || id == other.Header.Get("Message-Id") {
		t.Errorf("Message-ID is %q", id)
	}
	if agent := got.Header.Get("User-Agent") + got.Header.Get("X-Mailer"); agent != "" {
		t.Errorf("the mail tells what wrote it: %q", agent)
	}
	text, err := io.ReadAll(quotedprintable.NewReader(got.Body))
	if err != nil || strings.ReplaceAll(string(text), "\r\n", "\n") != m.Text || got.Header.Get("Content-Type") != "text/plain; charset=UTF-8" {
		t.Errorf("%s (%v):\n%s", got.Header.Get("Content-Type"), err, text)
	}
	for line := range strings.Lines(raw[0]) {
		if len(line) > 998 || strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
			t.Errorf("not a line of a mail: %q", line)
		}
	}
}

// TestPageGoesBesideTheText tests that a program that shows no pages has the text, which is
// therefore the first part (RFC 2046 section 5.1.4).
func TestPageGoesBesideTheText(t *testing.T) {
	s, cfg := start(t, mailtest.Config{})
	m := provider.Mail{To: "maria@example.com", Subject: "Code", Text: "Grüße\n", HTML: "<p>Grüße</p>"}
	testkit.OK(t, send(t, cfg, m))
	got := mailtest.Parse(t, s.Mails()[0])
	kind, params, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("Content-Type is %q, %v", kind, err)
	}
	parts := multipart.NewReader(got.Body, params["boundary"])
	for _, want := range []struct{ kind, text string }{{"text/plain", m.Text}, {"text/html", m.HTML}} {
		part := testkit.Must(parts.NextPart())(t) // decodes quoted-printable
		text, err := io.ReadAll(part)
		if kind, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type")); err != nil || kind != want.kind || strings.TrimSpace(string(text)) != strings.TrimSpace(want.text) {
			t.Errorf("part %s: %q, %v", kind, text, err)
		}
	}
	if _, err := parts.NextPart(); !errors.Is(err, io.EOF) {
		t.Errorf("another part, %v", err)
	}
}

func TestRecipientBeyondASCII(t *testing.T) {
	s, cfg := start(t, mailtest.Config{})
	m := aMail
	m.To = "eve@bücher.example"
	testkit.OK(t, send(t, cfg, m))
	if lines := strings.Join(s.Lines(), "\n"); !strings.Contains(lines, "RCPT TO:<eve@xn--bcher-kva.example>") {
		t.Errorf("the recipient is not as DNS has it:\n%s", lines)
	}
}

func TestNothingBreaksOutOfItsHeader(t *testing.T) {
	s, cfg := start(t, mailtest.Config{})
	for name, m := range map[string]provider.Mail{
		"subject":            {To: "maria@example.com", Subject: "Code\r\nBcc: eve@example.com"},
		"subject, bare LF":   {To: "maria@example.com", Subject: "Code\nBcc: eve@example.com"},
		"subject, bare CR":   {To: "maria@example.com", Subject: "Code\rBcc: eve@example.com"},
		"subject, NEL":       {To: "maria@example.com", Subject: "Code\u0085Bcc: eve@example.com"},
		"recipient":          {To: "maria@example.com\r\nRCPT TO:<eve@example.com>"},
		"recipient, name":    {To: "Eve <eve@example.com>"},
		"recipient, comment": {To: "maria@example.com (eve@example.com)"},
		"two recipients":     {To: "maria@example.com, eve@example.com"},
		"recipient, angle":   {To: "maria@example.com> NOTIFY=NEVER <eve@example.com"},
		"no recipient":       {},
	} {
		if err := send(t, cfg, m); err == nil {
			t.Errorf("%s: sent", name)
		}
	}
	if s.Connections() != 0 {
		t.Errorf("the server has seen:\n%s", strings.Join(s.Lines(), "\n"))
	}
}

// TestRefusals has the ways in which a server can fail a mailer; sent is what the
// server may have seen of the conversation.
func TestRefusals(t *testing.T) {
	stranger, _, _ := mailtest.Certificate(t, "127.0.0.1")
	for name, test := range map[string]struct {
		server mailtest.Config
		change func(*smtpmailer.Config)
		says   string
		mute   bool // nothing but the greeting may have been said in the clear
	}{
		"STARTTLS stripped":    {server: mailtest.Config{Answers: map[string]string{"EHLO": "250 mailtest"}}, says: "STARTTLS", mute: true},
		"STARTTLS refused":     {server: mailtest.Config{Answers: map[string]string{"STARTTLS": "454 4.7.0 TLS not available"}}, says: "454 4.7.0", mute: true},
		"HELO instead of EHLO": {server: mailtest.Config{Answers: map[string]string{"EHLO": "502 unknown"}}, says: "STARTTLS", mute: true},
		"unknown authority":    {server: mailtest.Config{TLS: stranger}, says: "certificate", mute: true},
		"unknown authority, implicit": {
			server: mailtest.Config{TLS: stranger, Implicit: true}, says: "certificate", mute: true},
		"certificate of another host": {
			change: func(c *smtpmailer.Config) { c.Host = "localhost" }, says: "certificate", mute: true},
		"implicit TLS at a StartTLS port": {
			change: func(c *smtpmailer.Config) { c.Security = smtpmailer.ImplicitTLS }, says: "587"},
		"nobody listens": {
			change: func(c *smtpmailer.Config) { c.Port = 1 }, says: "check the host and the port"},
		"wrong password": {
			change: func(c *smtpmailer.Config) { c.Password = "another-" + password }, says: "the user name or the password, by PLAIN (535 5.7.8)"},
		"no AUTH":             {server: mailtest.Config{Answers: map[string]string{"EHLO": "250-x\r\n250 STARTTLS"}}, says: "offers neither"},
		"unknown mechanisms":  {server: mailtest.Config{Auth: "CRAM-MD5 XOAUTH2"}, says: "offers neither"},
		"busy":                {server: mailtest.Config{Answers: map[string]string{"greeting": "421 4.3.2 too many connections"}}, says: "421 4.3.2"},
		"sender":              {server: mailtest.Config{Answers: map[string]string{"MAIL": "553 5.7.1 not your address"}}, says: "553 5.7.1 not your address"},
		"recipient":           {server: mailtest.Config{Answers: map[string]string{"RCPT": "550 5.1.1 <maria@example.com> unknown"}}, says: "the recipient (550 5.1.1)"},
		"mail":                {server: mailtest.Config{Answers: map[string]string{".": "554 5.7.1 spam: 123456 is your code"}}, says: "the mail (554 5.7.1)"},
		"recipient, not SMTP": {server: mailtest.Config{Answers: map[string]string{"RCPT": "who is maria@example.com?"}}, says: "RCPT TO: what it says is no answer"},
		"password, not SMTP":  {server: mailtest.Config{Answers: map[string]string{"AUTH": "334 " + base64.StdEncoding.EncodeToString([]byte(password))}}, says: "AUTH PLAIN: what it says is no answer"},
		"no answer at all":    {server: mailtest.Config{Answers: map[string]string{"greeting": "nonsense"}}, says: "did not answer the connection"},
	} {
		t.Run(name, func(t *testing.T) {
			test.server.Username, test.server.Password = "id", password
			s, cfg := start(t, test.server)
			if test.change != nil {
				test.change(&cfg)
			}
			err := send(t, cfg, aMail)
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("error is %v, want %s", err, test.says)
			}
			checkTellsNothing(t, err)
			if test.mute {
				for _, line := range s.Lines() {
					if verb, _, _ := strings.Cut(line, " "); verb != "EHLO" && verb != "HELO" && verb != "STARTTLS" {
						t.Errorf("the server was told %q", line)
					}
				}
			}
		})
	}
}

// checkTellsNothing fails when an error holds what is for the server or the reader only.
func checkTellsNothing(t *testing.T, err error) {
	t.Helper()
	for _, secret := range []string{password, "123456", "maria", base64.StdEncoding.EncodeToString([]byte("\x00id\x00" + password))} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q is in the error: %v", secret, err)
		}
	}
}

func TestServerThatRepeatsThePasswordIsNotQuoted(t *testing.T) {
	repeated := base64.StdEncoding.EncodeToString([]byte("\x00id\x00" + password))
	_, cfg := start(t, mailtest.Config{Username: "id", Password: password, Answers: map[string]string{
		"AUTH": "535 5.7.8 no such user: " + repeated + " " + password,
	}})
	err := send(t, cfg, aMail)
	if err == nil {
		t.Fatal("no error")
	}
	checkTellsNothing(t, err)
}

func TestServerThatFallsSilentIsLeftInTime(t *testing.T) {
	for _, verb := range []string{"greeting", "EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "."} {
		for name, implicit := range map[string]bool{"STARTTLS": false, "ImplicitTLS": true} {
			if implicit && verb == "STARTTLS" {
				continue
			}
			t.Run(verb+" "+name, func(t *testing.T) {
				t.Parallel()
				_, cfg := start(t, mailtest.Config{Implicit: implicit, Username: "id", Password: password,
					Answers: map[string]string{verb: mailtest.Silence}})
				cfg.Timeout = 300 * time.Millisecond
				err := send(t, cfg, aMail)
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("error is %v", err)
				}
				if text := err.Error(); strings.Contains(text, "refused") || !strings.Contains(text, "in time") {
					t.Errorf("a time-out is told as something else: %s", text)
				}
				checkTellsNothing(t, err)
			})
		}
	}
}

// TestServerThatDoesNotEndIsLeft tests that neither a server nor anybody on the way to it
// can fill the memory of the process with an answer.
func TestServerThatDoesNotEndIsLeft(t *testing.T) {
	for _, answer := range []string{mailtest.EndlessLine, mailtest.EndlessReply} {
		for _, verb := range []string{"greeting", "EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "."} {
			t.Run(verb+" "+answer, func(t *testing.T) {
				_, cfg := start(t, mailtest.Config{Username: "id", Password: password, Answers: map[string]string{verb: answer}})
				cfg.Timeout = time.Minute // which it does not take
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := send(t, cfg, aMail)
				runtime.ReadMemStats(&after)
				if err == nil && verb != "." || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error is %v", err)
				}
				if took := after.Sys - before.Sys; took > 16<<20 {
					t.Errorf("one mail took %d bytes of memory", took)
				}
				if err != nil {
					checkTellsNothing(t, err)
				}
			})
		}
	}
}

func TestSilenceAfterTheMailWasTakenIsNoFailure(t *testing.T) {
	t.Parallel()
	s, cfg := start(t, mailtest.Config{Answers: map[string]string{"QUIT": mailtest.Silence}})
	cfg.Timeout = 5 * time.Second // which it takes
	if err := send(t, cfg, aMail); err != nil || len(s.Mails()) != 1 {
		t.Errorf("%d mails, error is %v", len(s.Mails()), err)
	}
}

func TestCallersPatienceCounts(t *testing.T) {
	_, cfg := start(t, mailtest.Config{Answers: map[string]string{"MAIL": mailtest.Silence}})
	cfg.Timeout = time.Hour
	mailer := testkit.Must(smtpmailer.New(cfg))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := mailer.Send(ctx, aMail); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
}

func TestNoMoreConnectionsThanSaid(t *testing.T) {
	s, cfg := start(t, mailtest.Config{Answers: map[string]string{"MAIL": mailtest.Silence}})
	cfg.Connections, cfg.Timeout = 2, time.Minute
	mailer := testkit.Must(smtpmailer.New(cfg))(t)
	hanging, end := context.WithCancel(t.Context())
	var sending sync.WaitGroup
	for range cfg.Connections {
		sending.Go(func() {
			if err := mailer.Send(hanging, aMail); err == nil {
				t.Error("a mail that hangs was sent")
			}
		})
	}
	defer sending.Wait()
	defer end()
	for s.Connections() < cfg.Connections {
		<-time.After(time.Millisecond)
	}
	for range 6 {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if err := mailer.Send(ctx, aMail); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
		cancel()
	}
	if got := s.Connections(); got != cfg.Connections {
		t.Errorf("%d connections while %d mails hang, and no more may be sent at once", got, cfg.Connections)
	}
}

// TestConnectionThatIsNotMadeIsAMailThatWasNotSent tests that such a mail is not taken for
// one of which nobody knows (provider.Mailer).
func TestConnectionThatIsNotMadeIsAMailThatWasNotSent(t *testing.T) {
	_, cfg := start(t, mailtest.Config{})
	cfg.ConnectTimeout = time.Nanosecond
	if err := send(t, cfg, aMail); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
}

func TestInsecureIsWithoutPassword(t *testing.T) {
	s := mailtest.Start(t, mailtest.Config{})
	cfg := smtpmailer.Config{Host: s.Host, Port: s.Port, From: "id@example.com", Security: smtpmailer.InsecureNoTLS}
	if err := send(t, cfg, aMail); err != nil || len(s.Mails()) != 1 {
		t.Errorf("%d mails, error is %v", len(s.Mails()), err)
	}
	cfg.Username, cfg.Password = "id", password
	if _, err := smtpmailer.New(cfg); err == nil || !strings.Contains(err.Error(), "Config.Password") {
		t.Errorf("error is %v", err)
	}
}

func TestNew(t *testing.T) {
	valid := smtpmailer.Config{Host: "smtp.example.com", From: "id@example.com"}
	for _, host := range []string{valid.Host, "mail", "127.0.0.1", "::1"} {
		cfg := valid
		cfg.Host = host
		if _, err := smtpmailer.New(cfg); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	for field, change := range map[string]func(*smtpmailer.Config){
		"Host":        func(c *smtpmailer.Config) { c.Host = "" },
		"Host:":       func(c *smtpmailer.Config) { c.Host = "smtp.example.com/mail" },
		"Host::":      func(c *smtpmailer.Config) { c.Host = "smtp.example.com:587" },
		"Host:::":     func(c *smtpmailer.Config) { c.Host = "[::1]" },
		"Port":        func(c *smtpmailer.Config) { c.Port = 70000 },
		"Security":    func(c *smtpmailer.Config) { c.Security = 7 },
		"From":        func(c *smtpmailer.Config) { c.From = "nobody" },
		"From:":       func(c *smtpmailer.Config) { c.From = "Ex\r\nBcc: eve@example.com <id@example.com>" },
		"Password":    func(c *smtpmailer.Config) { c.Username = "id" },
		"Password:":   func(c *smtpmailer.Config) { c.Password = password },
		"Timeout":     func(c *smtpmailer.Config) { c.Timeout = -1 },
		"Connections": func(c *smtpmailer.Config) { c.Connections = -1 },
	} {
		cfg := valid
		change(&cfg)
		_, err := smtpmailer.New(cfg)
		if want := "Config." + strings.TrimRight(field, ":") + ":"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v", field, err)
		} else {
			checkTellsNothing(t, err)
		}
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	server, authority, _ := mailtest.Certificate(t, "127.0.0.1")
	server.MinVersion, server.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	s, cfg := start(t, mailtest.Config{TLS: server})
	cfg.RootCAs = authority
	if err := send(t, cfg, aMail); err == nil || len(s.Mails()) != 0 {
		t.Errorf("%d mails, error is %v", len(s.Mails()), err)
	}
}

// TestRecipientRefused tells a wrong address from a server that takes mail for nobody, or not now.
func TestRecipientRefused(t *testing.T) {
	for reply, want := range map[string]bool{
		"550 5.1.1 <maria@example.com> unknown": true,
		"550 no such user":                      true,
		"553 5.1.3 bad address syntax":          true,
		"556 5.1.10 the domain takes no mail":   true,
		"551 user not local":                    true,
		"552 5.2.2 mailbox full":                false,
		"555 parameters not recognized":         false,
		"550 5.3.2 not accepting messages":      false,
		"550 5.7.1 Relay access denied":         false,
		"554 5.7.1 Relay access denied":         false,
		"530 5.7.0 Authentication required":     false,
		"503 5.5.1 bad sequence":                false,
		"450 4.2.1 greylisted":                  false,
		"451 try again":                         false,
	} {
		t.Run(reply, func(t *testing.T) {
			_, cfg := start(t, mailtest.Config{Answers: map[string]string{"RCPT": reply}})
			if err := send(t, cfg, aMail); err == nil || errors.Is(err, provider.ErrRecipientRefused) != want {
				t.Errorf("error is %v", err)
			}
		})
	}
	t.Run("Domain", func(t *testing.T) {
		_, cfg := start(t, mailtest.Config{})
		if err := send(t, cfg, provider.Mail{To: "maria@a\u0300\u200d.example", Subject: "x"}); !errors.Is(err, provider.ErrRecipientRefused) {
			t.Errorf("error is %v", err)
		}
	})
}

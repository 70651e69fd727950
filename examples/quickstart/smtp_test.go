package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/provider/smtpmailer/mailtest"
)

const mailPassword = "wet-cedar-hums-at-noon"

// withMail starts an SMTP server, and returns a config that uses it and its folder.
func withMail(t *testing.T, cfg mailtest.Config) (server *mailtest.Server, folder, text string) {
	t.Helper()
	folder = t.TempDir()
	var authority []byte
	cfg.TLS, _, authority = mailtest.Certificate(t, "127.0.0.1")
	cfg.Username, cfg.Password = "id", mailPassword
	for name, text := range map[string][]byte{"ca.pem": append([]byte("\ufeff"), authority...), "smtp.password": []byte(mailPassword + "\n")} {
		ok(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	server = mailtest.Start(t, cfg)
	tls := "starttls"
	if cfg.Implicit {
		tls = "implicit"
	}
	return server, folder, fmt.Sprintf(`{"listen": "127.0.0.1:0", "smtp": {"host": %q, "port": %d, "tls": %q, "ca_file": "ca.pem",
		"username": "id", "password_file": "smtp.password", "from": "Example ID <id@example.com>"}}`, server.Host, server.Port, tls)
}

func TestMailIsSentByTheServerOfTheFile(t *testing.T) {
	for _, implicit := range []bool{false, true} {
		server, folder, text := withMail(t, mailtest.Config{Implicit: implicit})
		s := startService(t, folder, text)
		b := browser.New(t)
		b.Open(s.cfg.BaseURL + "/signup")
		b.Submit("email", "new@example.com", "new_password", "amber-kettle-waits-still")
		mails := server.Mails()
		if len(mails) != 1 || !strings.Contains(mails[0], "new@example.com") || !strings.Contains(mails[0], `"Example ID" <id@example.com>`) {
			t.Errorf("mails: %q; the page is %s (%d)", mails, b.URL, b.Status)
		}
		if printed := s.out.String(); printed != "" {
			t.Errorf("a mail that was sent is printed as well: %q", printed)
		}
	}
}

func TestSandboxMailsNobodyUnlessItHasAServerOfItsOwn(t *testing.T) {
	for _, own := range []bool{false, true} {
		server, folder, text := withMail(t, mailtest.Config{})
		_, smtp, _ := strings.Cut(text, `"smtp": `)
		sandbox := `{}`
		if own {
			sandbox = `{"smtp": ` + smtp
		}
		s := startService(t, folder, strings.TrimSuffix(text, "}")+`, "sandbox": `+sandbox+`}`)
		b := browser.New(t)
		b.Open(s.cfg.Sandbox.BaseURL + "/signup")
		b.Submit("email", "victim@bank.example", "new_password", "amber-kettle-waits-still")
		if mails := server.Mails(); (len(mails) == 1) != own || b.Status != http.StatusOK {
			t.Errorf("own %v: %d mails; the page is %s (%d)", own, len(mails), b.URL, b.Status)
		}
	}
}

func TestMailThatIsRefusedIsSaidOnThePage(t *testing.T) {
	for answer, want := range map[string]int{"550 5.1.1 unknown": http.StatusUnprocessableEntity, "451 4.3.0 later": http.StatusServiceUnavailable} {
		_, folder, text := withMail(t, mailtest.Config{Answers: map[string]string{"RCPT": answer}})
		s := startService(t, folder, text)
		b := browser.New(t)
		b.Open(s.cfg.BaseURL + "/signup")
		b.Submit("email", "new@example.com", "new_password", "amber-kettle-waits-still")
		if b.Status != want {
			t.Errorf("%s: the page is %s (%d)\n%s", answer, b.URL, b.Status, b.Body)
		}
	}
}

func TestTestMail(t *testing.T) {
	server, folder, text := withMail(t, mailtest.Config{})
	path := filepath.Join(folder, "service.json")
	ok(t, os.WriteFile(path, []byte(text), 0o600))
	out := &output{}
	if err := run(t.Context(), []string{"-config", path, "-test-mail", "ops@example.com"}, nil, out); err != nil || len(server.Mails()) != 1 {
		t.Fatalf("%d mails, error is %v", len(server.Mails()), err)
	}
	if _, err := os.Stat(filepath.Join(folder, "data")); !os.IsNotExist(err) {
		t.Errorf("data was made (%v)", err)
	}
	ok(t, os.WriteFile(filepath.Join(folder, "smtp.password"), []byte("another"), 0o600))
	err := run(t.Context(), []string{"-config", path, "-test-mail", "ops@example.com"}, nil, out)
	if err == nil || !strings.Contains(err.Error(), "535") || strings.Contains(err.Error(), "another") {
		t.Errorf("error is %v", err)
	}
}

package smtpmailer

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Security says how a connection is encrypted.
type Security int

const (
	// StartTLS begins in the clear and changes to TLS before anything is sent (RFC
	// 3207). A server that does not offer it is refused.
	StartTLS Security = iota
	// ImplicitTLS is TLS from the first byte (RFC 8314 section 3).
	ImplicitTLS
	// InsecureNoTLS sends mails, with their codes, in the clear, to a server that
	// nobody has authenticated.
	InsecureNoTLS
)

// Config says which server takes the mails. Host and From are required.
type Config struct {
	// Host is the name of the server, as its certificate has it.
	Host string

	// Port is the port of the server. Defaults to 587 for StartTLS, 465 for ImplicitTLS
	// and 25 for InsecureNoTLS.
	Port int

	// Security says how the connection is encrypted. Defaults to StartTLS.
	Security Security

	// RootCAs are those whose certificates are trusted. Defaults to the system's.
	RootCAs *x509.CertPool

	// Username and Password sign in at the server, by PLAIN or else by LOGIN. Both
	// are empty for a server that asks for none.
	Username, Password string

	// From is the address that mails come from, with or without a name, as in
	// "Example ID <id@example.com>".
	From string

	// ConnectTimeout bounds the wait for a connection. Defaults to 3 seconds.
	ConnectTimeout time.Duration

	// Timeout bounds a whole Send, the connection included. The context of Send may
	// end it sooner: a provider gives a mailer 5 seconds. Defaults to 10 seconds.
	Timeout time.Duration

	// Connections is how many mails can be on their way at once; others wait, within
	// their Timeout. Defaults to 4, which is what a small account at a mail service may
	// have.
	Connections int
}

// Mailer sends mails. It may be used by any number of goroutines.
type Mailer struct {
	cfg   Config
	from  mail.Address
	hello string
	slots chan struct{}
}

// New returns a mailer, and connects to nothing. The error names the field that cannot
// work.
func New(cfg Config) (*Mailer, error) {
	cfg = cfg.withDefaults()
	from, err := mail.ParseAddress(cfg.From)
	switch {
	case !isHost(cfg.Host):
		return nil, errors.New("smtpmailer: Config.Host: must be the name of a server, without a port")
	case cfg.Security < StartTLS || cfg.Security > InsecureNoTLS:
		return nil, errors.New("smtpmailer: Config.Security: must be StartTLS, ImplicitTLS or InsecureNoTLS")
	case cfg.Port < 1 || cfg.Port > 65535:
		return nil, errors.New("smtpmailer: Config.Port: must be 1 to 65535")
	case err != nil || !isPlain(from.Name):
		return nil, errors.New("smtpmailer: Config.From: must be an address such as Example ID <id@example.com>")
	case (cfg.Username == "") != (cfg.Password == ""):
		return nil, errors.New("smtpmailer: Config.Password: goes with Username, and neither without the other")
	case cfg.Username != "" && cfg.Security == InsecureNoTLS:
		return nil, errors.New("smtpmailer: Config.Password: is not sent without TLS; use StartTLS or ImplicitTLS")
	case cfg.Timeout < 0 || cfg.ConnectTimeout < 0:
		return nil, errors.New("smtpmailer: Config.Timeout: must be positive")
	case cfg.Connections < 0:
		return nil, errors.New("smtpmailer: Config.Connections: must be positive")
	}
	if from.Address, err = toASCII(from.Address); err != nil {
		return nil, fmt.Errorf("smtpmailer: Config.From: %w", err)
	}
	return &Mailer{cfg: cfg, from: *from, hello: helloName(from.Address), slots: make(chan struct{}, cfg.Connections)}, nil
}

func (c Config) withDefaults() Config {
	if c.Port == 0 {
		c.Port = map[Security]int{StartTLS: 587, ImplicitTLS: 465, InsecureNoTLS: 25}[c.Security]
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 3 * time.Second
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	if c.Connections == 0 {
		c.Connections = 4
	}
	return c
}

func (m *Mailer) address() string { return net.JoinHostPort(m.cfg.Host, strconv.Itoa(m.cfg.Port)) }

func (m *Mailer) tls() *tls.Config {
	return &tls.Config{ServerName: m.cfg.Host, RootCAs: m.cfg.RootCAs, MinVersion: tls.VersionTLS12}
}

// helloName is how the process introduces itself (RFC 5321 section 4.1.1.1): by the
// machine's name when that is a full one, else by the domain that mails come from. A
// container has no name that a server would accept.
func helloName(from string) string {
	if name, err := os.Hostname(); err == nil && strings.Contains(name, ".") && isPlain(name) {
		return name
	}
	return domainOf(from)
}

// isHost reports whether this is a name or an IP address, and nothing else.
func isHost(s string) bool {
	foreign := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(":/@[]", r) }
	return net.ParseIP(s) != nil || s != "" && !strings.ContainsFunc(s, foreign)
}

func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }

// isPlain reports whether a text is one line without anything that steers.
func isPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' })
}

// Package mailtest gives tests an SMTP server that does what they say: it takes mails
// and keeps them, and refuses, lies or falls silent where a test wants it to.
//
// It serves the tests of this repository, and may change without notice.
package mailtest

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// Answers that do not end.
const (
	// Silence never comes.
	Silence = "silence"
	// EndlessLine begins well and is a line without an end.
	EndlessLine = "endless line"
	// EndlessReply has lines that end, and always another one.
	EndlessReply = "endless reply"
)

// Config says how a server behaves. The zero value is a server in the clear that takes
// every mail.
type Config struct {
	// TLS is the certificate to speak TLS with; Implicit from the first byte, else
	// after STARTTLS.
	TLS      *tls.Config
	Implicit bool

	// Username and Password are asked for when not empty, by the mechanisms of
	// Auth; PLAIN when it is empty.
	Username, Password string
	Auth               string

	// Answers replace the server's own by verb, such as "RCPT", "greeting" for the
	// first line, and "." for the end of a mail.
	Answers map[string]string
}

// Server is a running server. It ends with the test.
type Server struct {
	Host string
	Port int

	cfg   Config
	mu    sync.Mutex
	raw   []string
	lines []string
	conns int
}

// Start starts a server on a free port of 127.0.0.1.
func Start(t *testing.T, cfg Config) *Server {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, cfg: cfg}
	var sessions sync.WaitGroup
	end := make(chan struct{})
	sessions.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			sessions.Go(func() {
				defer conn.Close()
				stop := make(chan struct{})
				defer close(stop)
				go func() {
					select {
					case <-end:
						_ = conn.Close()
					case <-stop:
					}
				}()
				s.serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		close(end)
		_ = l.Close()
		sessions.Wait()
	})
	return s
}

// Mails returns what the server has taken, as it came.
func (s *Server) Mails() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.raw...)
}

// Lines returns every line that clients have sent outside of mails, those within TLS
// included.
func (s *Server) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.lines...)
}

// Connections returns how many connections were made.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

// session is one connection.
type session struct {
	*Server
	conn   net.Conn
	text   *textproto.Conn
	secure bool
}

func (s *Server) serve(conn net.Conn) {
	s.mu.Lock()
	s.conns++
	s.mu.Unlock()
	c := &session{Server: s, conn: conn}
	if s.cfg.Implicit {
		c.encrypt()
	}
	c.text = textproto.NewConn(c.conn)
	if c.answer("greeting", "220 mailtest ESMTP") != nil {
		return
	}
	for {
		line, err := c.text.ReadLine()
		if err != nil {
			return
		}
		c.note(line)
		verb, rest, _ := strings.Cut(line, " ")
		if c.handle(strings.ToUpper(verb), rest) != nil {
			return
		}
	}
}

func (c *session) note(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, line)
}

func (c *session) handle(verb, rest string) error {
	switch verb {
	case "EHLO":
		return c.answer(verb, c.extensions())
	case "STARTTLS":
		if err := c.answer(verb, "220 go ahead"); err != nil {
			return err
		}
		c.encrypt()
		c.text = textproto.NewConn(c.conn)
		return nil
	case "AUTH":
		return c.answer(verb, c.authenticate(rest))
	case "DATA":
		if err := c.answer(verb, "354 go ahead"); err != nil {
			return err
		}
		return c.take()
	case "QUIT":
		_ = c.answer(verb, "221 bye")
		return net.ErrClosed
	default:
		return c.answer(verb, "250 ok")
	}
}

func (c *session) encrypt() {
	c.conn = tls.Server(c.conn, c.cfg.TLS)
	c.secure = true
}

func (c *session) extensions() string {
	lines := []string{"250-mailtest", "250-8BITMIME"}
	if c.cfg.TLS != nil && !c.secure {
		lines = append(lines, "250-STARTTLS")
	}
	if c.cfg.Username != "" {
		mechanisms := c.cfg.Auth
		if mechanisms == "" {
			mechanisms = "PLAIN"
		}
		lines = append(lines, "250-AUTH "+mechanisms)
	}
	return strings.Join(append(lines, "250 ENHANCEDSTATUSCODES"), "\r\n")
}

func (c *session) authenticate(rest string) string {
	_, initial, _ := strings.Cut(rest, " ")
	got, _ := base64.StdEncoding.DecodeString(initial)
	if string(got) != "\x00"+c.cfg.Username+"\x00"+c.cfg.Password {
		return "535 5.7.8 authentication failed"
	}
	return "235 2.7.0 welcome"
}

// take reads a mail to its end.
func (c *session) take() error {
	text, err := c.text.ReadDotBytes()
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.raw = append(c.raw, string(text))
	c.mu.Unlock()
	return c.answer(".", "250 2.0.0 queued")
}

// answer sends what the test wants, or else the given answer.
func (c *session) answer(verb, answer string) error {
	code := answer[:3]
	if other, ok := c.cfg.Answers[verb]; ok {
		answer = other
	}
	switch answer {
	case Silence:
		_, err := c.conn.Read(make([]byte, 1)) // until the other side gives up
		if err == nil {
			err = net.ErrClosed
		}
		return err
	case EndlessLine:
		return c.goOn(code+" ", "more")
	case EndlessReply:
		return c.goOn("", code+"-more\r\n")
	}
	w := bufio.NewWriter(c.conn)
	_, _ = fmt.Fprintf(w, "%s\r\n", answer)
	return w.Flush()
}

// goOn says the same again until the other side hangs up.
func (c *session) goOn(first, again string) error {
	_, err := fmt.Fprint(c.conn, first)
	for text := strings.Repeat(again, 1000); err == nil; {
		_, err = fmt.Fprint(c.conn, text)
	}
	return err
}

// Parse returns a mail's header and body.
func Parse(t *testing.T, raw string) *mail.Message {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, raw)
	}
	return m
}

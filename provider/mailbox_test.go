package provider_test

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// mailbox keeps mail instead of sending it.
type mailbox struct {
	mu   sync.Mutex
	sent []provider.Mail
}

func (m *mailbox) Send(_ context.Context, mail provider.Mail) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, mail)
	return nil
}

var mailedCode = regexp.MustCompile(`\b\d{8}\b`)

// last returns the latest mail, and the code in it.
func (m *mailbox) last(t testing.TB) (provider.Mail, string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.sent) == 0 {
		t.Fatal("no mail was sent")
	}
	mail := m.sent[len(m.sent)-1]
	return mail, mailedCode.FindString(mail.Text)
}

func (m *mailbox) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.sent)
}

// since returns the mails that came after the first n.
func (m *mailbox) since(n int) []provider.Mail {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.sent[n:])
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

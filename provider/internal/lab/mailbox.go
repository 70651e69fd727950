package lab

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// Mailbox keeps mail instead of sending it.
type Mailbox struct {
	mu      sync.Mutex
	sent    []provider.Mail
	refused string
}

// Refuse has the server of the mailbox not know an address.
func (m *Mailbox) Refuse(address string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = address
}

// Send keeps a mail.
func (m *Mailbox) Send(_ context.Context, mail provider.Mail) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if mail.To == m.refused {
		return fmt.Errorf("smtp: %w (550 5.1.1)", provider.ErrRecipientRefused)
	}
	m.sent = append(m.sent, mail)
	return nil
}

var mailedCode = regexp.MustCompile(`\b\d{8}\b`)

// Last returns the latest mail, and the code in it.
func (m *Mailbox) Last(t testing.TB) (provider.Mail, string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.sent) == 0 {
		t.Fatal("no mail was sent")
	}
	mail := m.sent[len(m.sent)-1]
	return mail, mailedCode.FindString(mail.Text)
}

// LastCode returns the code of the latest mail that has one.
func (m *Mailbox) LastCode(t testing.TB) string {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mail := range slices.Backward(m.sent) {
		if code := mailedCode.FindString(mail.Text); code != "" {
			return code
		}
	}
	t.Fatal("no mail with a code was sent")
	return ""
}

// Count returns how many mails there are.
func (m *Mailbox) Count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.sent)
}

// Since returns the mails that came after the first n.
func (m *Mailbox) Since(n int) []provider.Mail {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.sent[n:])
}

package smtpmailer

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"

	"github.com/bonafide-id/bonafide/provider"
)

// compose returns the mail as it is sent (RFC 5322), and whom to.
func (m *Mailer) compose(message provider.Mail, now time.Time) (to mail.Address, text []byte, err error) {
	address, err := mail.ParseAddress(message.To)
	// ParseAddress accepts a name and comments beside the address: more than one
	// address, for whoever reads it in another way.
	if err != nil || address.Name != "" || address.Address != message.To || !isPlain(message.To) {
		return to, nil, fmt.Errorf("%w: it is not an e-mail address", provider.ErrRecipientRefused)
	}
	if !isPlain(message.Subject) {
		return to, nil, errors.New("the subject is not one line of text")
	}
	if to.Address, err = toASCII(address.Address); err != nil {
		return to, nil, fmt.Errorf("%w: its domain is not one that mail can be sent to", provider.ErrRecipientRefused)
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&m.from)
	msg.ToMailAddress(&to)
	msg.Subject(message.Subject)
	msg.SetDateWithValue(now)
	msg.SetMessageIDWithValue(rand.Text() + "@" + domainOf(m.from.Address))
	// Out-of-office replies and mailing lists leave such a mail alone (RFC 3834
	// section 5).
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, message.Text)
	if message.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, message.HTML)
	}
	var b bytes.Buffer
	if _, err := msg.WriteTo(&b); err != nil {
		return to, nil, errors.New("the mail cannot be written")
	}
	return to, b.Bytes(), nil
}

// toASCII writes the domain of an address as DNS has it (RFC 5891), so that any server
// can deliver to it; a local part beyond ASCII needs one that knows SMTPUTF8.
func toASCII(address string) (string, error) {
	at := strings.LastIndexByte(address, '@')
	domain := address[at+1:]
	if isASCII(domain) {
		return address, nil
	}
	ascii, err := idna.Lookup.ToASCII(domain)
	if err != nil {
		return "", err
	}
	return address[:at+1] + ascii, nil
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > '~' })
}

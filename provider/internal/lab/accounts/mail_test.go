package accounts

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// A sandbox that keeps mails shows them to the developers of the application.
func TestMailNamesTheApplicationInWhoseFlowItWasCaused(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	b.Submit(b.Open(lab.AuthorizeURL(lab.Ask("prompt", "create")...)), "email", "carol@example.com", "new_password", lab.NewPassword)
	if mail, code := w.Mails.Last(t); mail.ClientID != "std" || mail.To != "carol@example.com" || mail.Subject == "" || code == "" {
		t.Errorf("mail of %q to %q: %q", mail.ClientID, mail.To, mail.Subject)
	}
	b.Submit(b.Open("/reset"), "email", "alice@example.com")
	if mail, _ := w.Mails.Last(t); mail.ClientID != "" || mail.To != "alice@example.com" {
		t.Errorf("mail of %q to %q outside of a flow", mail.ClientID, mail.To)
	}
}

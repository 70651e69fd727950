package provider_test

import "testing"

// A sandbox that keeps mails shows them to the developers of the application.
func TestMailNamesTheApplicationInWhoseFlowItWasCaused(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.newBrowser()
	b.submit(b.open(authorizeURL(ask("prompt", "create")...)), "email", "carol@example.com", "new_password", newPassword)
	if mail, code := w.mails.last(t); mail.ClientID != "std" || mail.To != "carol@example.com" || mail.Subject == "" || code == "" {
		t.Errorf("mail of %q to %q: %q", mail.ClientID, mail.To, mail.Subject)
	}
	b.submit(b.open("/reset"), "email", "alice@example.com")
	if mail, _ := w.mails.last(t); mail.ClientID != "" || mail.To != "alice@example.com" {
		t.Errorf("mail of %q to %q outside of a flow", mail.ClientID, mail.To)
	}
}

package lab

// AskToMove asks for another address and returns the page that wants the codes, with the
// code that went to each address.
func (b *Browser) AskToMove(to, password string) (codes Page, mailed map[string]string) {
	b.T.Helper()
	before := b.Fixture.Mails.Count()
	codes = b.Submit(b.Open("/account/email"), "email", to, "password", password)
	if codes.Request.URL.Path != "/account/email/codes" {
		b.T.Fatalf("codes for %s: %s\n%s", to, codes.Status, codes.Text)
	}
	mailed = map[string]string{}
	for _, mail := range b.Fixture.Mails.Since(before) {
		mailed[mail.To] = mailedCode.FindString(mail.Text)
	}
	return codes, mailed
}

// EmailOf returns the address of an account.
func (w *Fixture) EmailOf(id string) string {
	w.T.Helper()
	account, err := w.Accounts().Get(w.T.Context(), id)
	if err != nil {
		w.T.Fatal(err)
	}
	return account.Email
}

package providertest

import (
	"net/http"
	"testing"
)

func TestMailsAreKept(t *testing.T) {
	t.Parallel()
	s := New(t, Config{})
	b := s.NewBrowser()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/reset", nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the page, and its form
		response, err := b.http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		p, err := readPage(response)
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil || len(p.forms) == 0 {
			break // the form has been answered
		}
		p.forms[0].fields.Set("email", "carol@example.com")
		if r, err = post(t.Context(), r.URL, p.forms[0].fields); err != nil {
			t.Fatal(err)
		}
	}
	if mails := s.Mails(); len(mails) != 1 || mails[0].To != "carol@example.com" {
		t.Errorf("kept %+v", mails)
	}
}

package providertest

import (
	"net/http"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestMailsAreKept(t *testing.T) {
	t.Parallel()
	s := New(t, Config{})
	b := s.NewBrowser()
	r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/reset", nil))(t)
	for range 2 { // the page, and its form
		response, err := b.http.Do(r)
		testkit.OK(t, err)
		p, err := readPage(response)
		testkit.OK(t, response.Body.Close())
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

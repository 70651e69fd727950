package provider_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestEmptySignInNamesBothFields(t *testing.T) {
	t.Parallel()
	b := New(t).NewBrowser()
	p := b.Submit(b.Open("/signin"), "email", "", "password", "")
	Shown(t, p, http.StatusUnprocessableEntity)
	said := SaidOn(MainOf(t, p))
	for _, sentence := range []string{"Enter your email address", "Enter your password"} {
		if n := strings.Count(said, sentence); n != 1 {
			t.Errorf("says %d times %q: %s", n, sentence, said)
		}
	}
}

package provider_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestEmptySignInNamesBothFields(t *testing.T) {
	t.Parallel()
	b := newFixture(t).newBrowser()
	p := b.submit(b.open("/signin"), "email", "", "password", "")
	shown(t, p, http.StatusUnprocessableEntity)
	said := saidOn(mainOf(t, p))
	for _, sentence := range []string{"Enter your email address", "Enter your password"} {
		if n := strings.Count(said, sentence); n != 1 {
			t.Errorf("says %d times %q: %s", n, sentence, said)
		}
	}
}

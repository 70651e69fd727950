package provider_test

import (
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// TestAttackGuessesUnderNoName guesses at the secret of an application with a header that
// one reader takes for its credentials and another for none.
func TestAttackGuessesUnderNoName(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	b := w.newBrowser()
	header := "Basic  " + base64.StdEncoding.EncodeToString([]byte("std:guess"))
	p := b.send(http.MethodPost, tokenPath, "grant_type=authorization_code&code=x", "Content-Type", "application/x-www-form-urlencoded", "Authorization", header)
	refused(t, p, http.StatusUnauthorized, "invalid_client")
	if !w.saw(provider.EventClientRefused) {
		t.Error("the audit log does not know of it")
	}
}

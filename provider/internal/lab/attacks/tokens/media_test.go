package tokens

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestAttackTwoMediaTypes sends a body that one reader takes for a form and another for JSON.
func TestAttackTwoMediaTypes(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	for _, c := range []struct{ body, first, second string }{
		{"grant_type=authorization_code&client_id=v3", "application/x-www-form-urlencoded", "application/json"},
		{`{"grant_type":"authorization_code","client_id":"v3"}`, "application/json", "application/x-www-form-urlencoded"},
		{"grant_type=authorization_code&client_id=v3", "application/x-www-form-urlencoded", "application/x-www-form-urlencoded"},
	} {
		r := httptest.NewRequest(http.MethodPost, lab.TokenPath, strings.NewReader(c.body))
		r.Header["Content-Type"] = []string{c.first, c.second}
		answer := httptest.NewRecorder()
		w.ServeHTTP(answer, r)
		if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "invalid_request") {
			t.Errorf("%s and %s: %d %s", c.first, c.second, answer.Code, answer.Body)
		}
	}
}

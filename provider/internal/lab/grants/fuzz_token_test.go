package grants

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// Whatever strangers post to the token endpoint gets a JSON error that caches do not
// keep; never tokens, never a fault of ours.
func FuzzTokenForm(f *testing.F) {
	w := lab.New(f).WithClients()
	f.Add("application/x-www-form-urlencoded", "", "grant_type=authorization_code&client_id=std&client_secret="+lab.ClientSecret+"&code=x&redirect_uri=x")
	f.Add("application/x-www-form-urlencoded", "", "grant_type=refresh_token&client_id=std&client_secret="+lab.ClientSecret+"&refresh_token=bfr_x&scope=a")
	f.Add("application/x-www-form-urlencoded; charset=x", "Basic c3RkOng=", "grant_type=authorization_code&code=%00")
	f.Add("application/x-www-form-urlencoded", "Basic", "grant_type=&a=%zz;b")
	f.Add("multipart/form-data; boundary=x", "Bearer x", "--x\r\n\r\n--x--")
	f.Add("text/plain", "", "{}")
	f.Add("", "", "client_assertion=a&client_assertion_type=b&grant_type=authorization_code")
	f.Fuzz(func(t *testing.T, contentType, authorization, body string) {
		r := httptest.NewRequest(http.MethodPost, lab.TokenPath, strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		answer := httptest.NewRecorder()
		w.ServeHTTP(answer, r)
		var parsed struct{ Error string }
		if err := json.Unmarshal(answer.Body.Bytes(), &parsed); err != nil || parsed.Error == "" {
			t.Fatalf("answered %d %s", answer.Code, answer.Body)
		}
		if answer.Code < 400 || answer.Code >= 500 || answer.Header().Get("Cache-Control") != "no-store" {
			t.Fatalf("answered %d %v %s", answer.Code, answer.Header(), answer.Body)
		}
	})
}

package input

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadForm(t *testing.T) {
	read := func(body string) (url.Values, error) {
		r := httptest.NewRequest(http.MethodPost, "/oauth/token", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return ReadForm(r)
	}

	t.Run("ParametersWithoutValueCountAsOmitted", func(t *testing.T) {
		form, err := read("grant_type=refresh_token&scope=&redirect_uri&client_secret=")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(url.Values{"grant_type": {"refresh_token"}}, form); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("KeepsAnEmptyVerifierToBeRefused", func(t *testing.T) {
		form, err := read("code=x&code_verifier=")
		if err != nil {
			t.Fatal(err)
		}
		if !form.Has("code_verifier") {
			t.Error("the code_verifier is gone, as if the client had never used PKCE")
		}
	})

	t.Run("RefusesARepeatedParameterEvenWithoutValue", func(t *testing.T) {
		if _, err := read("code=x&code="); err == nil {
			t.Error("accepted")
		}
	})
}

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// sampleJob is the client of the config file that has no user.
const sampleJob, sampleJobSecret = "sample-job", "nightly-stock-list-of-the-sample-shop"

// asked sends a request and returns the answer with its body.
func asked(t *testing.T, method, address string, form url.Values, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r := must(http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode())))(t)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	change(r)
	response, err := http.DefaultClient.Do(r)
	ok(t, err)
	defer func() { _ = response.Body.Close() }()
	body := must(io.ReadAll(response.Body))(t)
	return response, string(body)
}

// jobToken returns an access token of the job for these resources.
func jobToken(t *testing.T, s *running, resources ...string) string {
	t.Helper()
	_, body := asked(t, http.MethodPost, s.cfg.BaseURL+"/oauth/token",
		url.Values{"grant_type": {"client_credentials"}, "resource": resources},
		func(r *http.Request) { r.SetBasicAuth(sampleJob, sampleJobSecret) })
	var tokens struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(body), &tokens); err != nil || tokens.AccessToken == "" {
		t.Fatalf("%v: %s", err, body)
	}
	return tokens.AccessToken
}

// TestSampleAPITakesTokensThatAreForIt walks the way of docs/resources.md.
func TestSampleAPITakesTokensThatAreForIt(t *testing.T) {
	s := sharedQuickstart(t)
	api, uri := s.cfg.SampleClient.BaseURL+"/api", s.cfg.Resources[0].URI
	call := func(token string) (*http.Response, string) {
		return asked(t, http.MethodGet, api, nil, func(r *http.Request) {
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
		})
	}
	refused, _ := call("")
	challenge := refused.Header.Get("WWW-Authenticate")
	_, where, _ := strings.Cut(challenge, `resource_metadata="`)
	where, _, _ = strings.Cut(where, `"`)
	_, metadata := asked(t, http.MethodGet, where, nil, func(*http.Request) {})
	if refused.StatusCode != http.StatusUnauthorized || !strings.Contains(metadata, `"`+uri+`"`) || !strings.Contains(metadata, `["`+s.cfg.BaseURL+`/oidc"]`) {
		t.Errorf("%s %q: %s", refused.Status, challenge, metadata)
	}
	if answer, body := call(jobToken(t, s, uri)); answer.StatusCode != http.StatusOK || !strings.Contains(body, `"client_id":"sample-job"`) {
		t.Errorf("a token for it: %s %s", answer.Status, body)
	}
	for name, token := range map[string]string{"one for nothing": jobToken(t, s), "none of ours": "bfa_x"} {
		if answer, body := call(token); answer.StatusCode != http.StatusUnauthorized || !strings.Contains(answer.Header.Get("WWW-Authenticate"), "invalid_token") {
			t.Errorf("%s: %s %s", name, answer.Status, body)
		}
	}
}

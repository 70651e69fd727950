package sampleclient

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestTokenIsForTheAPIOnlyWhenItsAudienceSaysSo(t *testing.T) {
	const api = "http://localhost:8081/api"
	for answer, want := range map[string]bool{
		`{"active":true,"aud":"http://localhost:8081/api"}`:                    true,
		`{"active":true,"aud":["https://x.test","http://localhost:8081/api"]}`: true,
		`{"active":true,"aud":"sample-standard"}`:                              false, // a token of the site's own
		`{"active":true,"aud":["sample-standard"]}`:                            false,
		`{"active":true}`: false,
	} {
		var c caller
		if err := json.Unmarshal([]byte(answer), &c); err != nil || c.isFor(api) != want {
			t.Errorf("%s: %v, %v", answer, c.isFor(api), err)
		}
	}
}

// An assistant that asks for a stream of events is told to post (Model Context Protocol, Streamable HTTP).
func TestToolsHaveNoStream(t *testing.T) {
	site, err := New(Config{BaseURL: "http://localhost:8081", Services: []Service{{Key: "a", BaseURL: "http://localhost:8080"}}})
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	if site.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/mcp", http.NoBody)); answer.Code != http.StatusMethodNotAllowed || answer.Header().Get("Allow") != http.MethodPost {
		t.Errorf("%d %v", answer.Code, answer.Header())
	}
}

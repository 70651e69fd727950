package sampleclient

import (
	"encoding/json"
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

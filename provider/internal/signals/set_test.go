package signals

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var sampleSET = set{
	Issuer: "https://id.example/oidc", ID: "msg_1", Audience: "c1", Txn: "t", Subject: userOf("https://id.example/oidc", "u1"),
	Events: map[string]occurrence{claimsChange: {
		Timestamp: 1796000000, Entity: "policy", Claims: &changedClaims{[]changedStatus{{Group: "student"}}},
	}},
}

// The claims of a SET are those of RFC 8417 section 2.2 and SSF 1.0 section 4: iss, jti, iat, one
// aud, txn, sub_id at the top, and one event; never sub or exp.
func TestClaimsOfASET(t *testing.T) {
	t.Parallel()
	var got any
	if err := json.Unmarshal(sampleSET.encode(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"iss": "https://id.example/oidc", "jti": "msg_1", "aud": "c1", "txn": "t",
		"sub_id": map[string]any{"format": "iss_sub", "iss": "https://id.example/oidc", "sub": "u1"},
		"events": map[string]any{claimsChange: map[string]any{
			"event_timestamp": 1796000000., "initiating_entity": "policy",
			"claims": map[string]any{"status": []any{map[string]any{"group": "student", "verified": false}}},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What is kept is as it was, and is no token of another form.
func TestSETIsKept(t *testing.T) {
	t.Parallel()
	got, err := opened(sampleSET.encode())
	if err != nil || !cmp.Equal(got, sampleSET) || len(got.statuses()) != 1 {
		t.Errorf("%v %s", err, cmp.Diff(sampleSET, got))
	}
	if _, err := opened([]byte("{")); err == nil {
		t.Error("what is kept is broken, and is read")
	}
}

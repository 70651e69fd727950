package engine

import (
	"encoding/json"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
)

// TestIntrospectionIsWrittenAsByEncodingJSON tests that nothing of a value gets out of its
// string: scopes and subjects are texts of others.
func TestIntrospectionIsWrittenAsByEncodingJSON(t *testing.T) {
	for _, i := range []Introspection{
		{},
		{Active: true},
		{Active: true, Scope: "a b", ClientID: "c", Subject: "s", Issuer: "https://idp.test", TokenType: issue.TokenType, ExpiresAt: 2, IssuedAt: 1},
		{Scope: `"},"x":"`, Subject: "<&>\u2028\x00\xff", ClientID: `\`, Audience: issue.Audience{`"`}},
		{Audience: issue.Audience{"one", "two", `"`}, ExpiresAt: -1, UserID: "hidden", AskedBy: "hidden"},
	} {
		want, err := json.Marshal(i)
		if err != nil {
			t.Fatal(err)
		}
		if got := i.AppendJSON([]byte("x")); string(got) != "x"+string(want) {
			t.Errorf("%s instead of %s", got[1:], want)
		}
	}
}

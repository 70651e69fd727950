package engine

import (
	"encoding/json"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/storage"
)

// TestIntrospectionIsWrittenAsByEncodingJSON tests that nothing of a value gets out of its
// string: scopes and subjects are texts of others.
func TestIntrospectionIsWrittenAsByEncodingJSON(t *testing.T) {
	for _, i := range []Introspection{
		{},
		{Active: true},
		{Active: true, Scope: "a b", ClientID: "c", Subject: "s", Issuer: "https://idp.test", TokenType: issue.TokenType(storage.Digest{}), ExpiresAt: 2, IssuedAt: 1},
		{Scope: `"},"x":"`, Subject: "<&>\u2028\x00\xff", ClientID: `\`, Audience: issue.Audience{`"`}},
		{Active: true, AuthTime: 1, Confirmation: issue.ConfirmationOf(storage.Digest{1, 2, 3})},
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

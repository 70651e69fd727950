package openid

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/upstream/internal/reply"
)

// FuzzClaims reads claims that anybody may have written, as those of an ID token and of
// userinfo: nothing of an identity is longer than it may be or changes what stands around it,
// and an address is verified only by the document that has it.
func FuzzClaims(f *testing.F) {
	for _, seed := range []string{
		`{"iss":"https://a.example","sub":"1","aud":"c","email":"a@b.example","email_verified":true,"name":"Ada"}`,
		`{"sub":1,"aud":["c",7,null],"email_verified":"true","name":["Ada"],"amr":"pwd","exp":1e400}`,
		`{"exp":-1,"iat":"1","auth_time":1e30,"name":"\u202e\u0000\ud800","email":"a@b@c\u200b"}`,
		`{"email":"a@b.example","email_verified":1,"given_name":" ","family_name":"Lovelace"}`,
		`null`, `[]`, `{`, `{"sub":{"sub":"1"}}`,
	} {
		f.Add([]byte(seed), []byte(`{"email":"c@d.example","email_verified":true}`))
	}
	f.Fuzz(func(t *testing.T, token, info []byte) {
		said, err := readClaims(token)
		if err != nil {
			return
		}
		for _, name := range []string{"exp", "iat", "nbf", "auth_time"} {
			if at, ok := said.time(name); ok && (at.Year() < 1970 || at.Year() > 9999) {
				t.Errorf("%s is %s", name, at)
			}
		}
		if more, err := readClaims(info); err == nil {
			merged := said.merge(more)
			who := merged.identity()
			if who.EmailVerified && !(said.identity().EmailVerified && said.identity().Email == who.Email) && !(more.identity().EmailVerified && more.identity().Email == who.Email) {
				t.Errorf("%q is verified by no document", who.Email)
			}
			if who.Subject != said.text("sub") && said.text("sub") != "" {
				t.Errorf("userinfo has changed the subject to %q", who.Subject)
			}
			said = merged
		}
		who := said.identity()
		if len(who.Name) > 200 || len(who.Email) > 254 || len(who.AMR) > maxList || !utf8.ValidString(who.Name+who.Email) {
			t.Errorf("%+v", who)
		}
		if strings.ContainsFunc(who.Name+who.Email, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
			t.Errorf("%q %q", who.Name, who.Email)
		}
		if who.Email == "" && who.EmailVerified || reply.Email(who.Email) != who.Email || reply.Name(who.Name) != who.Name {
			t.Errorf("%+v", who)
		}
		said.settle(who)
		if verified, _ := said["email_verified"].(bool); verified != who.EmailVerified {
			t.Errorf("the claims say that it is verified: %v", verified)
		}
		if _, err := json.Marshal(said); err != nil {
			t.Error(err)
		}
	})
}

package engine

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

func TestTokenResponse(t *testing.T) {
	for name, c := range map[string]struct {
		dialect string
		plain   bool
		want    string
	}{
		"V3": {registry.DialectV3, false, `{"access_token":"a","token_type":"bearer","expires_in":"300","refresh_token":"r",` +
			`"refresh_expires_in":"604800","scope":"openid military","id_token":"i"}`},
		"Standard": {registry.DialectStandard, false, `{"access_token":"a","token_type":"bearer","expires_in":300,"refresh_token":"r",` +
			`"refresh_expires_in":604800,"scope":"openid military","id_token":"i"}`},
		"V3Plain":       {registry.DialectV3, true, `{"access_token":"a","token_type":"bearer","expires_in":"300","scope":"military"}`},
		"StandardPlain": {registry.DialectStandard, true, `{"access_token":"a","token_type":"bearer","expires_in":300,"scope":"military"}`},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := registry.DialectNamed(c.dialect)
			r := TokenResponse{AccessToken: "a", TokenType: "bearer", ExpiresIn: d.Lifetime(int64(300)), Scope: "military"}
			if !c.plain {
				r.Scope, r.IDToken = "openid military", "i"
				r.RefreshToken, r.RefreshExpiresIn = "r", d.Lifetime(int64(604800))
			}
			if diff := cmp.Diff(c.want, string(r.AppendJSON(nil))); diff != "" {
				t.Errorf("payload (-want +got): %s", diff)
			}
			r.Scope, r.TokenType = `"},"x":"<`, "\x00\xff"
			want, err := json.Marshal(r)
			if got := r.AppendJSON(nil); err != nil || string(got) != string(want) {
				t.Errorf("%s, and encoding/json writes %s: %v", got, want, err)
			}
		})
	}
}

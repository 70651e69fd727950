package issue

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The vectors are those of OpenID Connect Core, appendix A.4 and A.6.
func TestHalfHash(t *testing.T) {
	for value, want := range map[string]string{
		"jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y":                "77QmUPtjPfzWtF2AnpK9RQ",
		"Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk": "LDktKdoQak3Pk0cnXxCltA",
		"": "",
	} {
		for _, alg := range []string{"RS256", "PS256", "ES256"} {
			if got := halfHash(alg, value); got != want {
				t.Errorf("%s: half hash of %q is %q, want %q", alg, value, got, want)
			}
		}
	}
	// Half of the SHA-512 of "abc" (FIPS 180-2 appendix C.1).
	want, err := hex.DecodeString("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a")
	if got := halfHash("EdDSA", "abc"); err != nil || got != base64.RawURLEncoding.EncodeToString(want) {
		t.Errorf("EdDSA: half hash of abc is %q, %v", got, err)
	}
	if got := halfHash("EdDSA", ""); got != "" {
		t.Errorf("EdDSA: half hash of nothing is %q", got)
	}
}

func FuzzClaimsAreWrittenAsByEncodingJSON(f *testing.F) {
	f.Add("i", "s", "n", int64(1), `"v"`)
	f.Add("https://id.test", "", `a"b\c<&>`, int64(-1), `{"a": [1, "<"]}`)
	f.Add("\x7f\xff\u2028", "é", "\n", int64(0), `"\u00e9\t"`)
	f.Fuzz(func(t *testing.T, issuer, subject, nonce string, at int64, value string) {
		c := jwtClaims{
			Issuer: issuer, Subject: subject, Audience: nonce, ExpiresAt: at, IssuedAt: at, AuthTime: at, Class: subject, SID: nonce,
			AMR: []string{subject, nonce}, Nonce: nonce, AccessHash: issuer, CodeHash: subject,
		}
		want, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.append(nil); string(got) != string(want) {
			t.Errorf("%s, want %s", got, want)
		}
		raw := json.RawMessage(value)
		wantValue, wantErr := json.Marshal(raw)
		got, err := appendValue(nil, raw)
		if (err == nil) != (wantErr == nil) || err == nil && string(got) != string(wantValue) {
			t.Errorf("%q is written as %q, %v; want %q, %v", value, got, err, wantValue, wantErr)
		}
	})
}

func TestClaimsKeepTheirOrder(t *testing.T) {
	released := []Claim{
		{Name: "zip", Value: json.RawMessage(`"12345"`), Encoded: true}, {Name: "age", Value: json.RawMessage(`46`)},
		{Name: `<"é`, Value: json.RawMessage(`["<\u00e9"]`)},
	}
	for name, c := range map[string]struct {
		claims   jwtClaims
		released []Claim
		want     string
	}{
		"Least": {jwtClaims{Issuer: "i", IssuedAt: 1}, nil, `{"iss":"i","iat":1}`},
		"All": {
			jwtClaims{"i", "s", "a", 2, 1, 3, "single_factor", "sid", []string{"pwd"}, "n", "ah", "ch"}, released,
			`{"iss":"i","sub":"s","aud":"a","exp":2,"iat":1,"auth_time":3,"acr":"single_factor","sid":"sid","amr":["pwd"],"nonce":"n","at_hash":"ah","c_hash":"ch",` +
				`"zip":"12345","age":46,"\u003c\"é":["\u003c\u00e9"]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := encodeClaims(c.claims.append, c.released)
			if diff := cmp.Diff(c.want, string(got)); err != nil || diff != "" {
				t.Errorf("claims (-want +got): %v\n%s", err, diff)
			}
		})
	}

	t.Run("RefusesWhatIsNoJSON", func(t *testing.T) {
		for _, value := range []string{"", `"`, `1,"sub":"mallory"`, `{}}`} {
			if got, err := encodeClaims((&jwtClaims{}).append, []Claim{{Name: "x", Value: json.RawMessage(value)}}); err == nil {
				t.Errorf("%q became %s", value, got)
			}
		}
	})
}

package credential

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
)

// FuzzSignedProof has a wallet sign anything: what is accepted says all that it must, in whatever way it
// is read.
func FuzzSignedProof(f *testing.F) {
	w := newWallet(f)
	key, err := json.Marshal(w.jwk())
	if err != nil {
		f.Fatal(err)
	}
	const header, claims = `{"typ":"openid4vci-proof+jwt","alg":"ES256","jwk":KEY}`, `{"aud":"https://id.test/oidc","iat":1796040000,"nonce":"n","iss":"wallet"}`
	f.Add(header, claims)
	f.Add(`{"typ":"openid4vci-proof+jwt","alg":"ES256","jwk":{"d":"AA","kty":"EC"},"JWK":KEY}`, claims)
	f.Add(`{"typ":"JWT","TYP":"openid4vci-proof+jwt","alg":"none","alg":"ES256","jwk":KEY,"kid":null}`, claims)
	f.Add(header, `{"aud":["https://id.test/oidc"],"Aud":"https://id.test/oidc","iat":1796040000.5,"nonce":"\u0000"}`)
	f.Add(header+" ", `{"aud":"https://id.test/oidc","iat":1796040300,"nonce":"n","exp":1,"nbf":1e300,"iss":""}`)
	f.Fuzz(func(t *testing.T, header, claims string) {
		header = strings.Replace(header, "KEY", string(key), 1)
		p, err := readProof(w.signText(t, encode([]byte(header))+"."+encode([]byte(claims))), testIssuer, testClient, testNow)
		if err != nil {
			if !errors.Is(err, errProof) || p != (proof{}) {
				t.Fatalf("%+v, %v", p, err)
			}
			return
		}
		var h, c map[string]any
		if json.Unmarshal([]byte(header), &h) != nil || json.Unmarshal([]byte(claims), &c) != nil {
			t.Fatalf("accepts what is no JSON: %q, %q", header, claims)
		}
		jwk, _ := h["jwk"].(map[string]any)
		if h["typ"] != proofType || h["alg"] != proofAlgorithm || jwk["x"] != p.key.X || jwk["y"] != p.key.Y || jwk["d"] != nil {
			t.Errorf("accepts the header %s", header)
		}
		for _, name := range foreign {
			if _, has := h[name]; has {
				t.Errorf("accepts a header with %s: %s", name, header)
			}
		}
		at, _ := c["iat"].(float64)
		if iss, has := c["iss"]; c["aud"] != testIssuer || c["nonce"] != p.nonce || p.nonce == "" || math.Abs(at-float64(testNow.Unix())) > 300 || has && iss != "" && iss != nil && iss != testClient {
			t.Errorf("accepts the claims %s", claims)
		}
	})
}

// FuzzRequest has a wallet ask for anything: it is refused in the words of the standard, or names a
// credential that its token is for.
func FuzzRequest(f *testing.F) {
	f.Add(`{"credential_configuration_id":"student","proofs":{"jwt":["a.b.c"]}}`)
	f.Add(`{"credential_identifier":"student","credential_configuration_id":null,"proofs":null}`)
	f.Add(`{"credential_identifier":"nurse","credential_response_encryption":null,"proofs":{"jwt":[null]}}`)
	f.Add(strings.Repeat("[", 9000))
	s := &Service{cfg: Config{Kinds: Kinds{{Group: "student"}, {Group: "nurse"}}}.withDefaults(), issuer: testIssuer}
	h := room.Holder{ClientID: testClient, Scopes: []string{"credential:student"}}
	f.Fuzz(func(t *testing.T, body string) {
		var req request
		if clientkeys.Decode([]byte(body), &req) != nil {
			return
		}
		var told *refusal
		k, err := s.kindOf(req, h)
		if err != nil && !errors.As(err, &told) || err == nil && k.Group != "student" {
			t.Fatalf("%q: %+v, %v", body, k, err)
		}
		if _, err := s.proofOf(req, h); !errors.Is(err, errProof) {
			t.Fatalf("%q: %v", body, err)
		}
	})
}

// FuzzDisclosures has anything recorded of a status: a credential has a digest for each disclosure, which
// reads as what was recorded.
func FuzzDisclosures(f *testing.F) {
	f.Add("University", "Registry")
	f.Add("~.\"<script>\x00", "\xff\xfe")
	k := Kind{Group: "student", Provenance: true}
	f.Fuzz(func(t *testing.T, subgroup, source string) {
		status := storage.Status{Verified: true, Subgroups: []string{subgroup}, Source: source, Method: subgroup}
		told := k.tell(status)
		payload, disclosures, err := conceal(map[string]any{"vct": "v"}, told)
		if err != nil || len(disclosures) != len(told) {
			t.Fatal(err)
		}
		var seen struct {
			SD []string `json:"_sd"`
		}
		if err := json.Unmarshal(payload, &seen); err != nil || len(seen.SD) != digests || !slices.IsSorted(seen.SD) {
			t.Fatalf("%s, %v", payload, err)
		}
		for i, d := range disclosures {
			raw, err := base64.RawURLEncoding.Strict().DecodeString(d)
			var parts []any
			if err != nil || json.Unmarshal(raw, &parts) != nil || len(parts) != 3 || parts[1] != told[i].name || !slices.Contains(seen.SD, digestOf(d)) {
				t.Errorf("disclosure %s of %+v", raw, told[i])
			}
			if name, is := told[i].value.(string); is && utf8.ValidString(name) && parts[2] != name {
				t.Errorf("disclosure %s of %q", raw, name)
			}
		}
		if text := compact("a.b.c", disclosures); strings.Count(text, "~") != len(disclosures)+1 || !strings.HasSuffix(text, "~") {
			t.Errorf("%s", text)
		}
	})
}

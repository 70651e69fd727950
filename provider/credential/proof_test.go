package credential

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"strings"
	"testing"
	"time"
)

const (
	testIssuer = "https://id.test/oidc"
	testClient = "wallet"
)

var testNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// wallet makes proofs.
type wallet struct{ key *ecdsa.PrivateKey }

func newWallet(t testing.TB) wallet {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return wallet{key}
}

func (w wallet) jwk() map[string]any {
	raw, err := w.key.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	return map[string]any{"kty": "EC", "crv": "P-256", "x": encode(raw[1:33]), "y": encode(raw[33:])}
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// sign returns a proof with these members in place of those of a good one; nil leaves one out.
func (w wallet) sign(t testing.TB, header, claims map[string]any) string {
	t.Helper()
	part := func(good, changed map[string]any) string {
		maps.Copy(good, changed)
		maps.DeleteFunc(good, func(_ string, v any) bool { return v == nil })
		raw, err := json.Marshal(good)
		if err != nil {
			t.Fatal(err)
		}
		return encode(raw)
	}
	return w.signText(t, part(map[string]any{"typ": proofType, "alg": "ES256", "jwk": w.jwk()}, header)+"."+
		part(map[string]any{"aud": testIssuer, "iat": testNow.Unix(), "nonce": "n", "iss": testClient}, claims))
}

func (w wallet) signText(t testing.TB, text string) string {
	t.Helper()
	digest := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, w.key, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encode(append(r.FillBytes(make([]byte, coordinate)), s.FillBytes(make([]byte, coordinate))...))
}

func TestProof(t *testing.T) {
	t.Parallel()
	w, other := newWallet(t), newWallet(t)
	with := func(name string, value any) map[string]any {
		key := w.jwk()
		key[name] = value
		return map[string]any{"jwk": key}
	}
	flipped := func(k holderKey) holderKey { // the same point in another spelling
		x, _ := base64.RawURLEncoding.DecodeString(k.X)
		k.X = encode(append([]byte{0}, x...))
		return k
	}
	good, err := readProof(w.sign(t, nil, nil), testIssuer, testClient, testNow)
	if err != nil || good.nonce != "n" || good.key.X != w.jwk()["x"] || good.key.Y != w.jwk()["y"] {
		t.Fatalf("%+v: %v", good, err)
	}
	for name, c := range map[string]struct{ header, claims map[string]any }{
		"WithoutIssuer":    {claims: map[string]any{"iss": nil}},
		"FourMinutesOld":   {claims: map[string]any{"iat": testNow.Add(-4 * time.Minute).Unix()}},
		"FourMinutesAhead": {claims: map[string]any{"iat": testNow.Add(4 * time.Minute).Unix()}},
		"KeyWithMore":      {header: with("use", "sig")},
	} {
		if _, err := readProof(w.sign(t, c.header, c.claims), testIssuer, testClient, testNow); err != nil {
			t.Errorf("refuses a proof %s: %v", name, err)
		}
	}
	for name, c := range map[string]struct{ header, claims map[string]any }{
		"OfAnotherType":        {header: map[string]any{"typ": "JWT"}},
		"OfNoType":             {header: map[string]any{"typ": nil}},
		"Unsigned":             {header: map[string]any{"alg": "none"}},
		"OfAnotherAlgorithm":   {header: map[string]any{"alg": "ES384"}},
		"OfAnotherKey":         {header: map[string]any{"jwk": other.jwk()}},
		"WithoutKey":           {header: map[string]any{"jwk": nil}},
		"WithPrivateKey":       {header: with("d", "AAAA")},
		"WithKeyOffTheCurve":   {header: with("x", encode(make([]byte, coordinate)))},
		"WithKeyInAnotherForm": {header: map[string]any{"jwk": flipped(good.key)}},
		"WithKeyOfAnotherKind": {header: with("kty", "OKP")},
		"WithAnotherCurve":     {header: with("crv", "P-384")},
		"WithKeyID":            {header: map[string]any{"kid": "did:example:1"}},
		"WithChain":            {header: map[string]any{"x5c": []string{"AAAA"}}},
		"WithTrustChain":       {header: map[string]any{"trust_chain": []string{"AAAA"}}},
		"WithAttestation":      {header: map[string]any{"key_attestation": "a.b.c"}},
		"Critical":             {header: map[string]any{"crit": []string{"exp"}}},
		"ForAnother":           {claims: map[string]any{"aud": "https://id.test"}},
		"ForSeveral":           {claims: map[string]any{"aud": []string{testIssuer, "https://other.test"}}},
		"ForNobody":            {claims: map[string]any{"aud": nil}},
		"OfAnotherClient":      {claims: map[string]any{"iss": "other"}},
		"Old":                  {claims: map[string]any{"iat": testNow.Add(-6 * time.Minute).Unix()}},
		"Ahead":                {claims: map[string]any{"iat": testNow.Add(6 * time.Minute).Unix()}},
		"WithoutTime":          {claims: map[string]any{"iat": nil}},
		"WithTimeAsText":       {claims: map[string]any{"iat": "1"}},
		"WithoutNonce":         {claims: map[string]any{"nonce": nil}},
		"Long":                 {claims: map[string]any{"pad": strings.Repeat("x", maxProof)}},
	} {
		t.Run("Refuses/"+name, func(t *testing.T) {
			t.Parallel()
			if p, err := readProof(w.sign(t, c.header, c.claims), testIssuer, testClient, testNow); !errors.Is(err, errProof) || p != (proof{}) {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
	text := w.sign(t, nil, nil)
	signed, signature := text[:strings.LastIndexByte(text, '.')], text[strings.LastIndexByte(text, '.')+1:]
	header, payload, _ := strings.Cut(signed, ".")
	for name, sent := range map[string]string{
		"Empty": "", "Words": "a b c", "TwoParts": signed, "Forged": signed + "." + encode(make([]byte, 64)),
		"Longer": text + "AA", "WithLineBreak": header + "\n." + payload + "." + signature,
		"TwiceTheName": w.signText(t, header+"."+encode([]byte(`{"aud":"x","aud":"`+testIssuer+`","iat":1796040000,"nonce":"n"}`))),
		"AList":        w.signText(t, header+"."+encode([]byte(`[]`))),
		"DER":          signed + "." + encode(derOf(signature)),
	} {
		t.Run("Refuses/"+name, func(t *testing.T) {
			t.Parallel()
			if _, err := readProof(sent, testIssuer, testClient, testNow); !errors.Is(err, errProof) {
				t.Error(err)
			}
		})
	}
}

// derOf returns a signature in the form of other programs.
func derOf(signature string) []byte {
	raw, _ := base64.RawURLEncoding.DecodeString(signature)
	var b []byte
	for _, half := range [][]byte{raw[:coordinate], raw[coordinate:]} {
		n := new(big.Int).SetBytes(half).Bytes()
		if n[0] >= 0x80 {
			n = append([]byte{0}, n...)
		}
		b = append(append(b, 2, byte(len(n))), n...)
	}
	return append([]byte{0x30, byte(len(b))}, b...)
}

func FuzzProof(f *testing.F) {
	w := newWallet(f)
	f.Add(w.sign(f, nil, nil))
	f.Add(w.sign(f, map[string]any{"kid": "k"}, nil))
	f.Add(w.sign(f, nil, map[string]any{"iat": 1e300}))
	f.Add("e30.e30.AA")
	f.Add("..")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := readProof(text, testIssuer, testClient, testNow)
		if err != nil {
			if !errors.Is(err, errProof) || p != (proof{}) {
				t.Fatalf("%q: %+v, %v", text, p, err)
			}
			return
		}
		// Whatever is accepted names one public key, which has signed all of it.
		if p.nonce == "" || p.key.Type != "EC" || p.key.Curve != "P-256" || strings.Count(text, ".") != 2 {
			t.Fatalf("%q gives %+v", text, p)
		}
		at := strings.LastIndexByte(text, '.')
		if !p.key.verifies(text[:at], text[at+1:]) {
			t.Fatalf("%q is not signed", text)
		}
	})
}

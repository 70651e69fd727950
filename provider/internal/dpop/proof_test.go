package dpop_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider/internal/dpop"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

const (
	target = "https://id.example/oauth/token"
	access = "an.access-token"
)

var now = time.Date(2026, 11, 26, 12, 0, 30, 0, time.UTC)

// draft is a proof before it is signed.
type draft struct {
	header, claims map[string]any
	key            crypto.Signer
	sign           func(text string) []byte // nil for the usual signature of the key
}

func secrets(t testing.TB, first byte) *keyring.Secrets {
	t.Helper()
	sum := sha256.Sum256([]byte{first})
	s := testkit.Must(keyring.NewSecrets(sum[:]))(t)
	return s
}

func reader(t testing.TB) dpop.Reader {
	t.Helper()
	return dpop.Reader{Nonces: dpop.Nonces{Secrets: secrets(t, 1), Purpose: "dpop nonce test"}}
}

// jwkOf returns the public members of a key.
func jwkOf(t testing.TB, key any) map[string]any {
	t.Helper()
	raw := testkit.Must(json.Marshal(jose.JSONWebKey{Key: key}))(t)
	var members map[string]any
	testkit.OK(t, json.Unmarshal(raw, &members))
	return members
}

// keys are made once: an RSA key takes long.
var keys = map[string]crypto.Signer{"ES256": ec(elliptic.P256()), "PS256": rsaKey(2048), "EdDSA": okp(), "Ed25519": okp()}

func ec(curve elliptic.Curve) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		panic(err)
	}
	return key
}

func rsaKey(bits int) *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		panic(err)
	}
	return key
}

func okp() ed25519.PrivateKey {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	return key
}

// newDraft is a good proof.
func newDraft(t testing.TB, alg string) *draft {
	t.Helper()
	key := keys[alg]
	ath := sha256.Sum256([]byte(access))
	return &draft{
		header: map[string]any{"typ": "dpop+jwt", "alg": alg, "jwk": jwkOf(t, key.Public())},
		claims: map[string]any{"jti": "a", "htm": "POST", "htu": target, "iat": now.Unix(), "ath": base64.RawURLEncoding.EncodeToString(ath[:])},
		key:    key,
	}
}

func (d *draft) String() string {
	encoded := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	return d.over(encoded(d.header) + "." + encoded(d.claims))
}

// over signs a text.
func (d *draft) over(text string) string {
	sign := d.sign
	if sign == nil {
		sign = d.usual
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(sign(text))
}

func (d *draft) usual(text string) []byte {
	digest := sha256.Sum256([]byte(text))
	var signature []byte
	var err error
	switch key := d.key.(type) {
	case *rsa.PrivateKey:
		signature, err = rsa.SignPSS(rand.Reader, key, crypto.SHA256, digest[:], &rsa.PSSOptions{SaltLength: 32})
	case *ecdsa.PrivateKey:
		var r, s *big.Int
		r, s, err = ecdsa.Sign(rand.Reader, key, digest[:])
		size := (key.Params().BitSize + 7) / 8
		signature = append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...)
	case ed25519.PrivateKey:
		signature = ed25519.Sign(key, []byte(text))
	}
	if err != nil {
		panic(err)
	}
	return signature
}

func TestReadAccepts(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*draft){
		"AsItIs":             func(*draft) {},
		"UpperCaseHost":      func(d *draft) { d.claims["htu"] = "HTTPS://ID.EXAMPLE/oauth/token" },
		"DefaultPort":        func(d *draft) { d.claims["htu"] = "https://id.example:443/oauth/token" },
		"EscapedLetter":      func(d *draft) { d.claims["htu"] = "https://id.example/oauth/%74oken" },
		"DotSegments":        func(d *draft) { d.claims["htu"] = "https://id.example/x/./../oauth/token" },
		"EscapedDots":        func(d *draft) { d.claims["htu"] = "https://id.example/x/%2e%2E/oauth/token" },
		"DotsAboveTheRoot":   func(d *draft) { d.claims["htu"] = "https://id.example/../oauth/token" },
		"MediaType":          func(d *draft) { d.header["typ"] = "application/dpop+jwt" },
		"TypeInCapitals":     func(d *draft) { d.header["typ"] = "DPoP+JWT" },
		"QueryAndFragment":   func(d *draft) { d.claims["htu"] = target + "?a=b#c" },
		"AMinuteOld":         func(d *draft) { d.claims["iat"] = now.Unix() - 60 },
		"AMinuteAhead":       func(d *draft) { d.claims["iat"] = now.Unix() + 60 },
		"AFractionOfASecond": func(d *draft) { d.claims["iat"] = float64(now.Unix()) + 0.25 },
		"ExpAndNbf":          func(d *draft) { d.claims["exp"], d.claims["nbf"] = now.Unix()+1, now.Unix() },
		"UnknownMembers":     func(d *draft) { d.claims["x"], d.header["x"] = 1, 2 },
		"KeyWithMore":        func(d *draft) { d.header["jwk"].(map[string]any)["use"] = "sig" },
	} {
		for alg := range keys {
			t.Run(name+"/"+alg, func(t *testing.T) {
				t.Parallel()
				d := newDraft(t, alg)
				change(d)
				got := testkit.Must(reader(t).Read([]string{d.String()}, "POST", target, access, now))(t)
				want, err := (&jose.JSONWebKey{Key: keys[alg].Public()}).Thumbprint(crypto.SHA256)
				if err != nil || string(got.JKT[:]) != string(want) {
					t.Errorf("the thumbprint is %x, want %x: %v", got.JKT, want, err)
				}
			})
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	jwk := func(change func(map[string]any)) func(*draft) {
		return func(d *draft) { change(d.header["jwk"].(map[string]any)) }
	}
	claim := func(name string, value any) func(*draft) { return func(d *draft) { d.claims[name] = value } }
	header := func(name string, value any) func(*draft) { return func(d *draft) { d.header[name] = value } }
	signedBy := func(alg string, key crypto.Signer) func(*draft) {
		return func(d *draft) {
			d.key = key
			d.header["alg"], d.header["jwk"] = alg, jwkOf(t, key.Public())
		}
	}
	for name, c := range map[string]struct {
		alg    string
		change func(*draft)
		want   error
	}{
		"AnotherMethod":       {"ES256", claim("htm", "GET"), dpop.ErrTarget},
		"MethodInLowerCase":   {"ES256", claim("htm", "post"), dpop.ErrTarget},
		"AnotherPath":         {"ES256", claim("htu", "https://id.example/oauth/par"), dpop.ErrTarget},
		"AnotherHost":         {"ES256", claim("htu", "https://evil.example/oauth/token"), dpop.ErrTarget},
		"AnotherPort":         {"ES256", claim("htu", "https://id.example:8443/oauth/token"), dpop.ErrTarget},
		"AnotherScheme":       {"ES256", claim("htu", "http://id.example/oauth/token"), dpop.ErrTarget},
		"EscapedSlashInLower": {"ES256", claim("htu", "https://id.example/oauth%2ftoken"), dpop.ErrTarget},
		"EscapedTwice":        {"ES256", claim("htu", "https://id.example/oauth/%2574oken"), dpop.ErrTarget},
		"DotsAtTheEnd":        {"ES256", claim("htu", "https://id.example/oauth/token/."), dpop.ErrTarget},
		"TwoSlashes":          {"ES256", claim("htu", "https://id.example//oauth/token"), dpop.ErrTarget},
		"OtherMediaType":      {"ES256", header("typ", "text/dpop+jwt"), dpop.ErrMalformed},
		"EscapedSlash":        {"ES256", claim("htu", "https://id.example/oauth%2Ftoken"), dpop.ErrTarget},
		"UserInTheAddress":    {"ES256", claim("htu", "https://a@id.example/oauth/token"), dpop.ErrTarget},
		"NoAddress":           {"ES256", claim("htu", ""), dpop.ErrTarget},
		"NoMethod":            {"ES256", claim("htm", ""), dpop.ErrTarget},
		"TooOld":              {"ES256", claim("iat", now.Unix()-61), dpop.ErrNonce},
		"TooFarAhead":         {"ES256", claim("iat", now.Unix()+61), dpop.ErrNonce},
		"NoTime":              {"ES256", func(d *draft) { delete(d.claims, "iat") }, dpop.ErrMalformed},
		"TimeAsText":          {"ES256", claim("iat", fmt.Sprint(now.Unix())), dpop.ErrMalformed},
		"Expired":             {"ES256", claim("exp", now.Unix()), dpop.ErrTime},
		"NotYet":              {"ES256", claim("nbf", now.Unix()+61), dpop.ErrTime},
		"NoIdentifier":        {"ES256", claim("jti", ""), dpop.ErrMalformed},
		"IdentifierAsNumber":  {"ES256", claim("jti", 7), dpop.ErrMalformed},
		"AnotherToken":        {"ES256", claim("ath", "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"), dpop.ErrToken},
		"NoToken":             {"ES256", claim("ath", ""), dpop.ErrToken},
		"MadeUpNonce":         {"ES256", claim("nonce", "AAAAAAAAAAAAAAAAAAAAAAAAAAA"), dpop.ErrNonce},
		"TypeJWT":             {"ES256", header("typ", "JWT"), dpop.ErrMalformed},
		"NoType":              {"ES256", func(d *draft) { delete(d.header, "typ") }, dpop.ErrMalformed},
		"Critical":            {"ES256", header("crit", []string{"exp"}), dpop.ErrMalformed},
		"NoKey":               {"ES256", func(d *draft) { delete(d.header, "jwk") }, dpop.ErrMalformed},
		"KeyAsText":           {"ES256", header("jwk", "key"), dpop.ErrMalformed},
		"PrivateKey":          {"ES256", jwk(func(m map[string]any) { m["d"] = "AAAA" }), dpop.ErrAlgorithm},
		"PrivateKeyOfNothing": {"ES256", jwk(func(m map[string]any) { m["d"] = nil }), dpop.ErrAlgorithm},
		"SymmetricKey":        {"ES256", header("jwk", map[string]any{"kty": "oct", "k": "AAAA"}), dpop.ErrAlgorithm},
		"OffTheCurve":         {"ES256", jwk(func(m map[string]any) { m["y"] = m["x"] }), dpop.ErrAlgorithm},
		"None":                {"ES256", func(d *draft) { d.header["alg"] = "none"; d.sign = func(string) []byte { return nil } }, dpop.ErrAlgorithm},
		"HMAC":                {"ES256", header("alg", "HS256"), dpop.ErrAlgorithm},
		"RS256":               {"PS256", header("alg", "RS256"), dpop.ErrAlgorithm},
		"ES256ByRSA":          {"PS256", header("alg", "ES256"), dpop.ErrAlgorithm},
		"SmallRSA":            {"PS256", signedBy("PS256", rsaKey(1024)), dpop.ErrAlgorithm},
		"LargeRSA": {"PS256", jwk(func(m map[string]any) {
			m["n"] = base64.RawURLEncoding.EncodeToString(append([]byte{1}, make([]byte, 512)...))
		}), dpop.ErrAlgorithm},
		"P384":        {"ES256", signedBy("ES256", ec(elliptic.P384())), dpop.ErrAlgorithm},
		"AnotherKey":  {"ES256", header("jwk", jwkOf(t, ec(elliptic.P256()).Public())), dpop.ErrMalformed},
		"AnotherKey2": {"EdDSA", header("jwk", jwkOf(t, okp().Public())), dpop.ErrMalformed},
		"DER": {"ES256", func(d *draft) {
			d.sign = func(text string) []byte {
				raw := d.usual(text)
				der, err := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])})
				if err != nil {
					panic(err)
				}
				return der
			}
		}, dpop.ErrMalformed},
		"SignatureOfZeros": {"ES256", func(d *draft) { d.sign = func(string) []byte { return make([]byte, 64) } }, dpop.ErrMalformed},
		"ShortSignature":   {"ES256", func(d *draft) { d.sign = func(text string) []byte { return d.usual(text)[:63] } }, dpop.ErrMalformed},
		"NoSignature":      {"EdDSA", func(d *draft) { d.sign = func(string) []byte { return nil } }, dpop.ErrMalformed},
		"WithoutSalt": {"PS256", func(d *draft) {
			d.sign = func(text string) []byte {
				digest := sha256.Sum256([]byte(text))
				signature, err := rsa.SignPSS(rand.Reader, d.key.(*rsa.PrivateKey), crypto.SHA256, digest[:], &rsa.PSSOptions{SaltLength: 0})
				if err != nil {
					panic(err)
				}
				return signature
			}
		}, dpop.ErrMalformed},
		"PKCS1": {"PS256", func(d *draft) {
			d.sign = func(text string) []byte {
				digest := sha256.Sum256([]byte(text))
				signature, err := rsa.SignPKCS1v15(rand.Reader, d.key.(*rsa.PrivateKey), crypto.SHA256, digest[:])
				if err != nil {
					panic(err)
				}
				return signature
			}
		}, dpop.ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDraft(t, c.alg)
			c.change(d)
			if _, err := reader(t).Read([]string{d.String()}, "POST", target, access, now); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestReadRefusesText(t *testing.T) {
	t.Parallel()
	good := newDraft(t, "ES256").String()
	header, rest, _ := strings.Cut(good, ".")
	claims, signature, _ := strings.Cut(rest, ".")
	repeated := newDraft(t, "ES256")
	raw := testkit.Must(json.Marshal(repeated.claims))(t)
	twice := repeated.over(header + "." + base64.RawURLEncoding.EncodeToString(append([]byte(`{"htm":"POST",`), raw[1:]...)))
	for name, sent := range map[string][]string{
		"None":         nil,
		"Two":          {good, good},
		"Empty":        {""},
		"TwoParts":     {header + "." + claims},
		"FourParts":    {good + ".a"},
		"Padding":      {good + "="},
		"LineBreak":    {header + ".\n" + claims + "." + signature},
		"Spaces":       {" " + good},
		"TooLong":      {good + strings.Repeat("A", dpop.MaxSize)},
		"RepeatedName": {twice},
		"TextHeader":   {base64.RawURLEncoding.EncodeToString([]byte(`"a"`)) + "." + claims + "." + signature},
		"TextClaims":   {header + "." + base64.RawURLEncoding.EncodeToString([]byte(`"a"`)) + "." + signature},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := reader(t).Read(sent, "POST", target, access, now); !errors.Is(err, dpop.ErrMalformed) {
				t.Errorf("got %v, want %v", err, dpop.ErrMalformed)
			}
		})
	}
}

func TestNonces(t *testing.T) {
	t.Parallel()
	r := reader(t)
	nonce := r.Nonces.Next("", now)
	minute := now.Truncate(time.Minute)
	for name, c := range map[string]struct {
		at time.Time
		ok bool
	}{
		"Now":                         {now, true},
		"AProcessWhoseClockIsSlow":    {minute.Add(-time.Minute), true},
		"ByMoreThanAMinute":           {minute.Add(-time.Minute - time.Second), false},
		"AtTheEndOfTwoMinutesLater":   {minute.Add(3*time.Minute - time.Second), true},
		"AfterThat":                   {minute.Add(3 * time.Minute), false},
		"Yesterday":                   {now.Add(24 * time.Hour), false},
		"TheSameMinuteOfAnotherYear ": {now.AddDate(-1, 0, 0), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDraft(t, "ES256")
			d.claims["nonce"] = nonce
			d.claims["iat"] = 1 // of a device whose clock is wrong
			p, err := r.Read([]string{d.String()}, "POST", target, access, c.at)
			if ok := err == nil; ok != c.ok || err != nil && !errors.Is(err, dpop.ErrNonce) {
				t.Fatalf("got %v, want accepted: %t", err, c.ok)
			}
			if p.Nonce != nonce {
				t.Errorf("the nonce is %q, want %q", p.Nonce, nonce)
			}
			// It is remembered for longer than any process accepts it.
			if err == nil && !p.Until.After(minute.Add(4*time.Minute)) {
				t.Errorf("is remembered until %v", p.Until)
			}
		})
	}
	if got := r.Nonces.Next(nonce, now); got != "" {
		t.Errorf("the newest nonce is followed by %q", got)
	}
	if got := r.Nonces.Next(nonce, now.Add(time.Minute)); got == "" || got == nonce {
		t.Errorf("an older nonce is followed by %q", got)
	}
	if got := r.Nonces.Next(nonce, now.Add(-time.Minute)); got != "" {
		t.Errorf("the nonce of a faster process is followed by %q", got)
	}
	foreign := dpop.Nonces{Secrets: secrets(t, 2), Purpose: r.Nonces.Purpose}.Next("", now)
	other := dpop.Nonces{Secrets: secrets(t, 1), Purpose: "another"}.Next("", now)
	for _, wrong := range []string{foreign, other, nonce[:len(nonce)-1], nonce + "A", "!"} {
		d := newDraft(t, "ES256")
		d.claims["nonce"] = wrong
		if _, err := r.Read([]string{d.String()}, "POST", target, access, now); !errors.Is(err, dpop.ErrNonce) {
			t.Errorf("%q: got %v", wrong, err)
		}
	}
	r.NonceRequired = true
	d := newDraft(t, "ES256")
	if _, err := r.Read([]string{d.String()}, "POST", target, access, now); !errors.Is(err, dpop.ErrNonce) {
		t.Errorf("without the required nonce: got %v", err)
	}
	d.claims["nonce"] = nonce
	if _, err := r.Read([]string{d.String()}, "POST", target, access, now); err != nil {
		t.Errorf("with the required nonce: got %v", err)
	}
}

func TestUseIsOfOneKeyAtOneAddress(t *testing.T) {
	t.Parallel()
	use := func(alg, address, id string) [sha256.Size]byte {
		d := newDraft(t, alg)
		d.claims["htu"], d.claims["jti"] = address, id
		p := testkit.Must(reader(t).Read([]string{d.String()}, "POST", address, access, now))(t)
		return p.Use
	}
	first := use("ES256", target, "a")
	if use("ES256", target, "a") != first {
		t.Error("the same proof has another name the second time")
	}
	for name, other := range map[string][sha256.Size]byte{
		"key": use("EdDSA", target, "a"), "address": use("ES256", target+"a", "a"), "jti": use("ES256", target, "b"),
		"border": use("ES256", target+"x", "a"),
	} {
		if other == first {
			t.Errorf("another %s makes no difference", name)
		}
	}
}

// FuzzRead tests that whatever is accepted is signed by the key in its header, for this address.
func FuzzRead(f *testing.F) {
	for alg := range keys {
		f.Add(newDraft(f, alg).String())
	}
	broken := newDraft(f, "ES256")
	delete(broken.header, "jwk")
	f.Add(broken.String())
	f.Add("a.b.c")
	f.Add(strings.Repeat(".", dpop.MaxSize))
	good := map[string]string{}
	for alg := range keys {
		d := newDraft(f, alg)
		p, err := reader(f).Read([]string{d.String()}, "POST", target, access, now)
		if err != nil {
			f.Fatal(err)
		}
		good[string(p.JKT[:])] = alg
	}
	known := maps.Clone(good)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := reader(t).Read([]string{text}, "POST", target, access, now)
		if err != nil {
			if p.JKT != (dpop.Thumbprint{}) {
				t.Fatal("a refused proof has a thumbprint")
			}
			return
		}
		if known[string(p.JKT[:])] == "" {
			t.Skip("signed by a key of the fuzzer's own")
		}
		parts := strings.Split(text, ".")
		if len(text) > dpop.MaxSize || len(parts) != 3 || p.Until.Before(now) {
			t.Fatalf("%q is accepted until %v", text, p.Until)
		}
	})
}

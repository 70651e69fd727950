package keyring

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// testKey is one key for all tests that need no other.
var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		panic(err)
	}
	return k
})

func staticKeySet(t testing.TB) *KeySet {
	t.Helper()
	keys := testkit.Must(static(testKey()))(t)
	return keys
}

func TestSignIsUnderstoodByOthers(t *testing.T) {
	keys := staticKeySet(t)
	for _, claims := range []string{`{}`, `{"sub":"u1"}`, `{"name":"Zoë","n":12345678901}`} {
		token := testkit.Must(keys.Sign(RS256, []byte(claims)))(t)
		parsed := testkit.Must(jose.ParseSigned(token))(t)
		header := parsed.Signatures[0].Protected
		if header.Algorithm != "RS256" || header.KeyID != keys.KeyID(RS256) || header.ExtraHeaders[jose.HeaderType] != "JWT" {
			t.Errorf("header %+v", header)
		}
		if got, err := parsed.Verify(testKey().Public()); err != nil || string(got) != claims {
			t.Errorf("go-jose reads %q, %v; want %q", got, err, claims)
		}
		if got, err := keys.Verify(token); err != nil || string(got) != claims {
			t.Errorf("Verify = %q, %v; want %q", got, err, claims)
		}
	}
}

// A token of one type would have rights of another: an access token those of an ID token
// that is presented as a hint.
func TestTokenOfOneTypeIsNoneOfAnother(t *testing.T) {
	keys := staticKeySet(t)
	types := []string{TypeJWT, TypeAccessToken, "logout+jwt", "secevent+jwt"}
	for _, signed := range types {
		token := testkit.Must(keys.SignAs(signed, RS256, []byte(`{"sub":"u1"}`)))(t)
		parsed := testkit.Must(jose.ParseSigned(token))(t)
		if got := parsed.Signatures[0].Protected.ExtraHeaders[jose.HeaderType]; got != signed {
			t.Errorf("typ %v, want %s", got, signed)
		}
		for _, wanted := range types {
			if _, err := keys.VerifyAs(wanted, token); (err == nil) != (signed == wanted) {
				t.Errorf("%s as %s: %v", signed, wanted, err)
			}
		}
	}
}

// sign makes a token with go-jose, as an attacker with some key would.
func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, options *jose.SignerOptions) string {
	t.Helper()
	signer := testkit.Must(jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options))(t)
	signed := testkit.Must(signer.Sign([]byte(`{"sub":"alice"}`)))(t)
	token := testkit.Must(signed.CompactSerialize())(t)
	return token
}

func TestVerifyRefuses(t *testing.T) {
	keys := staticKeySet(t)
	good := testkit.Must(keys.Sign(RS256, []byte(`{"sub":"alice"}`)))(t)
	parts := strings.Split(good, ".")
	header := func(json string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(json)) + "." + parts[1] + "." + parts[2]
	}
	der := testkit.Must(x509.MarshalPKIXPublicKey(testKey().Public()))(t)
	attacker := rsaKey(t, keyBits)
	withID := func(alg jose.SignatureAlgorithm, key any) string {
		return sign(t, alg, jose.JSONWebKey{Key: key, KeyID: keys.KeyID(RS256)}, (&jose.SignerOptions{}).WithType("JWT"))
	}
	encrypter := testkit.Must(jose.NewEncrypter(jose.A128GCM, jose.Recipient{Algorithm: jose.RSA_OAEP, Key: testKey().Public(), KeyID: keys.KeyID(RS256)}, nil))(t)
	encrypted := testkit.Must(encrypter.Encrypt([]byte(good)))(t)
	jwe := testkit.Must(encrypted.CompactSerialize())(t)
	kid := `"kid":"` + keys.KeyID(RS256) + `"`

	for name, token := range map[string]string{
		"nothing":                        "",
		"dots":                           "..",
		"no signature":                   parts[0] + "." + parts[1] + ".",
		"no second dot":                  parts[0] + "." + parts[1],
		"a fourth part":                  good + ".",
		"nested dots":                    strings.Repeat(".", maxTokenSize),
		"alg none":                       header(`{"alg":"none",` + kid + `,"typ":"JWT"}`),
		"alg none without signature":     strings.TrimSuffix(header(`{"alg":"none"}`), parts[2]),
		"alg nOnE":                       header(`{"alg":"nOnE",` + kid + `}`),
		"HS256 with the public key":      withID(jose.HS256, der),
		"HS256 with its PEM":             withID(jose.HS256, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
		"HS256 with its modulus":         withID(jose.HS256, []byte(base64.RawURLEncoding.EncodeToString(testKey().N.Bytes()))),
		"PS256 with our own key":         withID(jose.PS256, testKey()),
		"RS384 with our own key":         withID(jose.RS384, testKey()),
		"RS256 of another key":           withID(jose.RS256, attacker),
		"RS256 with an embedded key":     sign(t, jose.RS256, attacker, &jose.SignerOptions{EmbedJWK: true}),
		"our own key without identifier": sign(t, jose.RS256, testKey(), nil),
		"an address of keys":             header(`{"alg":"RS256","jku":"https://evil.test/jwks",` + kid + `}`),
		"an address of a certificate":    header(`{"alg":"RS256","x5u":"https://evil.test/x",` + kid + `}`),
		"a critical extension":           header(`{"alg":"RS256","crit":["b64"],"b64":false,` + kid + `}`),
		"compression":                    header(`{"alg":"RS256","zip":"DEF",` + kid + `}`),
		"a path as identifier":           header(`{"alg":"RS256","kid":"../../dev/null","typ":"JWT"}`),
		"SQL as identifier":              header(`{"alg":"RS256","kid":"' OR 1","typ":"JWT"}`),
		"an identifier of a megabyte":    header(`{"alg":"RS256","kid":"` + strings.Repeat("k", 1<<20) + `"}`),
		"an identifier twice":            header(`{"alg":"RS256","kid":"x",` + kid + `,"typ":"JWT"}`),
		"costly key derivation":          header(`{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","p2c":2147483647,"p2s":"AAAA"}`),
		"an encrypted token":             jwe,
		"JSON serialization":             `{"protected":"` + parts[0] + `","payload":"` + parts[1] + `","signature":"` + parts[2] + `"}`,
		"white space before":             " " + good,
		"a line break after":             good + "\n",
		"a line break within":            parts[0] + ".\n" + parts[1] + "." + parts[2],
		"padding":                        good + "==",
		"other claims":                   parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"bob"}`)) + "." + parts[2],
		"a signature of zeros":           parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])),
	} {
		t.Run(name, func(t *testing.T) {
			if claims, err := keys.Verify(token); !errors.Is(err, ErrToken) || claims != nil {
				t.Errorf("Verify = %q, %v; want ErrToken", claims, err)
			}
		})
	}
	t.Run("every single character changed", func(t *testing.T) {
		for i := range good {
			c := byte('A')
			if good[i] == c {
				c = 'B'
			}
			forged := good[:i] + string(c) + good[i+1:]
			if _, err := keys.Verify(forged); !errors.Is(err, ErrToken) {
				t.Errorf("character %d changed: error %v, want ErrToken", i, err)
			}
		}
	})
	t.Run("a token longer than the bound", func(t *testing.T) {
		long := testkit.Must(keys.Sign(RS256, []byte(`{"x":"`+strings.Repeat("x", maxTokenSize)+`"}`)))(t)
		if _, err := keys.Verify(long); !errors.Is(err, ErrToken) {
			t.Errorf("error %v, want ErrToken", err)
		}
	})
}

func FuzzVerify(f *testing.F) {
	keys := staticKeySet(f)
	good, err := keys.Sign(RS256, []byte(`{"sub":"alice"}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(keys.signing(RS256).headers[TypeJWT] + "e30.")
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := keys.Verify(token); err == nil && token != good {
			t.Errorf("%q verifies", token)
		}
	})
}

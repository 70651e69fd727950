package keyring

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// heldKeys are one key of the host for each algorithm.
func heldKeys(t testing.TB) (map[string]Held, *KeySet) {
	t.Helper()
	curve := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	testkit.OK(t, err)
	held := map[string]Held{
		RS256: {Signer: testKey()}, PS256: {Signer: rsaKey(t, keyBits)}, ES256: {Signer: curve}, EdDSA: {Signer: edwards},
	}
	keys := testkit.Must(Static(held))(t)
	return held, keys
}

func TestEveryAlgorithmIsUnderstoodByOthers(t *testing.T) {
	held, keys := heldKeys(t)
	for alg, of := range held {
		for range 20 { // some numbers of ES256 have leading zeros
			token := signed(t, keys, alg)
			parsed := testkit.Must(jose.ParseSigned(token))(t)
			header := parsed.Signatures[0].Protected
			if header.Algorithm != alg || header.KeyID != keys.KeyID(alg) || header.ExtraHeaders[jose.HeaderType] != "JWT" {
				t.Errorf("header %+v", header)
			}
			if got, err := parsed.Verify(of.Signer.Public()); err != nil || string(got) != `{"sub":"u1"}` {
				t.Errorf("%s: go-jose reads %q, %v", alg, got, err)
			}
			if _, err := keys.Verify(token); err != nil {
				t.Errorf("%s: %v", alg, err)
			}
		}
		for _, typ := range types {
			token := testkit.Must(keys.SignAs(typ, alg, []byte(`{}`)))(t)
			for _, wanted := range types {
				if _, err := keys.VerifyAs(wanted, token); (err == nil) != (typ == wanted) {
					t.Errorf("%s, %s as %s: %v", alg, typ, wanted, err)
				}
			}
		}
	}
}

func TestVerifyRefusesOtherFormsOfASignature(t *testing.T) {
	held, keys := heldKeys(t)
	parts := func(alg string) (head string, signature []byte) {
		token := signed(t, keys, alg)
		dot := strings.LastIndexByte(token, '.')
		signature = testkit.Must(base64.RawURLEncoding.DecodeString(token[dot+1:]))(t)
		return token[:dot], signature
	}
	with := func(head string, signature []byte) string {
		return head + "." + base64.RawURLEncoding.EncodeToString(signature)
	}
	curve, signature := parts(ES256)
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	order := elliptic.P256().Params().N
	der := testkit.Must(asn1.Marshal(struct{ R, S *big.Int }{r, s}))(t)
	zero := make([]byte, 32)
	salted := func(length int) []byte {
		head, _ := parts(PS256)
		digest := sha256.Sum256([]byte(head))
		made := testkit.Must(rsa.SignPSS(rand.Reader, held[PS256].Signer.(*rsa.PrivateKey), crypto.SHA256, digest[:], &rsa.PSSOptions{SaltLength: length}))(t)
		return made
	}
	probabilistic, _ := parts(PS256)
	if _, err := keys.Verify(with(probabilistic, salted(32))); err != nil {
		t.Fatalf("the test makes no signature of PS256: %v", err)
	}
	v15 := func(alg string) []byte {
		head, _ := parts(alg)
		digest := sha256.Sum256([]byte(head))
		made := testkit.Must(rsa.SignPKCS1v15(rand.Reader, held[PS256].Signer.(*rsa.PrivateKey), crypto.SHA256, digest[:]))(t)
		return made
	}
	edwards, ed := parts(EdDSA)
	plain, _ := parts(RS256)
	digest := sha256.Sum256([]byte(edwards))
	for name, token := range map[string]string{
		"63Bytes":           with(curve, signature[:63]),
		"65Bytes":           with(curve, append(bytes.Clone(signature), 0)),
		"DER":               with(curve, der),
		"ZeroS":             with(curve, append(bytes.Clone(signature[:32]), zero...)),
		"ZeroR":             with(curve, append(bytes.Clone(zero), signature[32:]...)),
		"AllZero":           with(curve, make([]byte, 64)),
		"SIsTheOrder":       with(curve, append(bytes.Clone(signature[:32]), order.Bytes()...)),
		"Empty":             curve + ".",
		"NoSalt":            with(probabilistic, salted(0)),
		"LongSalt":          with(probabilistic, salted(64)),
		"RS256ByKeyOfPS256": with(probabilistic, v15(PS256)),
		"PS256AsRS256":      with(plain, salted(32)),
		"ShortEd25519":      with(edwards, ed[:63]),
		"LongEd25519":       with(edwards, append(bytes.Clone(ed), 0)),
		"Ed25519OfADigest":  with(edwards, ed25519.Sign(held[EdDSA].Signer.(ed25519.PrivateKey), digest[:])),
		"ES256BytesOfEdDSA": with(curve, ed),
	} {
		if claims, err := keys.Verify(token); !errors.Is(err, ErrToken) {
			t.Errorf("%s: Verify = %q, %v", name, claims, err)
		}
	}
}

// A token that names another algorithm than its key has: the header of no key reads so.
func TestVerifyRefusesARelabelledToken(t *testing.T) {
	held, keys := heldKeys(t)
	for own := range held {
		_, rest, _ := strings.Cut(signed(t, keys, own), ".")
		for _, alg := range append(Algorithms(), "Ed25519", "none", "HS256", "ES256K", "RS512") {
			for kid := range held {
				if alg == own && kid == own {
					continue
				}
				token := encodeHeader(alg, keys.KeyID(kid), TypeJWT) + rest
				if claims, err := keys.Verify(token); !errors.Is(err, ErrToken) {
					t.Errorf("%s as %s of the key of %s: Verify = %q, %v", own, alg, kid, claims, err)
				}
			}
		}
	}
}

// answering returns a fixed signature in place of its own.
type answering struct {
	crypto.Signer
	with func([]byte) []byte
}

func (a answering) Sign(random io.Reader, input []byte, options crypto.SignerOpts) ([]byte, error) {
	signature, err := a.Signer.Sign(random, input, options)
	return a.with(signature), err
}

func TestStaticRefusesSignersOfAnotherKind(t *testing.T) {
	held, _ := heldKeys(t)
	other := testkit.Must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))(t)
	curve := held[ES256].Signer
	for name, of := range map[string]struct {
		alg    string
		signer crypto.Signer
	}{
		"P384":            {ES256, other},
		"RSAForES256":     {ES256, testKey()},
		"P256ForEdDSA":    {EdDSA, curve},
		"P256ForPS256":    {PS256, curve},
		"SmallForPS256":   {PS256, rsaKey(t, 1024)},
		"HS256":           {"HS256", curve},
		"RawInPlaceOfDER": {ES256, answering{curve, func(der []byte) []byte { raw, _ := encodeP256(der); return raw }}},
		"Truncated":       {ES256, answering{curve, func(der []byte) []byte { return der[:len(der)-1] }}},
		"Trailing":        {ES256, answering{curve, func(der []byte) []byte { return append(der, 0) }}},
		"Negative":        {ES256, answering{curve, func([]byte) []byte { return []byte{0x30, 6, 2, 1, 0xff, 2, 1, 1} }}},
		"Long":            {ES256, answering{curve, func([]byte) []byte { return append([]byte{0x30, 38, 2, 33, 1}, append(make([]byte, 32), 2, 1, 1)...) }}},
		"V15ForPS256":     {PS256, v15Signer{rsaKey(t, keyBits)}},
		"NoSigner":        {ES256, nil},
	} {
		if _, err := Static(map[string]Held{of.alg: {Signer: of.signer}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Static(map[string]Held{ES256: {Signer: curve, Others: []crypto.PublicKey{testKey().Public()}}}); err == nil {
		t.Error("an RSA key beside ES256: no error")
	}
}

// v15Signer makes signatures of PKCS #1 v1.5 whatever it is asked for.
type v15Signer struct{ *rsa.PrivateKey }

func (s v15Signer) Sign(random io.Reader, digest []byte, _ crypto.SignerOpts) ([]byte, error) {
	return s.PrivateKey.Sign(random, digest, crypto.SHA256)
}

func TestStaticPublishesOtherKeys(t *testing.T) {
	held, _ := heldKeys(t)
	former := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	old := testkit.Must(Static(map[string]Held{ES256: {Signer: former}}))(t)
	keys := testkit.Must(Static(map[string]Held{
		RS256: held[RS256], ES256: {Signer: held[ES256].Signer, Others: []crypto.PublicKey{former.Public(), former.Public()}},
	}))(t)
	if got := algorithmsOf(t, keys); len(got) != 3 {
		t.Errorf("key set of %v", got)
	}
	if _, err := keys.Verify(signed(t, old, ES256)); err != nil {
		t.Error(err)
	}
}

// FuzzEncodeP256 tests that what a signer returns for ES256 becomes 64 bytes that mean the same
// numbers, or an error.
func FuzzEncodeP256(f *testing.F) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	digest := sha256.Sum256(nil)
	signature, err := key.Sign(rand.Reader, digest[:], crypto.SHA256)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signature)
	f.Add([]byte{0x30, 6, 2, 1, 1, 2, 1, 1})
	f.Add([]byte{0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0})
	f.Fuzz(func(t *testing.T, signature []byte) {
		fixed, err := encodeP256(signature)
		if err != nil {
			return
		}
		var numbers struct{ R, S *big.Int }
		rest, err := asn1.Unmarshal(signature, &numbers)
		if err != nil || len(rest) > 0 || len(fixed) != 64 {
			t.Fatalf("%x became %x; asn1: %v", signature, fixed, err)
		}
		if new(big.Int).SetBytes(fixed[:32]).Cmp(numbers.R) != 0 || new(big.Int).SetBytes(fixed[32:]).Cmp(numbers.S) != 0 {
			t.Errorf("%x became %x", signature, fixed)
		}
	})
}

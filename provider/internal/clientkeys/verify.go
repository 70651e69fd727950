package clientkeys

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v3"
	"github.com/go-jose/go-jose/v3/json"
)

// MaxToken is the maximum length of a token in bytes.
const MaxToken = 8 << 10

// Algorithms are the accepted signature algorithms. All are asymmetric, so that a public key is
// never the secret of an HMAC (RFC 8725 section 2.1); none is no signature.
var Algorithms = []string{
	"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", edDSA, ed25519Name,
}

// The names of the algorithm of Ed25519: the older one (RFC 8037) and the one that replaces it
// (RFC 9864). They mean the same here, because there are no other keys of its kind.
const (
	edDSA       = "EdDSA"
	ed25519Name = "Ed25519"
)

// Same reports whether two names are of one algorithm.
func Same(alg, other string) bool { return canonical(alg) == canonical(other) }

func canonical(alg string) string {
	if alg == ed25519Name {
		return edDSA
	}
	return alg
}

// None is the alg of an unsigned token.
const None = "none"

// The reasons to refuse a token.
var (
	ErrMalformed = errors.New("clientkeys: not a signed token in compact form")
	ErrHeader    = errors.New("clientkeys: the header asks for what is not supported")
	ErrAlgorithm = errors.New("clientkeys: the algorithm is not accepted")
	ErrNoKeys    = errors.New("clientkeys: no keys are registered")
	ErrKey       = errors.New("clientkeys: no key fits the token")
	ErrSignature = errors.New("clientkeys: the signature is wrong")
)

// Token is an unverified token in compact form.
type Token struct {
	text string

	// Alg, KeyID and Type are those of its header. Nothing else in a header counts, neither a
	// key nor its address.
	Alg, KeyID, Type string

	payload []byte
}

// header has the members of a JOSE header that are read (RFC 7515 section 4).
type header struct {
	Alg      string          `json:"alg"`
	KeyID    string          `json:"kid"`
	Type     string          `json:"typ"`
	Critical json.RawMessage `json:"crit"`
	Base64   json.RawMessage `json:"b64"`
}

// Read reads a token of an application, even an unsigned one: ErrMalformed or ErrHeader.
func Read(text string) (*Token, error) { return ReadUpTo(text, MaxToken) }

// ReadUpTo is Read for a token of at most so many bytes.
func ReadUpTo(text string, most int) (*Token, error) {
	parts := strings.Split(text, ".")
	if len(text) > most || len(parts) != 3 {
		return nil, ErrMalformed
	}
	strict := base64.RawURLEncoding.Strict()
	raw, err1 := strict.DecodeString(parts[0])
	payload, err2 := strict.DecodeString(parts[1])
	_, err3 := strict.DecodeString(parts[2]) // the verifying library accepts padding
	var h header
	if err1 != nil || err2 != nil || err3 != nil || !isObject(raw) || !isObject(payload) || json.Unmarshal(raw, &h) != nil {
		return nil, ErrMalformed
	}
	if h.Critical != nil || h.Base64 != nil {
		return nil, ErrHeader
	}
	return &Token{text, h.Alg, h.KeyID, h.Type, payload}, nil
}

func isObject(raw []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) }

// Signed returns the signed part of the token (RFC 7515 section 5.1).
func (t *Token) Signed() string { return t.text[:strings.LastIndexByte(t.text, '.')] }

// IsSigned reports whether the token claims to be signed.
func (t *Token) IsSigned() bool { return !strings.EqualFold(t.Alg, None) }

// IsA reports whether the type of the token is absent, JWT or this one (RFC 8725 section
// 3.11).
func (t *Token) IsA(mediaType string) bool {
	name := strings.TrimPrefix(strings.ToLower(t.Type), "application/")
	return name == "" || name == "jwt" || name == mediaType
}

// Unverified decodes the claims of a token that anybody can have made.
func (t *Token) Unverified(claims any) error {
	if err := Decode(t.payload, claims); err != nil {
		return ErrMalformed
	}
	return nil
}

// Verify checks the signature with the keys: ErrKey, ErrSignature or ErrMalformed.
func (s *Set) Verify(t *Token) error {
	refused := ErrKey
	for _, key := range s.keys {
		if t.KeyID != "" && key.KeyID != "" && key.KeyID != t.KeyID || !fits(key.Key, t.Alg) || key.Algorithm != "" && !Same(key.Algorithm, t.Alg) {
			continue
		}
		switch err := t.verifyBy(key.Key); {
		case err == nil:
			return nil
		case errors.Is(err, ErrMalformed):
			return err
		}
		refused = ErrSignature
	}
	return refused
}

// verifyBy checks the signature with a key that fits the algorithm. The library knows one name
// of that of Ed25519.
func (t *Token) verifyBy(public any) error {
	if key, ok := public.(ed25519.PublicKey); ok {
		signature, err := base64.RawURLEncoding.DecodeString(t.text[strings.LastIndexByte(t.text, '.')+1:])
		if err != nil || !ed25519.Verify(key, []byte(t.Signed()), signature) {
			return ErrSignature
		}
		return nil
	}
	signed, err := jose.ParseSigned(t.text)
	if err != nil {
		return ErrMalformed
	}
	_, err = signed.Verify(public)
	return err
}

// names reports whether one of the keys has this identifier.
func (s *Set) names(id string) bool {
	return slices.ContainsFunc(s.keys, func(k jose.JSONWebKey) bool { return k.KeyID == id })
}

// curves are the curves of the algorithms (RFC 7518 section 3.4).
var curves = map[string]elliptic.Curve{"ES256": elliptic.P256(), "ES384": elliptic.P384(), "ES512": elliptic.P521()}

// fits reports whether an algorithm signs with keys of this type.
func fits(key any, alg string) bool {
	if !slices.Contains(Algorithms, alg) {
		return false
	}
	switch key := key.(type) {
	case *rsa.PublicKey:
		return strings.HasPrefix(alg, "RS") || strings.HasPrefix(alg, "PS")
	case *ecdsa.PublicKey:
		return curves[alg] == key.Curve
	case ed25519.PublicKey:
		return Same(alg, edDSA)
	default:
		return false
	}
}

// Signs reports whether a key of a registered set can sign with one of these algorithms.
func Signs(set []byte, algorithms []string) bool {
	parsed, err := Parse(set, MaxKeys)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(parsed.keys, func(key jose.JSONWebKey) bool {
		return slices.ContainsFunc(algorithms, func(alg string) bool {
			return fits(key.Key, alg) && (key.Algorithm == "" || Same(key.Algorithm, alg))
		})
	})
}

func accepted(alg string) bool { return slices.Contains(Algorithms, alg) }

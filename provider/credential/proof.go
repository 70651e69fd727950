package credential

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
)

const (
	// maxProof is the maximum length of a proof in bytes.
	maxProof = 4 << 10

	// proofSkew is how far the clock of a wallet may be off.
	proofSkew = 5 * time.Minute

	// proofType is the typ of a proof (OpenID for Verifiable Credential Issuance 1.0 appendix F.1).
	proofType = "openid4vci-proof+jwt"

	// proofAlgorithm is that of the keys of holders.
	proofAlgorithm = "ES256"
)

// holderKey is the public key of a holder, with the members of a JSON Web Key that verifiers need
// and no other: some refuse those of the wallet.
type holderKey struct {
	Type  string `json:"kty"`
	Curve string `json:"crv"`
	X     string `json:"x"`
	Y     string `json:"y"`
}

// proof is a proof that a wallet has a key.
type proof struct {
	key   holderKey
	nonce string
}

// readProof reads a proof that a wallet has made for this issuer, as this client if it has an ID. It
// does not look at the nonce.
func readProof(text, issuer, clientID string, now time.Time) (p proof, err error) {
	token, err := clientkeys.ReadUpTo(text, maxProof)
	if err != nil || strings.ContainsAny(text, "\r\n") || token.Type != proofType || token.Alg != proofAlgorithm {
		return p, errProof
	}
	key, err := keyIn(text)
	if err != nil {
		return p, err
	}
	var claims struct {
		Issuer   string   `json:"iss"`
		Audience string   `json:"aud"`
		IssuedAt *float64 `json:"iat"`
		Nonce    string   `json:"nonce"`
	}
	if token.Unverified(&claims) != nil || claims.IssuedAt == nil || claims.Nonce == "" {
		return p, errProof
	}
	age := float64(now.Unix()) - *claims.IssuedAt
	if claims.Audience != issuer || claims.Issuer != "" && clientID != "" && claims.Issuer != clientID || age > proofSkew.Seconds() || age < -proofSkew.Seconds() {
		return p, errProof
	}
	if !key.verifies(token.Signed(), text[strings.LastIndexByte(text, '.')+1:]) {
		return p, errProof
	}
	return proof{key, claims.Nonce}, nil
}

// foreign are the members of a header by which a proof could name another key than the one that it
// has, or say what nobody checks here.
var foreign = []string{"kid", "x5c", "x5u", "jku", "trust_chain", "key_attestation"}

// keyIn returns the key in the header of a proof. A private key is refused: others know it by now.
func keyIn(text string) (key holderKey, err error) {
	header, _, _ := strings.Cut(text, ".")
	raw, err := base64.RawURLEncoding.DecodeString(header)
	var members, sent map[string]json.RawMessage
	if err != nil || clientkeys.Decode(raw, &members) != nil || clientkeys.Decode(members["jwk"], &sent) != nil {
		return key, errProof
	}
	for name := range members {
		if slices.Contains(foreign, name) {
			return key, errProof
		}
	}
	if _, isPrivate := sent["d"]; isPrivate {
		return key, errProof
	}
	for name, into := range map[string]*string{"kty": &key.Type, "crv": &key.Curve, "x": &key.X, "y": &key.Y} {
		if clientkeys.Decode(sent[name], into) != nil {
			return key, errProof
		}
	}
	if _, err := key.public(); err != nil || key.Type != "EC" || key.Curve != "P-256" {
		return key, errProof
	}
	return key, nil
}

// coordinate is the size of a coordinate of P-256 in bytes (RFC 7518 section 6.2.1.2).
const coordinate = 32

// public returns the key; errProof if it is no point of the curve, in its only spelling.
func (k holderKey) public() (*ecdsa.PublicKey, error) {
	strict := base64.RawURLEncoding.Strict()
	x, err1 := strict.DecodeString(k.X)
	y, err2 := strict.DecodeString(k.Y)
	if err1 != nil || err2 != nil || len(x) != coordinate || len(y) != coordinate || strings.ContainsAny(k.X+k.Y, "\r\n") {
		return nil, errProof
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
	if err != nil {
		return nil, errProof
	}
	return public, nil
}

// verifies reports whether a signature is one of the key (RFC 7518 section 3.4).
func (k holderKey) verifies(signed, signature string) bool {
	public, err := k.public()
	raw, err2 := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || err2 != nil || len(raw) != 2*coordinate {
		return false
	}
	digest := sha256.Sum256([]byte(signed))
	return ecdsa.Verify(public, digest[:], new(big.Int).SetBytes(raw[:coordinate]), new(big.Int).SetBytes(raw[coordinate:]))
}

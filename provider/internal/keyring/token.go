package keyring

import (
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// ErrToken means that no key of this set has signed a token.
var ErrToken = errors.New("keyring: not a token of this issuer")

// maxTokenSize is the length in bytes beyond which a token is refused.
const maxTokenSize = 8 << 10

// ErrAlgorithm means that this set does not sign with an algorithm.
var ErrAlgorithm = errors.New("keyring: no key signs with this algorithm")

// Types of tokens: the typ of their header (RFC 7515 section 4.1.9). A token of one type
// never passes for one of another (RFC 8725 section 3.11).
const (
	// TypeJWT is the type of ID tokens and of userinfo.
	TypeJWT = "JWT"
	// TypeAccessToken is the type of access tokens (RFC 9068 section 2.1).
	TypeAccessToken = "at+jwt"
	// TypeLogoutToken is the type of logout tokens (OpenID Connect Back-Channel Logout 1.0
	// section 2.4).
	TypeLogoutToken = "logout+jwt"
	// TypeSecurityEvent is the type of security event tokens (RFC 8417 section 2.3).
	TypeSecurityEvent = "secevent+jwt"
	// TypeResponse is the type of authorization responses. JARM section 2.1 gives them no typ,
	// and libraries refuse one that they do not know: their header has none.
	TypeResponse = "response"
)

// Types of what sets of another purpose sign.
const (
	// TypeCredential is the type of credentials (SD-JWT VC section 3.2.1).
	TypeCredential = "dc+sd-jwt"
	// TypeStatusList is the type of lists of their status (Token Status List section 5.1).
	TypeStatusList = "statuslist+jwt"
)

// types are all types of tokens.
var types = []string{TypeJWT, TypeAccessToken, TypeLogoutToken, TypeSecurityEvent, TypeResponse}

// encodeHeader returns the encoded JOSE header (RFC 7515 section 4) of a key's tokens of a
// type, with the dot that follows. Algorithm, identifier and type need no escape.
func encodeHeader(alg, id, typ string) string {
	header := `{"alg":"` + alg + `","kid":"` + id + `","typ":"` + typ + `"}`
	if typ == TypeResponse {
		header = `{"alg":"` + alg + `","kid":"` + id + `"}`
	}
	return base64.RawURLEncoding.EncodeToString([]byte(header)) + "."
}

// certifiedHeader is encodeHeader for a key that certificates name.
func certifiedHeader(alg, typ string, certificates [][]byte) string {
	header := `{"alg":"` + alg + `","typ":"` + typ + `","x5c":["`
	for i, der := range certificates {
		if i > 0 {
			header += `","`
		}
		header += base64.StdEncoding.EncodeToString(der)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(header+`"]}`)) + "."
}

// signatureSize returns the length of the key's signatures in bytes.
func (k *key) signatureSize() int {
	if public, ok := k.public.(*rsa.PublicKey); ok {
		return public.Size()
	}
	return 64 // of ES256 (RFC 7518 section 3.4) and Ed25519 (RFC 8032 section 5.1.6)
}

// Sign is SignAs for [TypeJWT].
func (s *KeySet) Sign(alg string, claims []byte) (string, error) {
	return s.SignAs(TypeJWT, alg, claims)
}

// SignAs returns a JWS (RFC 7515) in compact form with this typ over the claims, a JSON
// object, under the key that signs now with an algorithm; [ErrAlgorithm] if none does. All but
// claims and signature is constant for a key; a general library would build, encode and copy
// the header each time.
func (s *KeySet) SignAs(typ, alg string, claims []byte) (string, error) {
	k := s.signing(alg)
	if k == nil {
		return "", fmt.Errorf("%w: %s", ErrAlgorithm, alg)
	}
	encoding, header := base64.RawURLEncoding, k.headers[typ]
	token := make([]byte, 0, len(header)+encoding.EncodedLen(len(claims))+1+encoding.EncodedLen(k.signatureSize()))
	token = append(token, header...)
	token = encoding.AppendEncode(token, claims)
	signature, err := k.sign(token)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	token = append(token, '.')
	token = encoding.AppendEncode(token, signature)
	return string(token), nil
}

// Verify is VerifyAs for [TypeJWT].
func (s *KeySet) Verify(token string) (claims []byte, err error) { return s.VerifyAs(TypeJWT, token) }

// VerifyAs returns the claims of a token of this type that a key of this set has signed, or
// [ErrToken]. It does not read them: the caller checks expiry and audience.
//
// The header must be, byte for byte, one that [KeySet.SignAs] writes for a known key, which
// has one algorithm. Nothing of a header is interpreted, so that no other algorithm, no key or
// address inside a header, no compression, no critical extension and no encrypted token can
// pass (RFC 8725 section 3).
func (s *KeySet) VerifyAs(typ, token string) (claims []byte, err error) {
	if len(token) > maxTokenSize {
		return nil, ErrToken
	}
	header, rest, _ := strings.Cut(token, ".")
	k := s.current.Load().byHeader(typ, token[:min(len(header)+1, len(token))])
	if k == nil {
		return nil, ErrToken
	}
	payload, encoded, found := strings.Cut(rest, ".")
	if !found {
		return nil, ErrToken
	}
	signature, err := decodeBase64(encoded)
	if err != nil {
		return nil, ErrToken
	}
	if !k.verify([]byte(token[:len(header)+1+len(payload)]), signature) {
		return nil, ErrToken
	}
	if claims, err = decodeBase64(payload); err != nil {
		return nil, ErrToken
	}
	return claims, nil
}

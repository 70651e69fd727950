package keyring

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// ErrToken means that no key of this set has signed a token.
var ErrToken = errors.New("keyring: not a token of this issuer")

// maxTokenSize is the length in bytes beyond which a token is refused.
const maxTokenSize = 8 << 10

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
)

// encodeHeader returns the encoded JOSE header (RFC 7515 section 4) of a key's tokens of a
// type, with the dot that follows. Identifier and type need no escape.
func encodeHeader(id, typ string) string {
	header := `{"alg":"RS256","kid":"` + id + `","typ":"` + typ + `"}`
	return base64.RawURLEncoding.EncodeToString([]byte(header)) + "."
}

// headerAs returns the header of the key's tokens of a type.
func (k *key) headerAs(typ string) string {
	if typ == TypeJWT {
		return k.header
	}
	return encodeHeader(k.id, typ)
}

// Sign is SignAs for [TypeJWT].
func (s *KeySet) Sign(claims []byte) (string, error) { return s.SignAs(TypeJWT, claims) }

// SignAs returns a JWS (RFC 7515) in compact form with this typ over the claims, a JSON
// object, under the key that signs now. All but claims and signature is constant for a key;
// a general library would build, encode and copy the header each time.
func (s *KeySet) SignAs(typ string, claims []byte) (string, error) {
	k := s.signing()
	encoding, header := base64.RawURLEncoding, k.headerAs(typ)
	size := len(header) + encoding.EncodedLen(len(claims)) + 1 + encoding.EncodedLen(k.public.Size())

	token := make([]byte, 0, size)
	token = append(token, header...)
	token = encoding.AppendEncode(token, claims)
	digest := sha256.Sum256(token)
	signature, err := k.signer.Sign(rand.Reader, digest[:], crypto.SHA256)
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
// The header must be, byte for byte, the one that [KeySet.SignAs] writes for a known key.
// Nothing of a header is interpreted, so that no other algorithm, no key or address inside
// a header, no compression, no critical extension and no encrypted token can pass (RFC 8725
// section 3).
func (s *KeySet) VerifyAs(typ, token string) (claims []byte, err error) {
	if len(token) > maxTokenSize {
		return nil, ErrToken
	}
	k := s.current.Load().byHeader(typ, token)
	if k == nil {
		return nil, ErrToken
	}
	header := k.headerAs(typ)
	payload, encoded, found := strings.Cut(token[len(header):], ".")
	if !found {
		return nil, ErrToken
	}
	signature, err := decodeBase64(encoded)
	if err != nil {
		return nil, ErrToken
	}
	digest := sha256.Sum256([]byte(token[:len(header)+len(payload)]))
	if rsa.VerifyPKCS1v15(k.public, crypto.SHA256, digest[:], signature) != nil {
		return nil, ErrToken
	}
	if claims, err = decodeBase64(payload); err != nil {
		return nil, ErrToken
	}
	return claims, nil
}

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

// ErrToken says that a token was not signed by a key of this set.
var ErrToken = errors.New("keyring: not a token of this issuer")

// maxTokenSize is the length in bytes beyond which no token is looked at.
const maxTokenSize = 8 << 10

// encodeHeader returns the JOSE header (RFC 7515 section 4) of every token that a
// key signs, encoded, with the dot that follows. The identifier is base64url and
// needs no escape.
func encodeHeader(id string) string {
	header := `{"alg":"RS256","kid":"` + id + `","typ":"JWT"}`
	return base64.RawURLEncoding.EncodeToString([]byte(header)) + "."
}

// Sign returns a JWS (RFC 7515) in compact form over the claims, which are a JSON
// object, under the key that signs now. It is written out here because all but
// the claims and the signature is constant for each key; a general library would
// build, encode and copy the header each time.
func (s *KeySet) Sign(claims []byte) (string, error) {
	k := s.signing()
	encoding := base64.RawURLEncoding
	size := len(k.header) + encoding.EncodedLen(len(claims)) + 1 + encoding.EncodedLen(k.public.Size())

	token := make([]byte, 0, size)
	token = append(token, k.header...)
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

// Verify returns the claims of a token that a key of this set has signed, or
// [ErrToken]. It looks at nothing in them: whether the token has expired, and whom
// it is for, is for the caller to decide.
//
// The header must be, byte for byte, the one that [KeySet.Sign] writes for a known
// key. No other algorithm, no key or address inside a header, no compression, no
// critical extension and no encrypted token can pass (RFC 8725 section 3), because
// nothing of a header is ever interpreted.
func (s *KeySet) Verify(token string) (claims []byte, err error) {
	if len(token) > maxTokenSize {
		return nil, ErrToken
	}
	k := s.current.Load().byHeader(token)
	if k == nil {
		return nil, ErrToken
	}
	payload, encoded, found := strings.Cut(token[len(k.header):], ".")
	if !found {
		return nil, ErrToken
	}
	signature, err := decodeBase64(encoded)
	if err != nil {
		return nil, ErrToken
	}
	digest := sha256.Sum256([]byte(token[:len(k.header)+len(payload)]))
	if rsa.VerifyPKCS1v15(k.public, crypto.SHA256, digest[:], signature) != nil {
		return nil, ErrToken
	}
	if claims, err = decodeBase64(payload); err != nil {
		return nil, ErrToken
	}
	return claims, nil
}

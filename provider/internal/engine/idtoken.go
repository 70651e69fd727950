package engine

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// ErrNoUser says that the subject of a grant no longer exists.
var ErrNoUser = errors.New("engine: no such user")

// idTokenFor is what an ID token is made from. Nonce, access and code are empty
// where the token must not mention them.
type idTokenFor struct {
	grant               storage.Grant
	client              *Client
	now                 time.Time
	nonce, access, code string
}

// idToken returns a signed ID token (OpenID Connect Core section 2).
func (e *Engine) idToken(ctx context.Context, f idTokenFor) (string, error) {
	claims, err := e.Claims(ctx, f.grant, f.client)
	if errors.Is(err, ErrNoUser) {
		return "", errGrant
	}
	if err != nil {
		return "", fmt.Errorf("read claims: %w", err)
	}
	b := e.StartClaims(f.grant, f.now, e.Lifetimes.ID)
	b = appendNumber(b, "auth_time", f.grant.AuthTime.Unix())
	if len(f.grant.AMR) > 0 {
		amr, err := json.Marshal(f.grant.AMR)
		if err != nil {
			return "", fmt.Errorf("encode amr: %w", err)
		}
		b = appendRaw(b, "amr", amr)
	}
	b = appendIfSet(b, "nonce", f.nonce)
	b = appendIfSet(b, "at_hash", halfHash(f.access))
	b = appendIfSet(b, "c_hash", halfHash(f.code))
	token, err := e.Sign(FinishClaims(b, claims))
	if err != nil {
		return "", fmt.Errorf("sign ID token: %w", err)
	}
	return token, nil
}

// StartClaims begins the JSON of a JWT about the grant's subject for its client.
// Finish it with FinishClaims. It is put together without maps because it is on
// the path of every sign-in.
func (e *Engine) StartClaims(g storage.Grant, now time.Time, life time.Duration) []byte {
	b := make([]byte, 0, 1024)
	b = append(b, `{"iss":`...)
	b = appendString(b, e.Issuer)
	b = appendIfSet(b, "sub", g.Subject)
	b = appendIfSet(b, "aud", g.ClientID)
	b = appendNumber(b, "exp", now.Add(life).Unix())
	return appendNumber(b, "iat", now.Unix())
}

// FinishClaims adds what the scopes release and closes the object.
func FinishClaims(b []byte, claims []Claim) []byte {
	for _, c := range claims {
		b = appendRaw(b, c.Name, c.Value)
	}
	return append(b, '}')
}

func appendIfSet(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return appendString(appendName(b, name), value)
}

func appendNumber(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(appendName(b, name), n, 10)
}

func appendRaw(b []byte, name string, value json.RawMessage) []byte {
	return append(appendName(b, name), value...)
}

func appendName(b []byte, name string) []byte {
	return append(appendString(append(b, ','), name), ':')
}

func appendString(b []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	quoted, err := json.Marshal(s)
	if err != nil { // a string always has a JSON form
		panic(err)
	}
	return append(b, quoted...)
}

// isPlain reports whether a string is its own JSON form: no JSON encoder escapes a
// letter, a digit, or these.
func isPlain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '_', c == '-', c == '.', c == ':', c == '/', c == '@', c == '=', c == '+', c == ' ':
		default:
			return false
		}
	}
	return true
}

// halfHash is at_hash and c_hash: the left half of the digest (OpenID Connect Core
// section 3.3.2.11); empty for an empty value.
func halfHash(value string) string {
	if value == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(value))
	return base64.RawURLEncoding.EncodeToString(sum[:sha256.Size/2])
}

// StartObject begins a JSON object with one member, for FinishClaims.
func StartObject(name, value string) []byte {
	return appendString(append(appendString([]byte{'{'}, name), ':'), value)
}

package dpop

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v3/json"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
)

const (
	// MaxSize is the maximum length of a proof in bytes.
	MaxSize = 4 << 10

	// maxAge is how old a proof without a nonce may be.
	maxAge = time.Minute

	// mediaType is the typ of a proof (RFC 9449 section 4.2), in any case and with application/
	// before it or not (RFC 7515 section 4.1.9).
	mediaType = "dpop+jwt"
)

// The reasons to refuse a proof.
var (
	// ErrMalformed means that it is no proof: not a single JWT of this type with all claims,
	// signed by the public key in its header.
	ErrMalformed = errors.New("dpop: no proof, or not signed by the key in its header")
	// ErrAlgorithm means that the algorithm, or the key, is not accepted.
	ErrAlgorithm = errors.New("dpop: the algorithm or the key is not accepted")
	// ErrTarget means that it is for another method or address.
	ErrTarget = errors.New("dpop: the proof is for another method or address")
	// ErrNonce means that it needs a nonce, or another: it may be sent again with one.
	ErrNonce = errors.New("dpop: the proof needs another nonce")
	// ErrTime means that its exp has passed, or its nbf lies ahead.
	ErrTime = errors.New("dpop: the proof has expired, or is not valid yet")
	// ErrToken means that it is for another access token, or for none.
	ErrToken = errors.New("dpop: the proof is for another access token")
)

// Thumbprint is the SHA-256 thumbprint of a key (RFC 7638).
type Thumbprint = [sha256.Size]byte

// Proof is a proof that has been read.
type Proof struct {
	// JKT is the thumbprint of its key.
	JKT Thumbprint

	// Use names the proof among all that are accepted at its address, and Until is when no
	// process accepts it any more. A key cannot use up the identifiers of another.
	Use   [sha256.Size]byte
	Until time.Time

	// Nonce is what it has as its nonce, also where the proof is refused.
	Nonce string
}

// claims are those of a proof (RFC 9449 section 4.2).
type claims struct {
	ID        string   `json:"jti"`
	Method    string   `json:"htm"`
	Address   string   `json:"htu"`
	IssuedAt  *float64 `json:"iat"`
	Token     string   `json:"ath"`
	Nonce     string   `json:"nonce"`
	ExpiresAt *float64 `json:"exp"`
	NotBefore *float64 `json:"nbf"`
}

// Reader reads proofs.
type Reader struct {
	Nonces Nonces

	// NonceRequired refuses proofs without a nonce.
	NonceRequired bool
}

// Read reads the fields DPoP of a request by this method to target, an address without query and
// fragment in normal form (RFC 3986 section 6). token is the access token of the request, or
// empty where it has none. Its errors are those of this package.
func (r Reader) Read(header []string, method, target, token string, now time.Time) (Proof, error) {
	if len(header) != 1 || len(header[0]) > MaxSize {
		return Proof{}, ErrMalformed
	}
	signed, err := parse(header[0])
	if err != nil {
		return Proof{}, err
	}
	c := signed.claims
	p := Proof{Nonce: c.Nonce}
	if c.Method != method || normal(c.Address) != target {
		return p, ErrTarget
	}
	if p.Until, err = r.inTime(c, now); err != nil {
		return p, err
	}
	if err := signed.verify(); err != nil {
		return p, err
	}
	if token != "" && !isHashOf(c.Token, token) {
		return p, ErrToken
	}
	if p.JKT, err = signed.key.Thumbprint(); err != nil {
		return p, ErrAlgorithm
	}
	p.Use = useOf(p.JKT, target, c.ID)
	return p, nil
}

// parsed is a proof in its parts, whose signature has not been verified.
type parsed struct {
	alg       string
	key       publicKey
	claims    claims
	text      string // what is signed
	signature []byte
}

// parse reads a JWT in compact form. This decoder refuses a repeated name and matches the exact
// spelling, so that no other program reads another value.
func parse(text string) (p parsed, err error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 || strings.ContainsAny(text, "\r\n") {
		return p, ErrMalformed
	}
	strict := base64.RawURLEncoding.Strict()
	rawHeader, err1 := strict.DecodeString(parts[0])
	payload, err2 := strict.DecodeString(parts[1])
	signature, err3 := strict.DecodeString(parts[2])
	var h struct {
		Alg      string          `json:"alg"`
		Type     string          `json:"typ"`
		Key      json.RawMessage `json:"jwk"`
		Critical json.RawMessage `json:"crit"`
		Base64   json.RawMessage `json:"b64"`
	}
	if err1 != nil || err2 != nil || err3 != nil || !isObject(rawHeader) || !isObject(payload) ||
		json.Unmarshal(rawHeader, &h) != nil || json.Unmarshal(payload, &p.claims) != nil {
		return p, ErrMalformed
	}
	if strings.TrimPrefix(strings.ToLower(h.Type), "application/") != mediaType || h.Critical != nil || h.Base64 != nil || p.claims.ID == "" || p.claims.IssuedAt == nil {
		return p, ErrMalformed
	}
	p.alg, p.signature, p.text = h.Alg, signature, text[:strings.LastIndexByte(text, '.')]
	p.key, err = readKey(h.Key, h.Alg)
	return p, err
}

func isObject(raw []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) }

// inTime returns until when a proof is accepted. With a right nonce its iat does not count: the
// clock of a device may be wrong.
func (r Reader) inTime(c claims, now time.Time) (until time.Time, err error) {
	switch {
	case c.ExpiresAt != nil && !now.Before(timeOf(*c.ExpiresAt)), c.NotBefore != nil && clock.Ahead(now, timeOf(*c.NotBefore)):
		return until, ErrTime
	case c.Nonce != "":
		ends, ok := r.Nonces.end(c.Nonce, now)
		if !ok {
			return until, ErrNonce
		}
		return ends.Add(clock.Skew + time.Second), nil
	case r.NonceRequired:
		return until, ErrNonce
	}
	issued := timeOf(*c.IssuedAt)
	if now.Sub(issued) > maxAge || clock.Ahead(now, issued) {
		return until, ErrNonce
	}
	// A process whose clock is slow accepts it for so much longer.
	return issued.Add(maxAge + clock.Skew + time.Second), nil
}

// timeOf returns a time of seconds since the epoch; far from what a time can say, it stays on
// its side of now.
func timeOf(seconds float64) time.Time {
	if math.IsNaN(seconds) {
		return time.Time{}
	}
	return time.Unix(int64(min(max(seconds, 0), math.MaxInt32*16)), 0)
}

// normal returns an address without query and fragment, normalized by its syntax and scheme (RFC
// 3986 sections 6.2.2 and 6.2.3); "" for what is no such address.
func normal(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Opaque != "" {
		return ""
	}
	host := strings.ToLower(u.Host)
	switch u.Scheme { // which is in lower case
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + host + normalPath(u.EscapedPath())
}

// encoded is an octet of a path that is percent-encoded.
var encoded = regexp.MustCompile("%[0-9A-Fa-f]{2}")

// normalPath returns a path without encoding of unreserved characters and without dot segments.
func normalPath(path string) string {
	if strings.Contains(path, "%") {
		path = encoded.ReplaceAllStringFunc(path, func(octet string) string {
			if c, err := url.PathUnescape(octet); err == nil && (c < "\x80") && unreserved.MatchString(c) {
				return c
			}
			return strings.ToUpper(octet)
		})
	}
	if !strings.Contains(path, "/.") {
		return cmp.Or(path, "/")
	}
	var kept []string
	segments := strings.Split(path[1:], "/")
	for i, segment := range segments {
		if dots := segment == "." || segment == ".."; !dots {
			kept = append(kept, segment)
			continue
		}
		if segment == ".." && len(kept) > 0 {
			kept = kept[:len(kept)-1]
		}
		if i == len(segments)-1 {
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/")
}

// unreserved is a character that may stand for itself anywhere.
var unreserved = regexp.MustCompile("^[A-Za-z0-9._~-]$")

// isHashOf reports whether ath is that of an access token (RFC 9449 section 4.2).
func isHashOf(ath, token string) bool {
	sum := sha256.Sum256([]byte(token))
	want := base64.RawURLEncoding.EncodeToString(sum[:])
	return subtle.ConstantTimeCompare([]byte(ath), []byte(want)) == 1
}

// useOf names a proof: no key can use up what is another's.
func useOf(jkt Thumbprint, target, id string) [sha256.Size]byte {
	named := append([]byte("dpop "), jkt[:]...)
	named = binary.BigEndian.AppendUint32(named, uint32(len(target)))
	return sha256.Sum256(append(append(named, target...), id...))
}

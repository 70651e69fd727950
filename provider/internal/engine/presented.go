package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v3/json"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/storage"
)

// maxAhead is how far ahead a token that an application has signed may expire. Libraries
// sign for a minute, and one of them for an hour.
const maxAhead = time.Hour + clock.Skew

// presented is what an application signs with a key of its own: an assertion that it is
// the application (RFC 7523 section 2.2), one that stands for a grant (section 2.1), or a
// request object (RFC 9101).
type presented struct {
	// parameter is the one that carries it, mediaType its explicit type.
	parameter, mediaType string

	// refused is the answer to whoever presents one that is not believed.
	refused *Error

	// isRequest marks a request object: it may be without exp and jti, and is for the
	// issuer by that name only.
	isRequest bool
}

func (p presented) because(name diagnosis.Name, details ...string) *Error {
	return p.refused.Because(name, append([]string{"parameter", p.parameter}, details...)...)
}

// read reads a token that is not believed yet, and its claims.
func (p presented) read(text string) (*clientkeys.Token, signedClaims, error) {
	var c signedClaims
	token, err := clientkeys.Read(text)
	if err != nil || !token.IsA(p.mediaType) || token.Unverified(&c) != nil {
		return nil, c, p.because(diagnosis.JWTMalformed)
	}
	return token, c, nil
}

// signedClaims are the claims of RFC 7519 section 4.1.
type signedClaims struct {
	Issuer    string       `json:"iss"`
	Subject   string       `json:"sub"`
	Audience  addressees   `json:"aud"`
	ExpiresAt *numericDate `json:"exp"`
	NotBefore *numericDate `json:"nbf"`
	IssuedAt  *numericDate `json:"iat"`
	ID        string       `json:"jti"`
}

// addressees is one name or a list of them.
type addressees []string

// UnmarshalJSON implements json.Unmarshaler.
func (a *addressees) UnmarshalJSON(raw []byte) error {
	var one string
	if err := json.Unmarshal(raw, &one); err == nil {
		*a = addressees{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(a))
}

// numericDate is seconds since the epoch, with a fraction or without.
type numericDate float64

func (d numericDate) time() time.Time {
	// Far from what a time can say, it stays on its side of now.
	seconds := min(max(float64(d), 0), math.MaxInt32*16)
	return time.Unix(int64(seconds), 0)
}

// verify checks the signature by the keys of the client, and what the claims say beside
// their subject.
func (e *Engine) verify(ctx context.Context, p presented, c *Client, token *clientkeys.Token, claims signedClaims, alg string) error {
	holder := clientkeys.Holder{Set: c.JWKS, URI: c.JWKSURI}
	if err := e.ClientKeys.Verify(ctx, holder, token, alg); err != nil {
		return p.refuseKey(err, token)
	}
	now := e.Clock()
	audiences := e.Audiences
	if p.isRequest {
		audiences = []string{e.Issuer}
	}
	switch {
	case claims.Issuer != c.ID:
		return p.because(diagnosis.JWTIssuer, "iss", claims.Issuer)
	case len(claims.Audience) == 0, !isAmong(audiences, claims.Audience):
		// All names are ours: one that is another provider's could be presented there.
		return p.because(diagnosis.JWTAudience, "aud", strings.Join(claims.Audience, " "), "expected", e.Issuer)
	case claims.ExpiresAt == nil && !p.isRequest, claims.ID == "" && !p.isRequest, len(claims.ID) > maxValue:
		return p.because(diagnosis.JWTIncomplete)
	case claims.ExpiresAt != nil && !now.Before(claims.ExpiresAt.time()):
		return p.because(diagnosis.JWTExpired)
	case claims.ExpiresAt != nil && claims.ExpiresAt.time().Sub(now) > maxAhead,
		claims.NotBefore != nil && clock.Ahead(now, claims.NotBefore.time()),
		claims.IssuedAt != nil && clock.Ahead(now, claims.IssuedAt.time()):
		return p.because(diagnosis.JWTLifetime)
	}
	return nil
}

func isAmong(known, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(known, name) })
}

// refuseKey says why a signature is not believed. Keys that cannot be read are not the
// fault of whoever presents the token.
func (p presented) refuseKey(err error, token *clientkeys.Token) error {
	switch {
	case errors.Is(err, clientkeys.ErrUnreachable):
		return Unavailable(err).Because(diagnosis.KeysUnreachable)
	case errors.Is(err, clientkeys.ErrAlgorithm):
		return p.because(diagnosis.JWTAlgorithm, "alg", token.Alg)
	case errors.Is(err, clientkeys.ErrNoKeys):
		return p.because(diagnosis.KeysMissing)
	case errors.Is(err, clientkeys.ErrKey):
		return p.because(diagnosis.JWTKeyUnknown, "kid", token.KeyID, "alg", token.Alg)
	case errors.Is(err, clientkeys.ErrSignature):
		return p.because(diagnosis.JWTSignature)
	case errors.Is(err, clientkeys.ErrMalformed):
		return p.because(diagnosis.JWTMalformed)
	default:
		return err
	}
}

// use spends the jti of what has been verified, over all processes and restarts. What is
// presented as one thing is spent as any other as well (RFC 8725 section 2.8).
func (e *Engine) use(ctx context.Context, p presented, c *Client, claims signedClaims) error {
	if claims.ID == "" {
		return nil
	}
	now := e.Clock()
	until := now.Add(maxAhead)
	if claims.ExpiresAt != nil {
		// A process whose clock is slow accepts it for so much longer.
		until = claims.ExpiresAt.time().Add(clock.Skew)
	}
	err := e.UsedIDs.UseID(ctx, usedDigest(c.ID, claims.ID), until, now)
	if errors.Is(err, storage.ErrConflict) {
		return p.because(diagnosis.JWTUsed)
	}
	return err
}

// usedDigest names a jti of a client: no client can spend that of another.
func usedDigest(clientID, id string) storage.Digest {
	named := binary.BigEndian.AppendUint32([]byte("jti "), uint32(len(clientID)))
	return sha256.Sum256(append(append(named, clientID...), id...))
}

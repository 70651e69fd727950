package signed

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
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// maxAhead is how far ahead a token that an application has signed may expire. Libraries
// sign for a minute, and one of them for an hour.
const maxAhead = time.Hour + clock.Skew

// Kind is what an application signs with a key of its own: an assertion that it is
// the application (RFC 7523 section 2.2), one that stands for a grant (section 2.1), or a
// request object (RFC 9101).
type Kind struct {
	// Parameter is the one that carries it, MediaType its explicit type.
	Parameter, MediaType string

	// Refused is the answer to whoever presents one that is not believed.
	Refused *protocol.Error

	// isRequest marks a request object: it may be without jti, and may name others beside
	// the issuer.
	isRequest bool
}

// Because returns the answer with its diagnosis, for whoever builds the application.
func (p Kind) Because(name diagnosis.Name, details ...string) *protocol.Error {
	return p.Refused.Because(name, append([]string{"parameter", p.Parameter}, details...)...)
}

// Read reads a token that is not believed yet, and its claims.
func (p Kind) Read(text string) (*clientkeys.Token, Claims, error) {
	var c Claims
	token, err := clientkeys.Read(text)
	if err != nil || !token.IsA(p.MediaType) || token.Unverified(&c) != nil {
		return nil, c, p.Because(diagnosis.JWTMalformed)
	}
	c.signed = token.Signed()
	return token, c, nil
}

// Claims are the claims of RFC 7519 section 4.1.
type Claims struct {
	Issuer    string       `json:"iss"`
	Subject   string       `json:"sub"`
	Audience  addressees   `json:"aud"`
	ExpiresAt *numericDate `json:"exp"`
	NotBefore *numericDate `json:"nbf"`
	IssuedAt  *numericDate `json:"iat"`
	ID        string       `json:"jti"`

	// signed is the text that they were signed as.
	signed string
}

// addressees is one name or a list of them.
type addressees struct {
	names  []string
	listed bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *addressees) UnmarshalJSON(raw []byte) error {
	var one string
	if err := json.Unmarshal(raw, &one); err == nil {
		*a = addressees{names: []string{one}}
		return nil
	}
	a.listed = true
	return json.Unmarshal(raw, &a.names)
}

// numericDate is seconds since the epoch, with a fraction or without.
type numericDate float64

func (d numericDate) time() time.Time {
	// Far from what a time can say, it stays on its side of now.
	seconds := min(max(float64(d), 0), math.MaxInt32*16)
	return time.Unix(int64(seconds), 0)
}

// Verifier verifies what applications sign.
type Verifier struct {
	// Issuer identifies this provider. Audiences are all names by which an assertion may
	// address it, the issuer and the addresses of its endpoints.
	Issuer    string
	Audiences []string

	// Keys verify signatures, UnknownKeys those of clients that nobody has registered, and
	// UsedIDs keep what may be presented once.
	Keys, UnknownKeys *clientkeys.Source
	UsedIDs           storage.UsedIDs

	Clock func() time.Time
}

// Verify checks the signature by the keys of the client, and what the claims say beside
// their subject.
func (v *Verifier) Verify(ctx context.Context, p Kind, c *registry.Client, token *clientkeys.Token, claims Claims, alg string) error {
	holder := clientkeys.Holder{Set: c.JWKS, URI: c.JWKSURI}
	keys := v.Keys
	if c.IsUnknown() {
		keys = v.UnknownKeys
	}
	if !c.Profile.Allows(token.Alg) {
		return p.refuseKey(clientkeys.ErrAlgorithm, token)
	}
	if err := keys.Verify(ctx, holder, token, alg); err != nil {
		return p.refuseKey(err, token)
	}
	now := v.Clock()
	profiled := p.isRequest && c.RequireSignedRequest && c.RequirePushed // FAPI 2.0 Message Signing section 5.3.1
	switch {
	case claims.Issuer != c.ID:
		return p.Because(diagnosis.JWTIssuer, "iss", claims.Issuer)
	case !v.isAddressed(p, c, claims.Audience):
		return p.Because(diagnosis.JWTAudience, "aud", strings.Join(claims.Audience.names, " "), "expected", v.Issuer)
	case claims.ExpiresAt == nil, claims.ID == "" && !p.isRequest, len(claims.ID) > input.MaxValue,
		claims.NotBefore == nil && profiled:
		return p.Because(diagnosis.JWTIncomplete)
	case !now.Before(claims.ExpiresAt.time()):
		return p.Because(diagnosis.JWTExpired)
	case claims.ExpiresAt.time().Sub(now) > maxAhead,
		profiled && claims.ExpiresAt.time().Sub(claims.NotBefore.time()) > time.Hour,
		claims.NotBefore != nil && clock.Ahead(now, claims.NotBefore.time()),
		claims.NotBefore != nil && p.isRequest && now.Sub(claims.NotBefore.time()) > maxAhead,
		claims.IssuedAt != nil && clock.Ahead(now, claims.IssuedAt.time()):
		return p.Because(diagnosis.JWTLifetime)
	}
	return nil
}

// isAddressed reports whether a token is for this provider.
func (v *Verifier) isAddressed(p Kind, c *registry.Client, to addressees) bool {
	switch {
	case p.isRequest: // who else reads it learns what the address of the request says
		return slices.Contains(to.names, v.Issuer)
	case c.RequirePushed: // FAPI 2.0 Security Profile section 5.3.2.1
		return !to.listed && slices.Contains(to.names, v.Issuer)
	default:
		// All names are ours: one that is another provider's could be presented there.
		return len(to.names) > 0 && isAmong(v.Audiences, to.names)
	}
}

func isAmong(known, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(known, name) })
}

// refuseKey says why a signature is not believed. An address that does not answer now is not
// the fault of whoever presents the token.
func (p Kind) refuseKey(err error, token *clientkeys.Token) error {
	var refused *clientkeys.RefusedError
	switch {
	case errors.As(err, &refused):
		return p.Because(diagnosis.KeysRefused, "jwks_uri", refused.Reason.Error())
	case errors.Is(err, clientkeys.ErrUnreachable):
		return protocol.Unavailable(err).Because(diagnosis.KeysUnreachable)
	case errors.Is(err, clientkeys.ErrAlgorithm):
		return p.Because(diagnosis.JWTAlgorithm, "alg", token.Alg)
	case errors.Is(err, clientkeys.ErrNoKeys):
		return p.Because(diagnosis.KeysMissing)
	case errors.Is(err, clientkeys.ErrKey):
		return p.Because(diagnosis.JWTKeyUnknown, "kid", token.KeyID, "alg", token.Alg)
	case errors.Is(err, clientkeys.ErrSignature):
		return p.Because(diagnosis.JWTSignature)
	case errors.Is(err, clientkeys.ErrMalformed):
		return p.Because(diagnosis.JWTMalformed)
	default:
		return err
	}
}

// Use spends what has been verified, over all processes and restarts: its jti, and where it
// has none the text that was signed. What is presented as one thing is spent as any other
// as well (RFC 8725 section 2.8).
func (v *Verifier) Use(ctx context.Context, p Kind, c *registry.Client, claims Claims) error {
	digest := usedDigest("jti ", c.ID, claims.ID)
	if claims.ID == "" {
		digest = usedDigest("JWT ", c.ID, claims.signed)
	}
	// A process whose clock is slow accepts it for so much longer.
	until := claims.ExpiresAt.time().Add(clock.Skew)
	err := v.UsedIDs.UseID(ctx, digest, until, v.Clock())
	if errors.Is(err, storage.ErrConflict) {
		return p.Because(diagnosis.JWTUsed)
	}
	return err
}

// usedDigest names what a client has spent: no client can spend that of another.
func usedDigest(kind, clientID, spent string) storage.Digest {
	named := binary.BigEndian.AppendUint32([]byte(kind), uint32(len(clientID)))
	return sha256.Sum256(append(append(named, clientID...), spent...))
}

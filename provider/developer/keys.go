package developer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// signingAlgs are the algorithms with which applications can sign.
var signingAlgs = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"}

// algRS256 is the algorithm with which the provider signs what says no other.
const algRS256 = "RS256"

// signedBy reads an algorithm with which the provider signs; an unknown one changes nothing.
func (p *posting) signedBy(field, registered string) string {
	if alg := p.r.posted(field); slices.Contains(p.d.provider(p.r.env).Rooms().Installation().SigningAlgorithms, alg) {
		return alg
	}
	return registered
}

// signsWithKey reports whether an application authenticates with its own key.
func signsWithKey(c provider.Client) bool { return c.TokenEndpointAuthMethod == authMethodKey }

// isStrict reports whether an application must do more than send a request through a
// browser with a secret, as a trial and the samples do.
func isStrict(c provider.Client) bool {
	return signsWithKey(c) || c.RequirePushedAuthorizationRequests || c.RequireSignedRequestObject
}

// authentication reads the application's authentication method and its keys.
func (p *posting) authentication() {
	if method := p.r.posted(screens.FieldAuthMethod); slices.Contains(authMethods, method) {
		p.TokenEndpointAuthMethod = strings.TrimPrefix(method, authMethodAny)
	}
	p.TokenEndpointAuthSigningAlg = p.alg(screens.FieldAuthSigningAlg, p.TokenEndpointAuthSigningAlg)
	if !signsWithKey(p.Client) {
		p.TokenEndpointAuthSigningAlg = ""
	}
	p.JWKSURI = strings.TrimSpace(p.r.posted(ui.FieldJWKSURI))
	if p.keys() && len(p.JWKS) > 0 && p.JWKSURI != "" {
		p.wrong(ui.Problem{Code: ui.KeysTwice})
	}
}

// needKeys refuses an application that signs and has no keys.
func (p *posting) needKeys() {
	signs := signsWithKey(p.Client) || p.RequireSignedRequestObject || slices.Contains(p.GrantTypes, grantJWTBearer)
	entered := strings.TrimSpace(p.r.posted(ui.FieldJWKS)) != "" // also what is refused, and shown no more
	if signs && !entered && p.JWKSURI == "" {
		p.wrong(ui.Problem{Code: ui.KeysMissing})
	}
}

// alg reads an algorithm; an unknown one changes nothing.
func (p *posting) alg(field, registered string) string {
	switch alg := p.r.posted(field); {
	case alg == screens.AnyAlg:
		return ""
	case slices.Contains(signingAlgs, alg):
		return alg
	default:
		return registered
	}
}

var (
	// private finds the members of a private or symmetric key (RFC 7518 section 6), and the
	// beginning of one in PEM, even outside of a key set.
	private = regexp.MustCompile(`(?i)"(?:d|p|q|dp|dq|qi|oth|k)"\s*:|PRIVATE KEY`)

	// escaped finds letters as JSON can spell them too.
	escaped = regexp.MustCompile(`\\u00[0-7][0-9a-fA-F]`)
)

// hasPrivate reports whether the input contains a private key, as far as that can be told.
func hasPrivate(entered string) bool {
	return private.MatchString(escaped.ReplaceAllStringFunc(entered, func(s string) string {
		letter, _ := strconv.ParseUint(s[len(`\u`):], 16, 8) // as it has been found
		return string(rune(letter))
	}))
}

// publicKeys is a key set with public members only (RFC 7517 section 4, RFC 7518 section 6,
// and additions of libraries).
type publicKeys struct {
	Keys []struct {
		Kty, Use, Alg, Kid, X5u, X5t, Crv, X, Y, N, E string

		X5tS256       string   `json:"x5t#S256"`
		KeyOps        []string `json:"key_ops"`
		X5c           []string
		Ext           bool
		Iat, Nbf, Exp float64
	}
}

// isPublic reports whether the input may be shown again. Anything but a key set of public
// members may contain a private key.
func isPublic(entered string) bool {
	decoder := json.NewDecoder(strings.NewReader(entered))
	decoder.DisallowUnknownFields()
	var keys publicKeys
	if hasPrivate(entered) || decoder.Decode(&keys) != nil {
		return false
	}
	_, err := decoder.Token()
	return errors.Is(err, io.EOF)
}

// keys reads the key set, and reports whether it can be registered. A private key is never
// shown again.
func (p *posting) keys() bool {
	entered := strings.TrimSpace(p.r.posted(ui.FieldJWKS))
	if hasPrivate(entered) {
		p.JWKS = nil
		p.wrong(ui.Problem{Code: ui.KeysSecret})
		return false
	}
	p.JWKS = asRegistered(entered, p.before.JWKS)
	only := p.before // which can be registered, so that what is wrong is in the set
	only.JWKS, only.JWKSURI = p.JWKS, ""
	var wrong *provider.FieldError
	if len(p.JWKS) > 0 && errors.As(p.d.provider(p.r.env).Rooms().Clients.Validate(only), &wrong) && wrong.Field == "JWKS" {
		p.wrong(ui.Problem{Field: ui.FieldJWKS, Text: keysProblem(wrong.Err.Error())})
		return false
	}
	return true
}

// keysProblem translates the provider's error about a key set or, as keys[0], about one of
// its keys.
func keysProblem(said string) string {
	var n int
	if _, err := fmt.Sscanf(said, "keys[%d]:", &n); err != nil {
		return "The key set " + said + "."
	}
	_, of, _ := strings.Cut(said, ": ")
	return fmt.Sprintf("Key %d %s.", n+1, of)
}

// asRegistered returns a key set in its registered form if it is equivalent, and else as
// entered.
func asRegistered(entered string, registered json.RawMessage) json.RawMessage {
	if entered == "" {
		return nil
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(entered)) == nil && bytes.Equal(compact.Bytes(), registered) {
		return registered
	}
	return json.RawMessage(entered)
}

// maxKeyID limits the displayed bytes of a key's kid.
const maxKeyID = 64

// keyIDs names the keys of a set by their kid and by the beginning of their thumbprints
// (RFC 7638), which differ where keys differ.
func keyIDs(set json.RawMessage) []string {
	var read struct {
		Keys []map[string]json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(set, &read) != nil {
		return nil
	}
	var names []string
	for _, key := range read.Keys {
		var id string
		_ = json.Unmarshal(key["kid"], &id) // one without a name has a thumbprint
		if len(id) > maxKeyID {
			id = strings.ToValidUTF8(id[:maxKeyID], "") + "…"
		}
		names = append(names, strings.TrimSpace(id+" "+thumbprint(key)))
	}
	return names
}

// thumbprinted are the members in the thumbprint of a key.
var thumbprinted = map[string][]string{"EC": {"crv", "kty", "x", "y"}, "OKP": {"crv", "kty", "x"}, "RSA": {"e", "kty", "n"}}

// thumbprint returns the first 32 bits of the thumbprint of a key, for people to compare.
func thumbprint(key map[string]json.RawMessage) string {
	var kind string
	_ = json.Unmarshal(key["kty"], &kind) // a key of no kind has no members
	members := map[string]json.RawMessage{}
	for _, name := range thumbprinted[kind] {
		members[name] = key[name]
	}
	written, err := json.Marshal(members) // sorted by name
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(written)
	return hex.EncodeToString(sum[:4])
}

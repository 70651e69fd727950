package openid

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/internal/reply"
)

// AppleIssuer is the issuer of all identities of Apple.
const AppleIssuer = "https://appleid.apple.com"

// appleSecret is how long a client secret is good for. Apple allows six months.
const appleSecret = 5 * time.Minute

// AppleOptions configure the connector of Apple. All but Scopes are required.
type AppleOptions struct {
	// ClientID is the identifier of a Services ID, TeamID that of the developer's team.
	ClientID, TeamID string

	// KeyID is the identifier of a key for Sign in with Apple, and Key the content of its
	// file, AuthKey_….p8.
	KeyID string
	Key   []byte

	// Scopes are name, email, or both.
	// Defaults to both.
	Scopes []string
}

// Apple returns the connector of Sign in with Apple. It differs from the standard in this:
//
//   - The client secret is a JWT that the connector signs for each code, good for five minutes.
//   - The response is a form that Apple has the browser post, from another site: cookies with
//     SameSite=Lax are not sent with it.
//   - The name is in a field of that form, unsigned, and only at the first sign-in of a person.
//     It is shown, and nothing rests on it.
//   - email_verified is a text at times. The address may be one that forwards to the person, at
//     privaterelay.appleid.com, for which Apple is authoritative.
//   - There is no userinfo endpoint, no hint of a person, and no way to ask for an
//     authentication of now.
func Apple(o AppleOptions) *Connector {
	return apple(AppleIssuer, o)
}

func apple(issuer string, o AppleOptions) *Connector {
	scopes := o.Scopes
	if scopes == nil {
		scopes = []string{"name", "email"}
	}
	c := New(Options{Issuer: issuer, ClientID: o.ClientID, Scopes: scopes})
	key, err := readAppleKey(o.Key)
	switch {
	case o.TeamID == "":
		err = field.Errorf("TeamID", "is missing")
	case o.KeyID == "":
		err = field.Errorf("KeyID", "is missing")
	}
	c.dialect = dialect{
		wrong: err,
		whole: true, timeless: true,
		ask: func(_ upstream.Request, to url.Values) {
			to.Set("response_mode", "form_post")
			for _, name := range []string{"login_hint", "max_age", "prompt", "acr_values", "ui_locales"} {
				to.Del(name)
			}
		},
		secret: func(now time.Time) (string, error) {
			return signES256(key, o.KeyID, map[string]any{
				"iss": o.TeamID, "sub": o.ClientID, "aud": issuer, "iat": now.Unix(), "exp": now.Add(appleSecret).Unix(),
			})
		},
		judge: func(who *upstream.Identity, _ claims, values url.Values) error {
			if who.Name == "" {
				who.Name = appleName(values.Get("user"))
			}
			switch reply.Domain(who.Email) {
			case "privaterelay.appleid.com", "icloud.com", "me.com", "mac.com":
				who.Authoritative = who.EmailVerified
			}
			return nil
		},
	}
	return c
}

func readAppleKey(file []byte) (*ecdsa.PrivateKey, error) {
	block, _ := pem.Decode(file)
	if block == nil {
		return nil, field.Errorf("Key", "is no PEM file")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(*ecdsa.PrivateKey)
	if err != nil || !ok || key.Curve != elliptic.P256() {
		return nil, field.Errorf("Key", "is not a key for Sign in with Apple")
	}
	return key, nil
}

// appleName reads the field user of the response.
func appleName(field string) string {
	var user struct {
		Name struct {
			First string `json:"firstName"`
			Last  string `json:"lastName"`
		} `json:"name"`
	}
	if len(field) > maxCode || json.Unmarshal([]byte(field), &user) != nil {
		return ""
	}
	return reply.Name(user.Name.First + " " + user.Name.Last)
}

// signES256 returns a JWT (RFC 7515 section 3.1, RFC 7518 section 3.4).
func signES256(key *ecdsa.PrivateKey, id string, claims map[string]any) (string, error) {
	header, err := json.Marshal(map[string]string{"alg": "ES256", "kid": id})
	if err != nil {
		return "", fmt.Errorf("openid: encode header: %w", err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("openid: encode claims: %w", err)
	}
	signed := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(payload)
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
	if err != nil {
		return "", fmt.Errorf("openid: sign client secret: %w", err)
	}
	var signature [64]byte
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature[:]), nil
}

package passkey

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-webauthn/webauthn/protocol/webauthncose"

	"github.com/bonafide-id/bonafide/storage"
)

// User is whom a passkey is created for, as authenticators show it.
type User struct {
	Handle []byte

	// Name is the address of the account, DisplayName the name of the person or empty.
	Name, DisplayName string
}

// bytes64 is written in base64url, as in the JSON of WebAuthn section 5.1.8.
type bytes64 []byte

// MarshalText implements encoding.TextMarshaler.
func (b bytes64) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode(nil, b), nil
}

// descriptor names a passkey (WebAuthn section 5.8.3).
type descriptor struct {
	Type       string   `json:"type"`
	ID         bytes64  `json:"id"`
	Transports []string `json:"transports,omitempty"`
}

// creation are the options of WebAuthn section 5.4, entity and parameter parts of them.
type (
	creation struct {
		RP                     entity          `json:"rp"`
		User                   userEntity      `json:"user"`
		Challenge              bytes64         `json:"challenge"`
		PubKeyCredParams       []parameter     `json:"pubKeyCredParams"`
		ExcludeCredentials     []descriptor    `json:"excludeCredentials"`
		AuthenticatorSelection selection       `json:"authenticatorSelection"`
		Attestation            string          `json:"attestation"`
		Extensions             map[string]bool `json:"extensions"`
	}
	entity struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	userEntity struct {
		ID          bytes64 `json:"id"`
		Name        string  `json:"name"`
		DisplayName string  `json:"displayName"`
	}
	parameter struct {
		Type string `json:"type"`
		Alg  int    `json:"alg"`
	}
	selection struct {
		ResidentKey        string `json:"residentKey"`
		RequireResidentKey bool   `json:"requireResidentKey"`
		UserVerification   string `json:"userVerification"`
	}
	// assertion are the options of WebAuthn section 5.5.
	assertion struct {
		Challenge        bytes64      `json:"challenge"`
		RPID             string       `json:"rpId"`
		AllowCredentials []descriptor `json:"allowCredentials"`
		UserVerification string       `json:"userVerification"`
	}
)

const publicKey = "public-key"

// The words of the options.
const (
	required    = "required"
	preferred   = "preferred"
	attestation = "none"
)

// algorithms are those of the keys that are accepted, the preferred first: ES256 is what
// phones and computers make, EdDSA newer security keys, RS256 the TPM of older Windows.
var algorithms = []webauthncose.COSEAlgorithmIdentifier{webauthncose.AlgES256, webauthncose.AlgEdDSA, webauthncose.AlgRS256}

// CreateOptions returns the options for navigator.credentials.create in JSON. The passkey
// will be discoverable and verify the user, on any kind of authenticator. Existing are the
// passkeys of the account: an authenticator that has one of them refuses, and would otherwise
// replace it.
func (p *Party) CreateOptions(challenge []byte, u User, existing []storage.Passkey) ([]byte, error) {
	o := creation{
		RP:                 entity{p.ID, p.Name},
		User:               userEntity{u.Handle, p.shown(u.Name), p.display(u)},
		Challenge:          challenge,
		ExcludeCredentials: p.descriptors(existing),
		// Without userVerification, Chromium protects the key so that it is not found later.
		AuthenticatorSelection: selection{ResidentKey: required, RequireResidentKey: true, UserVerification: required},
		Attestation:            attestation,
		Extensions:             map[string]bool{"credProps": true},
	}
	for _, alg := range algorithms {
		o.PubKeyCredParams = append(o.PubKeyCredParams, parameter{publicKey, int(alg)})
	}
	return encode(o)
}

// GetOptions returns the options for navigator.credentials.get in JSON. Allowed are the
// passkeys of a known account; nil lets the user pick any passkey of the relying party.
// Verify requires that the authenticator verifies the user; otherwise it does if it can.
func (p *Party) GetOptions(challenge []byte, allowed []storage.Passkey, verify bool) ([]byte, error) {
	o := assertion{Challenge: challenge, RPID: p.ID, AllowCredentials: p.descriptors(allowed), UserVerification: preferred}
	if verify {
		o.UserVerification = required
	}
	return encode(o)
}

// descriptors names the usable ones of the passkeys.
func (p *Party) descriptors(passkeys []storage.Passkey) []descriptor {
	all := make([]descriptor, 0, len(passkeys))
	for _, k := range p.Usable(passkeys) {
		all = append(all, descriptor{publicKey, k.ID, k.Transports})
	}
	return all
}

// maxName limits the names that authenticators get in bytes: they may cut off what is longer
// than 64 (WebAuthn section 5.4.3), and the environment is at the end.
const maxName = 64

// shown returns a name with the environment after it.
func (p *Party) shown(name string) string {
	if p.Environment == "" {
		return name
	}
	suffix := " (" + p.Environment + ")"
	return strings.ToValidUTF8(name[:min(len(name), max(0, maxName-len(suffix)))], "") + suffix
}

// display returns the display name, which is required; the name if there is none.
func (p *Party) display(u User) string {
	if u.DisplayName == "" {
		return p.shown(u.Name)
	}
	return p.shown(u.DisplayName)
}

// encode writes JSON that can stand in a script element: no "<" is left in it.
func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode options: %w", err)
	}
	return b, nil
}

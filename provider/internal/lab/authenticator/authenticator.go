// Package authenticator is a browser and an authenticator of passkeys in software, which
// answers as told, rightly or wrongly.
package authenticator

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// The flags of authenticator data (WebAuthn Level 3 section 6.1).
const (
	UserPresent    byte = 1 << 0
	UserVerified   byte = 1 << 2
	BackupEligible byte = 1 << 3
	BackedUp       byte = 1 << 4
	attested       byte = 1 << 6
	extended       byte = 1 << 7
)

// Credential is a passkey that an authenticator keeps.
type Credential struct {
	ID, UserHandle      []byte
	RPID                string
	UserName, UserShown string
	Key                 *ecdsa.PrivateKey
	SignCount           uint32
}

// Authenticator makes and keeps passkeys. Its zero value does not verify users: see New.
type Authenticator struct {
	// Flags are those of every answer.
	Flags byte

	// Step is added to the counter of a passkey with each use.
	Step uint32

	AAGUID     [16]byte
	Transports []string

	// Undiscoverable leaves the user handle out of answers, as a security key does that
	// keeps no passkeys.
	Undiscoverable bool

	Credentials []*Credential

	// Change changes an answer before it is signed.
	Change func(*Answer)
}

// New returns an authenticator such as that of a phone: it verifies its user, synchronizes
// its passkeys and counts nothing.
func New() *Authenticator {
	return &Authenticator{
		Flags:      UserPresent | UserVerified | BackupEligible | BackedUp,
		Transports: []string{"internal", "hybrid"},
	}
}

// NewSecurityKey returns an authenticator such as a security key, which counts its uses.
func NewSecurityKey() *Authenticator {
	return &Authenticator{Flags: UserPresent | UserVerified, Step: 1, Transports: []string{"usb"}}
}

// Answer is what an authenticator is about to answer, for Change.
type Answer struct {
	// Type to TopOrigin are the client data. A nonempty ClientData replaces them.
	Type, Challenge, Origin string
	CrossOrigin             bool
	TopOrigin               string
	ClientData              []byte

	RPID       string
	ID         []byte
	UserHandle []byte
	Flags      byte
	SignCount  uint32

	// Key signs, and is the public key of a creation unless COSE is set.
	Key  *ecdsa.PrivateKey
	COSE []byte

	// Format and Statement are the attestation of a creation, in CBOR.
	Format    string
	Statement []byte

	// Extensions are those of the authenticator, in CBOR; Trailing follows them.
	Extensions, Trailing []byte

	// Discoverable is what credProps says of a creation; nil for nothing.
	Discoverable *bool

	// Spoil changes the signature of an assertion.
	Spoil func(signature []byte) []byte
}

// ErrExcluded is the InvalidStateError of a browser: the authenticator has a passkey of the
// account already.
var ErrExcluded = errors.New("the authenticator has a passkey of the account")

// ErrNone is the NotAllowedError of a browser: there is no passkey for the request.
var ErrNone = errors.New("no passkey for the request")

type options struct {
	Challenge string `json:"challenge"`
	RPID      string `json:"rpId"`
	RP        struct {
		ID string `json:"id"`
	} `json:"rp"`
	User struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		DisplayName string `json:"displayName"`
	} `json:"user"`
	AllowCredentials   []named `json:"allowCredentials"`
	ExcludeCredentials []named `json:"excludeCredentials"`
}

type named struct {
	ID string `json:"id"`
}

// Create answers navigator.credentials.create at a page of this origin: it keeps a new
// passkey and returns the answer in JSON.
func (a *Authenticator) Create(creation []byte, origin string) (response string, err error) {
	var o options
	if err := json.Unmarshal(creation, &o); err != nil {
		return "", fmt.Errorf("read options: %w", err)
	}
	for _, e := range o.ExcludeCredentials {
		if a.find(o.RP.ID, e.ID) != nil {
			return "", ErrExcluded
		}
	}
	handle, err := base64.RawURLEncoding.DecodeString(o.User.ID)
	if err != nil {
		return "", fmt.Errorf("read user handle: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	id := make([]byte, 32)
	_, _ = rand.Read(id)
	yes := true
	answer := Answer{
		Type: "webauthn.create", Challenge: o.Challenge, Origin: origin, RPID: o.RP.ID, ID: id, UserHandle: handle,
		Flags: a.Flags, Key: key, Format: "none", Statement: []byte{0xa0}, Discoverable: &yes,
	}
	if a.Change != nil {
		a.Change(&answer)
	}
	a.Credentials = append(a.Credentials, &Credential{
		ID: answer.ID, UserHandle: handle, RPID: o.RP.ID, UserName: o.User.Name, UserShown: o.User.DisplayName,
		Key: answer.Key, SignCount: answer.SignCount,
	})
	return a.created(answer)
}

func (a *Authenticator) created(answer Answer) (string, error) {
	cose := answer.COSE
	if cose == nil {
		cose = coseOf(answer.Key)
	}
	data := authData(answer, attested)
	data = append(data, a.AAGUID[:]...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(answer.ID)))
	data = append(data, answer.ID...)
	data = append(data, cose...)
	data = append(append(data, answer.Extensions...), answer.Trailing...)

	object := text(text([]byte{0xa3}, "fmt"), answer.Format)
	object = append(text(object, "attStmt"), answer.Statement...)
	object = Bytes(text(object, "authData"), data)

	extensions := map[string]any{}
	if answer.Discoverable != nil {
		extensions["credProps"] = map[string]bool{"rk": *answer.Discoverable}
	}
	return encode(answer.ID, extensions, map[string]any{
		"clientDataJSON":    b64(clientData(answer)),
		"attestationObject": b64(object),
		"transports":        a.Transports,
	})
}

// Get answers navigator.credentials.get at a page of this origin, with the latest passkey
// that the request allows.
func (a *Authenticator) Get(request []byte, origin string) (response string, err error) {
	var o options
	if err := json.Unmarshal(request, &o); err != nil {
		return "", fmt.Errorf("read options: %w", err)
	}
	credential := a.pick(o)
	if credential == nil {
		return "", ErrNone
	}
	credential.SignCount += a.Step
	answer := Answer{
		Type: "webauthn.get", Challenge: o.Challenge, Origin: origin, RPID: o.RPID, ID: credential.ID,
		UserHandle: credential.UserHandle, Flags: a.Flags, SignCount: credential.SignCount, Key: credential.Key,
	}
	if a.Undiscoverable {
		answer.UserHandle = nil
	}
	if a.Change != nil {
		a.Change(&answer)
	}
	data := append(append(authData(answer, 0), answer.Extensions...), answer.Trailing...)
	client := clientData(answer)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(slices.Clone(data), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, answer.Key, digest[:])
	if err != nil {
		return "", err
	}
	if answer.Spoil != nil {
		signature = answer.Spoil(signature)
	}
	parts := map[string]any{
		"clientDataJSON": b64(client), "authenticatorData": b64(data), "signature": b64(signature),
	}
	if answer.UserHandle != nil {
		parts["userHandle"] = b64(answer.UserHandle)
	}
	return encode(answer.ID, map[string]any{}, parts)
}

func (a *Authenticator) pick(o options) *Credential {
	for _, c := range slices.Backward(a.Credentials) {
		if c.RPID != o.RPID {
			continue
		}
		listed := slices.ContainsFunc(o.AllowCredentials, func(n named) bool { return n.ID == b64(c.ID) })
		if listed || len(o.AllowCredentials) == 0 && !a.Undiscoverable {
			return c
		}
	}
	return nil
}

func (a *Authenticator) find(rpID, id string) *Credential {
	for _, c := range a.Credentials {
		if c.RPID == rpID && b64(c.ID) == id {
			return c
		}
	}
	return nil
}

// authData returns the authenticator data up to the counter.
func authData(answer Answer, more byte) []byte {
	hash := sha256.Sum256([]byte(answer.RPID))
	flags := answer.Flags | more
	if len(answer.Extensions) > 0 {
		flags |= extended
	}
	return binary.BigEndian.AppendUint32(append(hash[:], flags), answer.SignCount)
}

// clientData returns what the browser says, in the order of WebAuthn section 5.8.1.1.
func clientData(answer Answer) []byte {
	if len(answer.ClientData) > 0 {
		return answer.ClientData
	}
	data, err := json.Marshal(struct {
		Type        string `json:"type"`
		Challenge   string `json:"challenge"`
		Origin      string `json:"origin"`
		CrossOrigin bool   `json:"crossOrigin"`
		TopOrigin   string `json:"topOrigin,omitempty"`
	}{answer.Type, answer.Challenge, answer.Origin, answer.CrossOrigin, answer.TopOrigin})
	if err != nil {
		panic(err) // strings and a bool
	}
	return data
}

func encode(id []byte, extensions, response map[string]any) (string, error) {
	var b bytes.Buffer
	err := json.NewEncoder(&b).Encode(map[string]any{
		"id": b64(id), "rawId": b64(id), "type": "public-key", "authenticatorAttachment": "platform",
		"clientExtensionResults": extensions, "response": response,
	})
	return b.String(), err
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// coseOf returns a public key in COSE (RFC 9053 section 7.1.1).
func coseOf(key *ecdsa.PrivateKey) []byte {
	point, err := key.PublicKey.Bytes()
	if err != nil {
		panic(err) // the curve has them
	}
	cose := []byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21} // EC2, ES256, P-256, x
	cose = Bytes(cose, point[1:33])
	return Bytes(append(cose, 0x22), point[33:]) // y
}

// Int appends an integer of less than 65,536, negative or not, in CBOR (RFC 8949).
func Int(b []byte, n int) []byte {
	if n < 0 {
		return head(b, 1, -1-n)
	}
	return head(b, 0, n)
}

// Bytes appends a byte string of less than 65,536 bytes in CBOR.
func Bytes(b, value []byte) []byte { return append(head(b, 2, len(value)), value...) }

func text(b []byte, s string) []byte { return append(head(b, 3, len(s)), s...) }

func head(b []byte, kind byte, n int) []byte {
	switch kind <<= 5; {
	case n < 24:
		return append(b, kind|byte(n))
	case n < 1<<8:
		return append(b, kind|24, byte(n))
	default:
		return binary.BigEndian.AppendUint16(append(b, kind|25), uint16(n))
	}
}

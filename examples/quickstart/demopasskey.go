package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/url"
	"slices"
)

// newPasskey answers the options of a page that creates a passkey (WebAuthn Level 3 section
// 5.1.3), and forgets the key; empty if the page has none.
func newPasskey(options string, at *url.URL) (string, error) {
	if options == "" {
		return "", nil
	}
	var asked struct {
		Challenge string `json:"challenge"`
		RP        struct {
			ID string `json:"id"`
		} `json:"rp"`
	}
	if err := json.Unmarshal([]byte(options), &asked); err != nil {
		return "", err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		return "", err
	}
	clientData, err := json.Marshal(map[string]any{
		"type": "webauthn.create", "challenge": asked.Challenge, "origin": at.Scheme + "://" + at.Host, "crossOrigin": false,
	})
	if err != nil {
		return "", err
	}
	id, object := random(32), base64.RawURLEncoding.EncodeToString
	created, err := json.Marshal(map[string]any{
		"id": object(id), "rawId": object(id), "type": "public-key", "clientExtensionResults": map[string]any{},
		"response": map[string]any{
			"clientDataJSON": object(clientData), "attestationObject": object(attestation(asked.RP.ID, id, point)), "transports": []string{"internal"},
		},
	})
	return string(created), err
}

// attestation is an attestation object of the format none (section 6.5) in CBOR (RFC 8949), for
// an uncompressed point of P-256.
func attestation(rpID string, id, point []byte) []byte {
	const present, verified, attested = 0x01, 0x04, 0x40
	hash := sha256.Sum256([]byte(rpID))
	data := append(hash[:], present|verified|attested, 0, 0, 0, 0)
	data = append(data, make([]byte, 16)...) // an authenticator that does not say which it is
	data = binary.BigEndian.AppendUint16(data, uint16(len(id)))
	data = append(data, id...)
	// {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}, RFC 9053 section 7.1
	x, y := point[1:33], point[33:]
	data = slices.Concat(data, []byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32}, x, []byte{0x22, 0x58, 32}, y)
	return slices.Concat([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), []byte{byte(len(data))}, data)
}

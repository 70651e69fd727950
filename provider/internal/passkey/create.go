package passkey

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"

	"github.com/bonafide-id/bonafide/storage"
)

// Created verifies the answer to CreateOptions (WebAuthn section 7.1) and returns the passkey
// of the user with this handle, without account and name. ErrRefused if it is not accepted.
//
// No attestation is asked for, and a statement that comes all the same is not looked at, as
// if the browser had left it out (section 5.4.7): nothing rests on it, and nobody is shut out,
// and no certificate of a stranger is read, for its sake.
func (p *Party) Created(challenge, handle []byte, response string, now time.Time) (storage.Passkey, error) {
	if len(response) > MaxResponse {
		return storage.Passkey{}, refused("the answer has %d bytes", len(response))
	}
	if !p.IsOurs(handle) {
		return storage.Passkey{}, refused("the user handle is not ours")
	}
	c, err := protocol.ParseCredentialCreationResponseBytes([]byte(response))
	if err != nil {
		return storage.Passkey{}, refused("the answer cannot be read: %w", err)
	}
	if err := p.checkClientData(c.Response.CollectedClientData, protocol.CreateCeremony, challenge); err != nil {
		return storage.Passkey{}, err
	}
	data := c.Response.AttestationObject.AuthData
	if err := checkFlags(data.Flags, true); err != nil {
		return storage.Passkey{}, err
	}
	hash := sha256.Sum256([]byte(p.ID))
	if err := data.Verify(hash[:], nil, true, true); err != nil {
		return storage.Passkey{}, refused("the answer is wrong: %w", err)
	}
	if !bytes.Equal(c.RawID, data.AttData.CredentialID) {
		return storage.Passkey{}, refused("the credential ID is another")
	}
	if err := checkKey(data.AttData.CredentialPublicKey); err != nil {
		return storage.Passkey{}, err
	}
	k := storage.Passkey{
		ID: slices.Clone(data.AttData.CredentialID), UserHandle: slices.Clone(handle), RPID: p.ID,
		PublicKey: slices.Clone(data.AttData.CredentialPublicKey),
		Flags:     byte(data.Flags), SignCount: data.Counter,
		Transports: transports(c.Response.Transports), Discoverable: true, CreatedAt: now,
	}
	copy(k.AAGUID[:], data.AttData.AAGUID)
	// It was required. An authenticator that says it did otherwise is believed.
	if props := c.ClientExtensionResults.CredProps; props != nil && props.RK != nil {
		k.Discoverable = *props.RK
	}
	return k, nil
}

// The sizes of RSA keys in bytes: smaller ones are weak, and a larger one would make every
// sign-in with it dear.
const minModulus, maxModulus = 2048 / 8, 4096 / 8

// checkKey accepts a valid key of one of the algorithms that were asked for.
func checkKey(cose []byte) error {
	key, err := webauthncose.ParsePublicKey(cose)
	if err != nil {
		return refused("the key is invalid: %w", err)
	}
	switch k := key.(type) {
	case webauthncose.EC2PublicKeyData:
		return checkAlgorithm(k.Algorithm, webauthncose.AlgES256)
	case webauthncose.OKPPublicKeyData:
		return checkAlgorithm(k.Algorithm, webauthncose.AlgEdDSA)
	case webauthncose.RSAPublicKeyData:
		if n := len(bytes.TrimLeft(k.Modulus, "\x00")); n < minModulus || n > maxModulus {
			return refused("the RSA key has %d bytes", n)
		}
		return checkAlgorithm(k.Algorithm, webauthncose.AlgRS256)
	}
	return refused("the kind of the key is unknown")
}

func checkAlgorithm(got int64, want webauthncose.COSEAlgorithmIdentifier) error {
	if got != int64(want) {
		return refused("the algorithm of the key is %d, not %d", got, want)
	}
	return nil
}

// The limits for what an authenticator is said to be reached by.
const maxTransports, maxTransport = 8, 32

// transports returns the words that look like those of WebAuthn section 5.8.4: new ones are
// kept, and go back to the browser.
func transports(all []protocol.AuthenticatorTransport) []string {
	var kept []string
	for _, t := range all {
		word := string(t)
		if word == "" || len(word) > maxTransport || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-") != "" || slices.Contains(kept, word) {
			continue
		}
		if kept = append(kept, word); len(kept) == maxTransports {
			break
		}
	}
	return kept
}

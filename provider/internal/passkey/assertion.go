package passkey

import (
	"bytes"
	"encoding/base64"

	"github.com/go-webauthn/webauthn/protocol"

	"github.com/bonafide-id/bonafide/storage"
)

// Assertion is an answer to GetOptions, of which nothing is verified.
type Assertion struct {
	// ID is the credential ID by which the passkey is found.
	ID []byte

	// Handle is the user handle that the authenticator keeps with the passkey. Empty if it
	// keeps none, or none was needed: then the answer cannot begin a session, only add to
	// what is known of an account.
	Handle []byte

	parsed *protocol.ParsedCredentialAssertionData
}

// ReadAssertion reads the answer of a browser. ErrRefused if it cannot be read.
func ReadAssertion(response string) (Assertion, error) {
	if len(response) > MaxResponse {
		return Assertion{}, refused("the answer has %d bytes", len(response))
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(response))
	if err != nil {
		return Assertion{}, refused("the answer cannot be read: %w", err)
	}
	return Assertion{ID: parsed.RawID, Handle: parsed.Response.UserHandle, parsed: parsed}, nil
}

// Verify verifies an assertion by a passkey (WebAuthn section 7.2) and returns the use to be
// recorded, and whether the authenticator has verified the user. Verify, as in GetOptions,
// refuses one that has not. ErrRefused if it is not accepted.
//
// A flag about backups that differs from the one at creation is recorded: authenticators
// change it when a passkey begins to be synchronized. For the counter see CounterFell.
func (p *Party) Verify(challenge []byte, a Assertion, k storage.Passkey, verify bool) (use storage.PasskeyUse, verified bool, err error) {
	if a.parsed == nil || !bytes.Equal(a.ID, k.ID) {
		return use, false, refused("the passkey is another")
	}
	if k.RPID != p.ID {
		return use, false, refused("the passkey is of %q", shorten(k.RPID))
	}
	if len(a.Handle) > 0 && !bytes.Equal(a.Handle, k.UserHandle) {
		return use, false, refused("the user handle is another")
	}
	if err := p.checkClientData(a.parsed.Response.CollectedClientData, protocol.AssertCeremony, challenge); err != nil {
		return use, false, err
	}
	data := a.parsed.Response.AuthenticatorData
	if err := checkFlags(data.Flags, verify); err != nil {
		return use, false, err
	}
	origins, mode := p.origins()
	err = a.parsed.Verify(base64.RawURLEncoding.EncodeToString(challenge), p.ID, "", origins, nil, nil, mode, false,
		verify, true, k.PublicKey, protocol.SignaturePolicy{})
	if err != nil {
		return use, false, refused("the answer is wrong: %w", err)
	}
	use = storage.PasskeyUse{ID: bytes.Clone(k.ID), SignCount: data.Counter, Flags: byte(data.Flags)}
	return use, data.Flags.HasUserVerified(), nil
}

// CounterFell reports whether the counter of a passkey has not grown with a use, which is a
// sign, and no proof, that there are two of it (WebAuthn section 7.2 step 22). Authenticators
// that synchronize passkeys count nothing: their counter is always zero.
func CounterFell(k storage.Passkey, use storage.PasskeyUse) bool {
	return (use.SignCount != 0 || k.SignCount != 0) && use.SignCount <= k.SignCount
}

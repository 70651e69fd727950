package passkey

import (
	"crypto/subtle"
	"encoding/base64"

	"github.com/go-webauthn/webauthn/protocol"
)

// MaxResponse limits the answer of a browser in bytes. Without attestation it has some 1,000,
// with the certificates of one that nobody asked for some 8,000.
const MaxResponse = 32 << 10

// checkClientData examines what the browser says about the ceremony (WebAuthn sections 7.1
// steps 7 to 11 and 7.2 steps 11 to 15). The library compares origins leniently, and allows
// for frames: this does neither.
func (p *Party) checkClientData(c protocol.CollectedClientData, ceremony protocol.CeremonyType, challenge []byte) error {
	switch {
	case c.Type != ceremony:
		return refused("the ceremony is %q", shorten(string(c.Type)))
	case len(challenge) == 0 || subtle.ConstantTimeCompare([]byte(c.Challenge), []byte(base64.RawURLEncoding.EncodeToString(challenge))) != 1:
		return refused("the challenge is another")
	case c.Origin != p.Origin:
		return refused("the origin is %q, not %q", shorten(c.Origin), p.Origin)
	case c.CrossOrigin || c.TopOrigin != "":
		return refused("the page is in a frame of %q", shorten(c.TopOrigin))
	}
	return nil
}

// checkFlags examines the flags of the authenticator data (WebAuthn sections 7.1 steps 15 to
// 18 and 7.2 steps 17 to 19).
func checkFlags(f protocol.AuthenticatorFlags, verify bool) error {
	switch {
	case !f.HasUserPresent():
		return refused("nobody was present")
	case verify && !f.HasUserVerified():
		return refused("the user was not verified")
	case f.HasBackupState() && !f.HasBackupEligible():
		return refused("it is backed up and cannot be")
	}
	return nil
}

// origins are the parameters of the library about origins: ours, and no page in a frame.
func (p *Party) origins() ([]string, protocol.TopOriginVerificationMode) {
	return []string{p.Origin}, protocol.TopOriginExplicitVerificationMode
}

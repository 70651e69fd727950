package authorization

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
)

// methodS256 is the only code challenge method: plain protects nobody who can read
// the request (RFC 9700 section 2.1.1).
const methodS256 = "S256"

// checkChallenge holds the rules for code_challenge and code_challenge_method (RFC
// 7636 section 4.3).
func checkChallenge(r *Request) error {
	method, sent := r.Form.Get("code_challenge_method"), r.Form.Has("code_challenge")
	switch {
	case !sent && method != "":
		return protocol.Fail(protocol.InvalidRequest, "code_challenge_method without code_challenge.").
			Because(diagnosis.ParameterMissing, "parameter", "code_challenge")
	case !sent && r.Client.NeedsChallenge() && r.Returns("code"):
		return protocol.Fail(protocol.InvalidRequest, "This application must send a code_challenge.").Because(diagnosis.ChallengeMissing)
	case !sent:
		return nil
	case method != methodS256:
		return protocol.Fail(protocol.InvalidRequest, "The only code_challenge_method is S256, and it must be named.").
			Because(diagnosis.ChallengeMethod, "code_challenge_method", method)
	case !isChallenge(r.Challenge):
		return protocol.Fail(protocol.InvalidRequest, "code_challenge is not the base64url form of a SHA-256 digest.").Because(diagnosis.ChallengeMalformed)
	}
	return nil
}

func isChallenge(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == sha256.Size
}

// isVerifier holds the grammar of RFC 7636 section 4.1.
func isVerifier(s string) bool {
	if len(s) < 43 || len(s) > 128 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			c == '-', c == '.', c == '_', c == '~':
		default:
			return false
		}
	}
	return true
}

// VerifyChallenge compares the verifier of a token request with the challenge of the
// grant. A verifier without a challenge is refused too: somebody removed the
// challenge on its way (RFC 9700 section 4.8.2).
func VerifyChallenge(challenge string, form url.Values) error {
	verifier := form.Get("code_verifier")
	if challenge == "" && !form.Has("code_verifier") {
		return nil
	}
	sum := sha256.Sum256([]byte(verifier))
	computed := base64.RawURLEncoding.EncodeToString(sum[:])
	fits := subtle.ConstantTimeCompare([]byte(computed), []byte(challenge)) == 1
	misfit := protocol.Fail(protocol.InvalidGrant, "The code_verifier does not fit the code_challenge.")
	switch {
	case challenge == "":
		return misfit.Because(diagnosis.VerifierUnexpected)
	case verifier == "":
		return misfit.Because(diagnosis.VerifierMissing)
	case !isVerifier(verifier):
		return misfit.Because(diagnosis.VerifierMalformed)
	case !fits:
		return misfit.Because(diagnosis.VerifierWrong)
	}
	return nil
}

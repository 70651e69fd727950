package factor

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// ChallengeLife is how long a challenge can be answered.
const ChallengeLife = 15 * time.Minute

// challengeSize is that of a challenge in bytes (WebAuthn section 13.4.3 asks for 16).
const challengeSize = 32

// Purpose is the page that a challenge is for. It is good at no other.
type Purpose string

// The purposes.
const (
	ToSignIn Purpose = "sign in" // any passkey, no account known
	ToProve  Purpose = "factor"  // a passkey of a known account
	ToCreate Purpose = "create"  // a new passkey of a known account
	ToSignUp Purpose = "sign up" // a passkey with which an account begins
)

// Challenge is a challenge and what it is bound to.
type Challenge struct {
	// Bytes are what the authenticator signs.
	Bytes []byte

	// Handle is the user handle for which a passkey is created; empty at sign-in.
	Handle []byte

	// Digest and Until go into the proof of the write: storage.Proof.Challenge and
	// ChallengeUntil.
	Digest storage.Digest
	Until  time.Time
}

// Spend adds the challenge to a proof.
func (c Challenge) Spend(on storage.Proof) storage.Proof {
	on.Challenge, on.ChallengeUntil = c.Digest, c.Until
	return on
}

// Challenges makes the challenges that authenticators sign, and reads them back. One travels in a
// sealed form field, so that showing a page writes nothing; the write that rests on its answer
// spends it (storage.Proof), so that no answer counts twice.
type Challenges struct {
	Secrets *keyring.Secrets
	Cookies session.Cookies
	Issuer  string
	Clock   func() time.Time

	// Browser returns the value that identifies the browser, and sets it if there is none.
	Browser func(http.ResponseWriter, *http.Request) string
}

// ErrChallenge is the error for a challenge that is not, or no longer, good: for another
// purpose, account or browser, or too old. The page is shown again with a new one.
var ErrChallenge = errors.New("challenge is invalid or expired")

// sealed is what the form field holds.
type sealed struct {
	Bytes   []byte `json:"c"`
	Handle  []byte `json:"h,omitempty"`
	Account string `json:"a,omitempty"`
	Browser []byte `json:"b"`
	Made    int64  `json:"t"`
}

// New makes a challenge for this browser, and its sealed form (ui.FieldChallenge). The
// account is that of the page, or empty; the handle is for ToCreate and ToSignUp.
func (c Challenges) New(w http.ResponseWriter, r *http.Request, purpose Purpose, account string, handle []byte) (Challenge, string, error) {
	s := sealed{
		Bytes: random.Bytes(challengeSize), Handle: handle, Account: account,
		Browser: digestOf(c.Browser(w, r)), Made: c.Clock().UnixMilli(),
	}
	plain, err := json.Marshal(s)
	if err != nil {
		return Challenge{}, "", fmt.Errorf("encode challenge: %w", err)
	}
	return s.challenge(), c.Secrets.SealString(c.name(purpose), plain), nil
}

// Open returns the challenge of a posted form. ErrChallenge if it was made for another purpose,
// account or browser, or longer than ChallengeLife ago.
func (c Challenges) Open(r *http.Request, purpose Purpose, account string) (Challenge, error) {
	text, err := base64.RawURLEncoding.DecodeString(r.PostForm.Get(ui.FieldChallenge))
	if err != nil {
		return Challenge{}, ErrChallenge
	}
	plain, err := c.Secrets.Open(c.name(purpose), text)
	if err != nil {
		return Challenge{}, ErrChallenge
	}
	var s sealed
	if err := json.Unmarshal(plain, &s); err != nil {
		return Challenge{}, ErrChallenge
	}
	browser := digestOf(c.Cookies.Get(r, session.Browser))
	switch {
	case len(s.Bytes) != challengeSize, s.Account != account, subtle.ConstantTimeCompare(s.Browser, browser) != 1:
		return Challenge{}, ErrChallenge
	case !clock.Within(c.Clock(), time.UnixMilli(s.Made), ChallengeLife):
		return Challenge{}, ErrChallenge
	}
	return s.challenge(), nil
}

// challenge returns what is sealed. It is remembered as spent for as long as any clock could
// accept it.
func (s sealed) challenge() Challenge {
	return Challenge{
		Bytes: s.Bytes, Handle: s.Handle,
		Digest: sha256.Sum256(append([]byte("bonafide passkey challenge "), s.Bytes...)),
		Until:  time.UnixMilli(s.Made).Add(ChallengeLife + 2*clock.Skew),
	}
}

func (c Challenges) name(purpose Purpose) string {
	return "passkey challenge to " + string(purpose) + " of " + c.Issuer
}

func digestOf(browser string) []byte {
	sum := sha256.Sum256([]byte(browser))
	return sum[:]
}

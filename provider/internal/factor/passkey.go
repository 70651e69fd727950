package factor

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Prompt returns what a page needs to ask for a passkey of an account; it shows nothing if
// the account has none, or passkeys are off. Verify says that the user must be verified, for a
// page to which a passkey as a second factor is not enough.
func (c *Checker) Prompt(w http.ResponseWriter, r *http.Request, set storage.AuthenticatorSet, verify bool) (ui.PasskeyPrompt, error) {
	if len(c.Party.Usable(set.Passkeys)) == 0 {
		return ui.PasskeyPrompt{}, nil
	}
	asked, sealed, err := c.Challenges.New(w, r, ToProve, set.Account.ID, nil)
	if err != nil {
		return ui.PasskeyPrompt{}, err
	}
	options, err := c.Party.GetOptions(asked.Bytes, set.Passkeys, verify)
	if err != nil {
		return ui.PasskeyPrompt{}, err
	}
	return ui.PasskeyPrompt{Options: string(options), Challenge: sealed}, nil
}

// PromptAnybody returns what the sign-in page needs to ask for a passkey of any account, among
// the browser's suggestions for the address and by a button; it shows nothing if passkeys are
// off.
func (c *Checker) PromptAnybody(w http.ResponseWriter, r *http.Request) (ui.PasskeyPrompt, error) {
	if c.Party == nil {
		return ui.PasskeyPrompt{}, nil
	}
	asked, sealed, err := c.Challenges.New(w, r, ToSignIn, "", nil)
	if err != nil {
		return ui.PasskeyPrompt{}, err
	}
	options, err := c.Party.GetOptions(asked.Bytes, nil, true)
	if err != nil {
		return ui.PasskeyPrompt{}, err
	}
	return ui.PasskeyPrompt{Options: string(options), Challenge: sealed, Conditional: true}, nil
}

// passkey checks an answer by a passkey of a known account.
func (c *Checker) passkey(r *http.Request, set storage.AuthenticatorSet) (Presented, *Rejected, error) {
	ctx := r.Context()
	if c.Party == nil {
		return Presented{}, Wrong(storage.PasskeyVerified), nil
	}
	by := ratelimit.Key{At: c.Clock()}
	wait, err := c.Limits.Allow(ctx, ratelimit.Passkey, by)
	if err != nil {
		return Presented{}, nil, err
	}
	if wait > 0 {
		return Presented{}, throttled(wait), nil
	}
	asked, err := c.Challenges.Open(r, ToProve, set.Account.ID)
	if err != nil {
		return Presented{}, c.expired(ctx, err), nil
	}
	answer, err := passkey.ReadAssertion(r.PostForm.Get(ui.FieldPasskey))
	if err != nil {
		c.failed(ctx, set.Account, storage.PasskeyVerified, err)
		return Presented{}, Wrong(storage.PasskeyVerified), nil
	}
	i := slices.IndexFunc(set.Passkeys, func(k storage.Passkey) bool { return bytes.Equal(k.ID, answer.ID) })
	if i < 0 {
		c.failed(ctx, set.Account, storage.PasskeyVerified, nil)
		return Presented{}, Wrong(storage.PasskeyVerified), nil
	}
	presented, err := c.verify(ctx, by, asked, answer, set.Passkeys[i], false)
	if err != nil {
		c.failed(ctx, set.Account, storage.PasskeyVerified, err)
		return Presented{}, Wrong(storage.PasskeyVerified), nil
	}
	return presented, nil, nil
}

// expired is the answer to a page that was left open for too long: it is shown again, with a
// new challenge.
func (c *Checker) expired(ctx context.Context, why error) *Rejected {
	c.log(ctx, why)
	return &Rejected{Problem: ui.Problem{Code: ui.PasskeyExpired}, status: http.StatusUnauthorized}
}

// Discover checks an answer by a passkey of an account that nothing else has named, and returns
// that account, as it was in the same reading. Words and work are the same for a passkey that
// nobody has, one of a disabled account, and a wrong answer. The user must have been verified:
// it is the only factor.
func (c *Checker) Discover(r *http.Request) (storage.Account, Presented, *Rejected, error) {
	ctx := r.Context()
	none := storage.Account{}
	by := ratelimit.Key{At: c.Clock()}
	wait, err := c.Limits.Allow(ctx, ratelimit.Passkey, by)
	if err != nil {
		return none, Presented{}, nil, err
	}
	if wait > 0 {
		return none, Presented{}, throttled(wait), nil
	}
	asked, err := c.Challenges.Open(r, ToSignIn, "")
	if err != nil || c.Party == nil {
		return none, Presented{}, c.expired(ctx, err), nil
	}
	answer, err := passkey.ReadAssertion(r.PostForm.Get(ui.FieldPasskey))
	if err != nil {
		return none, Presented{}, c.unknown(ctx, none, "unreadable passkey", err), nil
	}
	key, account, err := c.Store.Passkey(ctx, answer.ID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return none, Presented{}, nil, fmt.Errorf("read passkey: %w", err)
	}
	if err != nil {
		_, _ = c.verify(ctx, by, asked, answer, decoy(answer, c.Party.ID), true) // takes the same time
		return c.stranger(ctx, answer)
	}
	presented, err := c.verify(ctx, by, asked, answer, key, true)
	if err != nil || account.Disabled || len(answer.Handle) == 0 {
		return none, Presented{}, c.unknown(ctx, account, "wrong passkey", err), nil
	}
	return account, presented, nil, nil
}

// stranger is the answer to a passkey that no account has.
func (c *Checker) stranger(ctx context.Context, answer passkey.Assertion) (storage.Account, Presented, *Rejected, error) {
	none := storage.Account{}
	if len(answer.Handle) > 0 && !c.Party.IsOurs(answer.Handle) {
		rejected := c.unknown(ctx, none, "passkey of another environment", nil)
		rejected.Problem.Code = ui.PasskeyElsewhere
		return none, Presented{}, rejected, nil
	}
	signal, err := c.Party.SignalUnknown(answer)
	if err != nil {
		return none, Presented{}, nil, err
	}
	rejected := c.unknown(ctx, none, "unknown passkey", nil)
	rejected.Unknown = signal
	return none, Presented{}, rejected, nil
}

// unknown records a sign-in by a passkey that was refused. Without an account it does so only
// once in a while: strangers must not make the log grow at will.
func (c *Checker) unknown(ctx context.Context, account storage.Account, why string, cause error) *Rejected {
	c.log(ctx, cause)
	e := storage.Event{Name: event.SignInFailed, Subject: account.ID, Detail: why}
	if account.ID == "" {
		c.Audit.RecordOnce(ctx, e)
	} else {
		c.Audit.Record(ctx, e)
	}
	return Wrong(storage.PasskeyVerified)
}

// verify verifies an answer by a passkey. A counter that has not grown is a sign of a copy, and
// no proof: it is recorded (WebAuthn Level 3 section 7.2 step 22).
func (c *Checker) verify(ctx context.Context, by ratelimit.Key, asked Challenge, answer passkey.Assertion, key storage.Passkey, must bool) (Presented, error) {
	use, verified, err := c.Party.Verify(asked.Bytes, answer, key, must)
	if err != nil {
		return Presented{}, err
	}
	if passkey.CounterFell(key, use) {
		c.Audit.Record(ctx, storage.Event{Name: event.PasskeyCounter, Subject: key.AccountID})
	}
	method := storage.PasskeyPresent
	if verified {
		method = storage.PasskeyVerified
	}
	return Presented{
		Factor: storage.Factor{Method: method, At: by.At, Since: key.CreatedAt, Credential: key.ID},
		proof:  asked.Spend(storage.Proof{At: by.At, Passkey: use}),
		done:   func(ctx context.Context, _ error) { c.Limits.Reset(ctx, ratelimit.Passkey, by) },
	}, nil
}

// decoy is a passkey that nobody has, for an answer by one that is unknown: the work is that of
// a wrong signature.
func decoy(answer passkey.Assertion, rpID string) storage.Passkey {
	return storage.Passkey{ID: answer.ID, UserHandle: answer.Handle, RPID: rpID, PublicKey: decoyKey}
}

// decoyKey is a COSE key of ES256 (RFC 9053 section 7.1.1) whose private half nobody has.
var decoyKey = func() []byte {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil { // the program stops without randomness
		panic(err)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		panic(err) // a key of this curve has such a form
	}
	// A map of kty EC2, alg ES256, crv P-256, and the coordinates.
	cose := []byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20}
	cose = append(cose, point[1:33]...)
	cose = append(cose, 0x22, 0x58, 0x20)
	return append(cose, point[33:]...)
}()

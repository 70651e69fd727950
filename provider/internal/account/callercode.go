package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
)

// CallerCodeLife is how long a code of a caller can be read out, callerCodeTries how many wrong
// ones end it, and callerProvedFor how long what it has proved holds. A matter may end before.
const (
	CallerCodeLife  = 5 * time.Minute
	callerCodeTries = 5
	callerProvedFor = 30 * time.Minute
)

// CallerCodes prove who is on the telephone: a person sees one on a page for whoever is signed in,
// or gets it in the recorded mailbox, and reads it out. It signs nobody in, and no session comes of
// it: it is a digest beside the account, which nothing but Prove looks at.
type CallerCodes struct {
	Store   storage.Matters
	Secrets *keyring.Secrets
	Issuer  string
	Limits  audit.Limits
	Audit   *audit.Log
	Clock   func() time.Time
}

// New makes a code for a person in place of the one of the same kind, and counts it. wait is
// how long to wait if it is one too many.
func (c *CallerCodes) New(ctx context.Context, accountID string, proof storage.CallerProof) (code string, wait time.Duration, err error) {
	wait, err = c.Limits.Allow(ctx, ratelimit.CallerCode, ratelimit.Key{Account: accountID})
	if err != nil || wait > 0 {
		return "", wait, err
	}
	code = callerDigits(proof)
	record := storage.CallerCode{
		AccountID: accountID, Proof: proof, Digest: c.digest(accountID, code), ExpiresAt: c.Clock().Add(CallerCodeLife), Tries: callerCodeTries,
	}
	err = c.Audit.Step(ctx, func(ctx context.Context) error { return c.Store.SaveCallerCode(ctx, record) },
		storage.Event{Name: event.CallerCodeMade, Subject: accountID, Detail: callerDetail(proof)})
	if err != nil {
		return "", 0, fmt.Errorf("save caller code: %w", err)
	}
	return code, 0, nil
}

// Prove takes the code that a member of the staff was told in a matter about a person, and
// returns what it proves, and until when. storage.ErrProof if it is wrong, late or used up,
// storage.ErrEnded if there is no such matter, room.ErrTooMany if the staff guesses.
func (c *CallerCodes) Prove(ctx context.Context, matter, staff, person, code string) (proof storage.CallerProof, until time.Time, err error) {
	by := ratelimit.Key{Account: staff, At: c.Clock()}
	wait, err := c.Limits.Allow(ctx, ratelimit.ProveCaller, by)
	if err != nil {
		return storage.NoProof, time.Time{}, err
	}
	if wait > 0 {
		return storage.NoProof, time.Time{}, room.ErrTooMany
	}
	at := c.Clock()
	until = at.Add(callerProvedFor)
	proved := storage.Event{Name: event.CallerProved, Subject: person, Detail: callerDetail(callerKind(code))}
	err = c.Audit.Step(ctx, func(ctx context.Context) (err error) {
		proof, err = c.Store.ProveCaller(ctx, matter, staff, c.digest(person, code), at, until)
		return err
	}, proved)
	if errors.Is(err, storage.ErrUnavailable) { // nothing was guessed
		c.Limits.GiveBack(ctx, ratelimit.ProveCaller, by)
	}
	if err != nil {
		return storage.NoProof, time.Time{}, err
	}
	c.Limits.Reset(ctx, ratelimit.ProveCaller, by)
	return proof, until, nil
}

// digest names a code together with its person. It is keyed: a reader of the database could
// soon try all eight digits.
func (c *CallerCodes) digest(accountID, code string) storage.Digest {
	return c.Secrets.MAC("caller code "+c.Issuer, []byte(accountID), []byte(code))
}

// callerDetail is the level of a proof in the audit log.
func callerDetail(proof storage.CallerProof) string {
	switch proof {
	case storage.MailboxProof:
		return "mailbox"
	case storage.SessionProof:
		return "session"
	default:
		return ""
	}
}

// codesOfAKind is the number of codes of each kind: the first digit is below five for the mailbox, so
// that the event, which is written before the answer of the store, can name it.
const codesOfAKind = 50_000_000

// callerDigits returns eight random digits for a kind of proof.
func callerDigits(proof storage.CallerProof) string {
	n, err := rand.Int(rand.Reader, big.NewInt(codesOfAKind))
	if err != nil { // the program stops without randomness
		panic(err)
	}
	if proof == storage.SessionProof {
		n.Add(n, big.NewInt(codesOfAKind))
	}
	return fmt.Sprintf("%08d", n)
}

// callerKind is what a code would prove.
func callerKind(code string) storage.CallerProof {
	if code >= "5" {
		return storage.SessionProof
	}
	return storage.MailboxProof
}

// SpacedCode returns a code in the two groups in which people read it out.
func SpacedCode(code string) string { return code[:len(code)/2] + " " + code[len(code)/2:] }

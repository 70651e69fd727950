package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// ErrBusy says that more passwords are being checked than the machine can take on.
// The caller answers 503 with Retry-After.
var ErrBusy = errors.New("password: too many at once")

// queuePerSlot is how many computations may wait for each that can run: at 20 ms
// each, none waits for more than about half a second.
const queuePerSlot = 24

// Hasher hashes and checks passwords. It is safe for concurrent use.
type Hasher struct {
	running  chan struct{}
	admitted chan struct{}
}

// NewHasher returns a Hasher that computes on all processors but one, which stays
// free for other requests, and on one when there is no other.
func NewHasher() *Hasher {
	slots := max(1, runtime.GOMAXPROCS(0)-1)
	return &Hasher{
		running:  make(chan struct{}, slots),
		admitted: make(chan struct{}, slots*(1+queuePerSlot)),
	}
}

// Hash returns a hash of the password in PHC string format, with a random salt. The
// errors are [ErrBusy], and that of ctx when it ends while waiting.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never fails since Go 1.24
	tag, err := h.compute(ctx, password, salt, current, tagSize)
	if err != nil {
		return "", err
	}
	return hash{params: current, salt: salt, tag: tag}.String(), nil
}

// Verify reports whether the password is the one that was hashed, and if so whether
// the hash should be replaced by one with today's parameters. When the hash is
// empty or not an argon2id hash within bounds, the answer is no after the same work.
// A password of more than [MaxBytes] is never the one. The errors are those of
// [Hasher.Hash].
func (h *Hasher) Verify(ctx context.Context, phc, password string) (ok, rehash bool, err error) {
	if len(password) > MaxBytes {
		return false, false, nil
	}
	stored, known := parse(phc)
	if !known {
		stored = dummy
	}
	tag, err := h.compute(ctx, password, stored.salt, stored.params, len(stored.tag))
	if err != nil {
		return false, false, err
	}
	ok = known && subtle.ConstantTimeCompare(tag, stored.tag) == 1
	return ok, ok && !stored.isCurrent(), nil
}

// dummy stands in for the hash of an account that has none.
var dummy = hash{params: current, salt: make([]byte, saltSize), tag: make([]byte, tagSize)}

// compute runs argon2id when there is room. Each run takes its memory anew, because
// the implementation offers no way to reuse it; the number of runs bounds it.
func (h *Hasher) compute(ctx context.Context, password string, salt []byte, p params, size int) ([]byte, error) {
	select {
	case h.admitted <- struct{}{}:
	default:
		return nil, ErrBusy
	}
	defer func() { <-h.admitted }()
	select {
	case h.running <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait to hash password: %w", ctx.Err())
	}
	defer func() { <-h.running }()
	return argon2.IDKey([]byte(normalize(password)), salt, p.time, p.memory, p.lanes, uint32(size)), nil
}

// normalize returns the one spelling of a password (RFC 8265 section 4.2.2).
func normalize(password string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, password))
}

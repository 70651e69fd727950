package password

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"github.com/bonafide-id/bonafide/provider/internal/random"
)

// ErrBusy means that the queue is full. The caller answers 503 with Retry-After.
var ErrBusy = errors.New("password: too many at once")

// queuePerSlot is the number of waiting computations for each running one. At 20 ms each,
// none waits for more than about half a second.
const queuePerSlot = 24

// Share is a class of callers. Each share has a queue of its own.
type Share int

const (
	// Strangers can be anybody, and any number of machines of one attacker.
	Strangers Share = iota

	// Known are callers that an attacker cannot make up by the thousand: browsers
	// from which the account has signed in before, owners of a mailed code, and the
	// host. They wait for one another and for a stranger's computation or two, however
	// long the queue of strangers is.
	Known
)

// Hasher hashes and checks passwords. It is safe for concurrent use.
type Hasher struct {
	running chan struct{}
	queues  [2]queue // by Share
}

// queue holds the waiting computations of a share. A stranger needs a turn before it waits
// for a processor. There are as many turns as processors, so that known callers find few
// strangers ahead.
type queue struct {
	admitted chan struct{}
	turn     chan struct{} // nil: always
}

// NewHasher returns a Hasher that uses all processors but one, which stays free for other
// requests, and at least one.
func NewHasher() *Hasher {
	return newHasher(max(1, runtime.GOMAXPROCS(0)-1), queuePerSlot)
}

func newHasher(slots, perSlot int) *Hasher {
	h := &Hasher{running: make(chan struct{}, slots)}
	for share := range h.queues {
		h.queues[share].admitted = make(chan struct{}, slots*(1+perSlot))
	}
	h.queues[Strangers].turn = make(chan struct{}, slots)
	return h
}

// Hash returns a hash of the password in PHC string format, with a random salt. Errors are
// [ErrBusy], and that of ctx if it ends while waiting.
func (h *Hasher) Hash(ctx context.Context, by Share, password string) (string, error) {
	salt := random.Bytes(saltSize)
	tag, err := h.compute(ctx, by, password, salt, current, tagSize)
	if err != nil {
		return "", err
	}
	return hash{params: current, salt: salt, tag: tag}.String(), nil
}

// Verify reports whether the password matches a hash, and if so whether the hash should be
// replaced by one with current parameters. An empty hash, and one that is not argon2id
// within bounds, matches nothing after the same work. A password of more than [MaxBytes]
// matches nothing. Errors are those of [Hasher.Hash].
func (h *Hasher) Verify(ctx context.Context, by Share, phc, password string) (ok, rehash bool, err error) {
	if len(password) > MaxBytes {
		return false, false, nil
	}
	stored, known := parse(phc)
	if !known {
		stored = dummy
	}
	tag, err := h.compute(ctx, by, password, stored.salt, stored.params, len(stored.tag))
	if err != nil {
		return false, false, err
	}
	ok = known && subtle.ConstantTimeCompare(tag, stored.tag) == 1
	return ok, ok && !stored.isCurrent(), nil
}

// dummy replaces the hash of an account without one.
var dummy = hash{params: current, salt: make([]byte, saltSize), tag: make([]byte, tagSize)}

// compute runs argon2id in its turn. Each run allocates its memory, because the
// implementation cannot reuse it; the number of concurrent runs limits it.
func (h *Hasher) compute(ctx context.Context, by Share, password string, salt []byte, p params, size int) ([]byte, error) {
	q := h.queues[by]
	select {
	case q.admitted <- struct{}{}:
	default:
		return nil, ErrBusy
	}
	defer func() { <-q.admitted }()
	if q.turn != nil {
		if err := enter(ctx, q.turn); err != nil {
			return nil, err
		}
		defer func() { <-q.turn }()
	}
	if err := enter(ctx, h.running); err != nil {
		return nil, err
	}
	defer func() { <-h.running }()
	return argon2.IDKey([]byte(normalize(password)), salt, p.time, p.memory, p.lanes, uint32(size)), nil
}

// Light returns the hash of a secret of 64 random bits or more, which nobody searches. It takes little
// work, and so is for any caller at any time.
func Light(secret string, salt []byte, size uint32) []byte {
	return argon2.IDKey([]byte(secret), salt, light.time, light.memory, light.lanes, size)
}

// enter waits for a place.
func enter(ctx context.Context, place chan<- struct{}) error {
	select {
	case place <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait to hash password: %w", ctx.Err())
	}
}

// normalize returns the canonical form of a password (RFC 8265 section 4.2.2).
func normalize(password string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, password))
}

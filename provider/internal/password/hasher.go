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

// ErrBusy says that more passwords are being checked than the machine can take on.
// The caller answers 503 with Retry-After.
var ErrBusy = errors.New("password: too many at once")

// queuePerSlot is how many computations may wait for each that can run: at 20 ms
// each, none waits for more than about half a second.
const queuePerSlot = 24

// Share says who waits for a computation. Each share has a queue of its own.
type Share int

const (
	// Strangers can be anybody, and any number of machines of one attacker.
	Strangers Share = iota

	// Known are those who cannot be made up by the thousand: browsers that the
	// account has signed in from before, whoever has used up a mailed code, and
	// the host. They wait for one another and for a computation of a stranger or
	// two, whatever the strangers' queue holds.
	Known
)

// Hasher hashes and checks passwords. It is safe for concurrent use.
type Hasher struct {
	running chan struct{}
	queues  [2]queue // by Share
}

// queue is where the computations of a share wait. A stranger needs a turn to wait
// with the others for a processor; there are as many turns as processors, so that
// known ones find few strangers before them.
type queue struct {
	admitted chan struct{}
	turn     chan struct{} // nil: always
}

// NewHasher returns a Hasher that computes on all processors but one, which stays
// free for other requests, and on one when there is no other.
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

// Hash returns a hash of the password in PHC string format, with a random salt. The
// errors are [ErrBusy], and that of ctx when it ends while waiting.
func (h *Hasher) Hash(ctx context.Context, by Share, password string) (string, error) {
	salt := random.Bytes(saltSize)
	tag, err := h.compute(ctx, by, password, salt, current, tagSize)
	if err != nil {
		return "", err
	}
	return hash{params: current, salt: salt, tag: tag}.String(), nil
}

// Verify reports whether the password is the one that was hashed, and if so whether
// the hash should be replaced by one with today's parameters. When the hash is
// empty or not an argon2id hash within bounds, the result is no after the same work.
// A password of more than [MaxBytes] is never the one. The errors are those of
// [Hasher.Hash].
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

// dummy stands in for the hash of an account that has none.
var dummy = hash{params: current, salt: make([]byte, saltSize), tag: make([]byte, tagSize)}

// compute runs argon2id when there is room. Each run takes its memory anew, because
// the implementation offers no way to reuse it; the number of runs bounds it.
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

// enter waits for a place.
func enter(ctx context.Context, place chan<- struct{}) error {
	select {
	case place <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait to hash password: %w", ctx.Err())
	}
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

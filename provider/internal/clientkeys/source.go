package clientkeys

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// How the keys at an address are kept.
const (
	// fresh is how long they are used without being asked for again.
	fresh = 10 * time.Minute

	// stale is how long they are used when the address does not answer: an application
	// goes on while its own server is down, and a key that it has withdrawn ends by then.
	stale = time.Hour

	// pause is the least time between two requests to an address: whoever sends tokens
	// with keys that nobody knows must not have us call somebody else for each.
	pause = time.Minute

	// maxRemote bounds how many key sets are kept.
	maxRemote = 1024
)

// Holder is where the keys of an application are: one of the two, or neither.
type Holder struct {
	// Set is a key set as Registered returned it.
	Set []byte
	URI string
}

// ErrUnreachable says that the keys at the address of an application cannot be read now:
// its tokens may be right.
var ErrUnreachable = errors.New("clientkeys: the key set cannot be read")

// Source reads the keys of applications. It may be used by any number of goroutines.
type Source struct {
	fetch func(ctx context.Context, uri string) ([]byte, error)
	clock func() time.Time

	asking singleflight.Group
	mu     sync.Mutex
	kept   map[string]remote
}

// remote is what is known of the keys at an address.
type remote struct {
	set    *Set // nil when they could never be read
	readAt time.Time

	triedAt time.Time
	failed  error
}

// NewSource returns a source. fetch reads an address that an application has registered,
// and is where all is refused that must not be called.
func NewSource(fetch func(ctx context.Context, uri string) ([]byte, error), clock func() time.Time) *Source {
	return &Source{fetch: fetch, clock: clock, kept: map[string]remote{}}
}

// Verify checks the signature of a token by the keys of an application: ErrAlgorithm,
// ErrNoKeys, ErrKey, ErrSignature or ErrUnreachable. alg is the only algorithm that is
// accepted, or empty for all.
func (s *Source) Verify(ctx context.Context, h Holder, t *Token, alg string) error {
	if alg != "" && t.Alg != alg || !accepted(t.Alg) {
		return ErrAlgorithm
	}
	if len(h.Set) > 0 {
		set, err := Parse(h.Set)
		if err != nil {
			return fmt.Errorf("registered keys: %w", err)
		}
		return set.verify(t)
	}
	if h.URI == "" {
		return ErrNoKeys
	}
	return s.verifyRemote(ctx, h.URI, t)
}

// verifyRemote asks anew when the token names a key that is not known: the application
// may have a new one.
func (s *Source) verifyRemote(ctx context.Context, uri string, t *Token) error {
	set, err := s.keys(ctx, uri, func(r remote) bool { return !r.isFresh(s.clock()) })
	if err != nil {
		return err
	}
	refused := set.verify(t)
	if refused == nil || t.KeyID != "" && set.names(t.KeyID) {
		return refused
	}
	if set, err = s.keys(ctx, uri, func(r remote) bool { return r.set == set }); err != nil {
		return err
	}
	return set.verify(t)
}

// keys returns the keys at an address, read anew when they should be and may be.
func (s *Source) keys(ctx context.Context, uri string, renew func(remote) bool) (*Set, error) {
	r := s.known(uri)
	if renew(r) && s.mayAsk(r) {
		asked := s.asking.DoChan(uri, func() (any, error) {
			if now := s.known(uri); !s.mayAsk(now) { // somebody else has just asked
				return now, nil
			}
			return s.ask(context.WithoutCancel(ctx), uri), nil
		})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case answer := <-asked:
			r = answer.Val.(remote)
		}
	}
	age := s.clock().Sub(r.readAt)
	if r.set == nil || r.failed != nil && (age >= stale || age < 0) {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, r.failed)
	}
	return r.set, nil
}

func (r remote) isFresh(now time.Time) bool {
	age := now.Sub(r.readAt)
	return r.set != nil && age < fresh && age >= 0 // a clock that was set back
}

func (s *Source) mayAsk(r remote) bool {
	since := s.clock().Sub(r.triedAt)
	return r.triedAt.IsZero() || since >= pause || since < 0
}

func (s *Source) known(uri string) remote {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[uri]
}

// ask reads the keys at an address. What was known before stays known when it fails.
func (s *Source) ask(ctx context.Context, uri string) remote {
	now := s.clock()
	body, err := s.fetch(ctx, uri)
	var set *Set
	if err == nil {
		set, err = Parse(body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.kept[uri]
	r.triedAt, r.failed = now, err
	if err == nil {
		r.set, r.readAt = set, now
	}
	if len(s.kept) >= maxRemote {
		clear(s.kept)
	}
	s.kept[uri] = r
	return r
}

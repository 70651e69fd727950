package clientkeys

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// The times of the keys at an address.
const (
	// fresh is how long they are used without another fetch.
	fresh = 10 * time.Minute

	// stale is how long they are used while the address does not answer: an application
	// continues while its server is down, and a withdrawn key ends by then.
	stale = time.Hour

	// pause is the minimum time between two fetches from an address: tokens with unknown
	// keys must not cause a call to a third party each.
	pause = time.Minute

	// maxRemote is the maximum number of cached key sets.
	maxRemote = 1024
)

// Holder is the place of an application's keys: one of the two, or neither.
type Holder struct {
	// Set is a key set of Registered.
	Set []byte
	URI string
}

// ErrUnreachable means that an application's address does not answer now: its tokens may be
// valid.
var ErrUnreachable = errors.New("clientkeys: the address of the key set does not answer")

// RefusedError means that an application's address answers, with no key set that can be used: the
// application has to be changed. Reason repeats nothing of the answer.
type RefusedError struct{ Reason error }

// Error says why.
func (e *RefusedError) Error() string { return "clientkeys: the key set: " + e.Reason.Error() }

// Source reads the keys of applications. It may be used by any number of goroutines.
type Source struct {
	fetch func(ctx context.Context, uri string) ([]byte, error)
	clock func() time.Time

	asking singleflight.Group
	mu     sync.Mutex
	kept   map[string]remote
}

// remote are the cached keys of an address.
type remote struct {
	set    *Set // nil before the first successful fetch
	readAt time.Time

	triedAt time.Time
	failed  error
}

// NewSource returns a source. fetch reads an address of an application, and refuses those that
// must not be called: a RefusedError, or another error for one that does not answer.
func NewSource(fetch func(ctx context.Context, uri string) ([]byte, error), clock func() time.Time) *Source {
	return &Source{fetch: fetch, clock: clock, kept: map[string]remote{}}
}

// Verify checks the signature of a token with the keys of an application: ErrAlgorithm,
// ErrNoKeys, ErrKey, ErrSignature, ErrUnreachable or a RefusedError. alg is the only accepted algorithm, or
// empty for all.
func (s *Source) Verify(ctx context.Context, h Holder, t *Token, alg string) error {
	if alg != "" && !Same(t.Alg, alg) || !accepted(t.Alg) {
		return ErrAlgorithm
	}
	if len(h.Set) > 0 {
		set, err := Parse(h.Set, MaxKeys)
		if err != nil {
			return fmt.Errorf("registered keys: %w", err)
		}
		return set.Verify(t)
	}
	if h.URI == "" {
		return ErrNoKeys
	}
	return s.verifyRemote(ctx, h.URI, t)
}

// verifyRemote fetches the keys again if the token names an unknown one: the application may have
// a new key.
func (s *Source) verifyRemote(ctx context.Context, uri string, t *Token) error {
	set, err := s.keys(ctx, uri, func(r remote) bool { return !r.isFresh(s.clock()) })
	if err != nil {
		return err
	}
	refused := set.Verify(t)
	if refused == nil || t.KeyID != "" && set.names(t.KeyID) {
		return refused
	}
	if set, err = s.keys(ctx, uri, func(r remote) bool { return r.set == set }); err != nil {
		return err
	}
	return set.Verify(t)
}

// keys returns the keys of an address, and fetches them if they are old and the pause is over.
func (s *Source) keys(ctx context.Context, uri string, renew func(remote) bool) (*Set, error) {
	r := s.known(uri)
	if renew(r) && s.mayAsk(r) {
		asked := s.asking.DoChan(uri, func() (any, error) {
			if now := s.known(uri); !s.mayAsk(now) { // another call has just fetched them
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
		return nil, r.failed
	}
	return r.set, nil
}

func (r remote) isFresh(now time.Time) bool {
	age := now.Sub(r.readAt)
	return r.set != nil && age < fresh && age >= 0 // the clock may have been set back
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

// ask fetches the keys of an address. If that fails, the former ones stay.
func (s *Source) ask(ctx context.Context, uri string) remote {
	now := s.clock()
	set, err := s.read(ctx, uri)
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

func (s *Source) read(ctx context.Context, uri string) (*Set, error) {
	body, err := s.fetch(ctx, uri)
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		return nil, refused
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	set, err := Parse(body, MaxKeys)
	if err != nil {
		return nil, &RefusedError{err}
	}
	return set, nil
}

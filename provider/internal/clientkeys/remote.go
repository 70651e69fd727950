package clientkeys

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// maxRemoteKeys is the maximum number of keys of another provider: some have one for each
	// of their tenants. maxRemoteSet is the size of their set in bytes.
	maxRemoteKeys = 200
	maxRemoteSet  = 1 << 20

	// maxFetch limits the fetch of a set, for all who wait for it.
	maxFetch = 10 * time.Second
)

// ErrForeign means that a token is not signed by the other provider.
var ErrForeign = errors.New("clientkeys: the token is not signed by the provider")

// Remote are the keys of another provider. They are fetched at the first token, and again for
// one that none of them has signed: tokens are fetched from that provider, too, so that no
// stranger causes calls. It may be used by any number of goroutines.
type Remote struct {
	address string
	flight  singleflight.Group

	mu    sync.Mutex
	known *Set
}

// NewRemote returns the keys at an address.
func NewRemote(address string) *Remote { return &Remote{address: address} }

// Verify returns the payload of a token that the provider has signed with one of these
// algorithms: ErrForeign, a RefusedError, or the error of a call that has failed.
func (m *Remote) Verify(ctx context.Context, client *http.Client, text string, algorithms []string) ([]byte, error) {
	token, err := ReadUpTo(text, len(text)) // the answer that it came in has its limit
	if err != nil || !slices.ContainsFunc(algorithms, func(a string) bool { return Same(a, token.Alg) }) {
		return nil, ErrForeign
	}
	m.mu.Lock()
	known := m.known
	m.mu.Unlock()
	if known != nil && known.Verify(token) == nil {
		return token.payload, nil
	}
	fetched := m.flight.DoChan("", func() (any, error) {
		calls, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxFetch)
		defer cancel()
		return m.fetch(calls, client)
	})
	select {
	case result := <-fetched:
		if result.Err != nil {
			return nil, result.Err
		}
		if result.Val.(*Set).Verify(token) != nil {
			return nil, ErrForeign
		}
		return token.payload, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fetch reads the keys.
func (m *Remote) fetch(ctx context.Context, client *http.Client) (*Set, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, m.address, http.NoBody)
	if err != nil {
		return nil, &RefusedError{errors.New("has no address")}
	}
	r.Header.Set("Accept", "application/jwk-set+json, application/json")
	res, err := client.Do(r) // the client that the provider gives checks the address
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRemoteSet+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxRemoteSet:
		return nil, &RefusedError{fmt.Errorf("is longer than %d bytes", maxRemoteSet)}
	case res.StatusCode != http.StatusOK:
		return nil, &RefusedError{fmt.Errorf("is answered with status %d", res.StatusCode)}
	}
	set, err := Parse(body, maxRemoteKeys)
	if err != nil {
		return nil, &RefusedError{err}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = set
	return set, nil
}

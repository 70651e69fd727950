package faults

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestGracefulStop ends a process with SIGTERM while it answers 200 token requests. It
// answers those that it has begun with. A code whose request got no answer was not
// spent: it works at the next process.
func TestGracefulStop(t *testing.T) {
	skipShort(t)
	t.Parallel()
	s := setup{Database: filepath.Join(t.TempDir(), "identity.db")}
	const applications, each = 8, 25
	populate(t, s, applications)
	p := s.run(t)
	users := newUsers(s, applications, func() string { return p.url })
	all(t, users, (*user).begin)
	codes := make([][]string, applications)
	for i, u := range users {
		for range each {
			code, err := u.code()
			if err != nil {
				t.Fatal(err)
			}
			codes[i] = append(codes[i], code)
		}
	}

	// Connections are open before, so that requests are what is under way.
	all(t, slices.Repeat(users, transport.MaxIdleConnsPerHost/applications), func(u *user) error {
		_, err := u.get("/oidc/.well-known/jwks")
		return err
	})

	var answered, unanswered, unavailable atomic.Int64
	var running sync.WaitGroup
	begun := make(chan struct{})
	underWay := sync.OnceFunc(func() { close(begun) })
	left := make([][]fact, applications)
	for i, u := range users {
		left[i] = make([]fact, each)
		for n, code := range codes[i] {
			exchange := u.grant("code", url.Values{
				"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callbackURI},
			})
			running.Go(func() {
				accepted, err := exchange.present()
				switch {
				case err == nil && accepted:
					answered.Add(1)
					underWay()
					return
				case errors.Is(err, errCut):
					unanswered.Add(1)
				case errors.Is(err, errUnavailable):
					unavailable.Add(1)
				default:
					t.Error(fmt.Errorf("accepted: %t, %w", accepted, err))
				}
				left[i][n] = exchange
			})
		}
	}
	<-begun
	took, err := p.stop()
	running.Wait()
	t.Logf("%d of %d answered, %d not, %d times 503; stopped after %v",
		answered.Load(), applications*each, unanswered.Load(), unavailable.Load(), took.Round(time.Millisecond))
	if err != nil {
		t.Errorf("the process stopped after %v: %v", took, err)
	}
	p = s.run(t)
	for _, exchanges := range left {
		for _, exchange := range exchanges {
			if exchange.present == nil {
				continue // answered
			}
			if err := must("a code whose exchange was not answered", true, exchange.present); err != nil {
				t.Error(err)
			}
		}
	}
	checkIntegrity(t, s.Database)
}

package faults

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// TestSlowDatabase makes PostgreSQL answer late, or not at all. Requests that need it
// end with 503, those that do not are answered meanwhile, and all is well as soon
// as the database is.
func TestSlowDatabase(t *testing.T) {
	skipShort(t)
	t.Parallel()
	s := setup{Database: pgtest.Shared(t).Schema(t), Grace: time.Hour}
	const count = 8
	populate(t, s, count)
	proxy := pgtest.NewProxy(t, s.Database)
	s.Database = proxy.URL
	p := s.run(t)
	users := newUsers(s, count, func() string { return p.url })
	for _, delay := range slowAnswers {
		t.Run(delay.String(), func(t *testing.T) {
			all(t, users, (*user).begin)
			proxy.Delay(delay)
			defer proxy.Delay(0)
			ended := slowRequests(users, slowRequestsEach)
			for _, path := range []string{"/oidc/.well-known/jwks", "/oidc/.well-known/openid-configuration", "/health/live"} {
				if page, err := users[0].get(path); err != nil || page.StatusCode != http.StatusOK {
					t.Errorf("%s: %v %v", path, page, err)
				}
			}
			if _, err := users[0].get("/health/ready"); !errors.Is(err, errUnavailable) {
				t.Errorf("/health/ready: %v", err)
			}
			answered, refused, longest, err := ended()
			t.Logf("%d requests answered, %d times 503, the last after %v", answered, refused, longest.Round(time.Millisecond))
			if err != nil || refused == 0 {
				t.Errorf("%d times 503, and %v", refused, err)
			}
			proxy.Delay(0)
			workFor(t, users, 0, count, 0)
			all(t, users, (*user).check)
		})
	}
}

// slowRequests begins many requests of each user and returns a function that waits
// for their end. A request that takes longer than a browser waits is an error.
func slowRequests(users []*user, each int) (wait func() (answered, refused int64, longest time.Duration, err error)) {
	var running sync.WaitGroup
	var answered, refused, longest atomic.Int64
	var mu sync.Mutex
	var wrongs []error
	begin := time.Now()
	for _, u := range users {
		token := u.access(u.tokens.Access)
		for n := range each {
			running.Go(func() {
				var accepted bool
				var err error
				switch n % 3 {
				case 0:
					accepted, err = token.present()
				case 1:
					accepted, err = u.copy().hasSession()
				default:
					accepted, err = u.copy().hasConsent()
				}
				longest.Store(max(longest.Load(), int64(time.Since(begin))))
				switch {
				case errors.Is(err, errUnavailable):
					refused.Add(1)
				case err == nil && accepted:
					answered.Add(1)
				default:
					mu.Lock()
					defer mu.Unlock()
					wrongs = append(wrongs, fmt.Errorf("accepted: %t, %w", accepted, err))
				}
			})
		}
	}
	return func() (int64, int64, time.Duration, error) {
		running.Wait()
		return answered.Load(), refused.Load(), time.Duration(longest.Load()), errors.Join(wrongs...)
	}
}

package faults

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// TestStoppedDatabase stops PostgreSQL and starts it again under the load of two
// processes. Its absence may cost time, but never an answer: no client, grant or
// session is refused for want of a database to find it in.
func TestStoppedDatabase(t *testing.T) {
	skipShort(t)
	t.Parallel()
	server := pgtest.Start(t)
	s := setup{Database: server.Schema(t), Grace: time.Hour}
	const count = 8
	populate(t, s, count)
	processes := []*process{s.run(t), s.run(t)}
	users := newUsers(s, count, func() string { return processes[rand.IntN(2)].url })
	t.Run("AnswersNothingWrong", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		worked := make(chan error, 1)
		go func() { worked <- each(users, func(u *user) error { return u.work(ctx, func(bool) {}) }) }()
		for range databaseStops {
			<-time.After(databaseUpFor)
			server.Stop(t)
			newBrowser("", func() string { return processes[0].url }).becomesReady(t, false)
			<-time.After(databaseUpFor / 2)
			server.Resume(t)
		}
		cancel()
		testkit.OK(t, <-worked)
		workFor(t, users, 0, count, 0)
		checkEverywhere(t, users)
	})
	t.Run("RevocationIsInForceEverywhere", func(t *testing.T) {
		here, there := processes[0], processes[1]
		u := users[0]
		u.url = func() string { return here.url }
		testkit.OK(t, u.begin())
		elsewhere := *u
		elsewhere.browser = newBrowser(u.address, func() string { return there.url })
		testkit.OK(t, elsewhere.userinfo())
		token := elsewhere.access(u.tokens.Access)
		testkit.OK(t, u.revoke())
		for revoked := time.Now(); ; <-time.After(10 * time.Millisecond) {
			presented := time.Now()
			accepted := testkit.Must(token.present())(t)
			if !accepted {
				return
			}
			if presented.Sub(revoked) > time.Second {
				t.Fatal("a token that was revoked is accepted elsewhere after a second")
			}
		}
	})
}

package faults

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/internal/pgtest"
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
	members := newMembers(s, count, func() string { return processes[rand.IntN(2)].url })
	t.Run("AnswersNothingWrong", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		worked := make(chan error, 1)
		go func() { worked <- each(members, func(m *member) error { return m.work(ctx) }) }()
		for range databaseStops {
			<-time.After(databaseUpFor)
			server.Stop(t)
			<-time.After(databaseUpFor / 2)
			server.Resume(t)
		}
		cancel()
		if err := <-worked; err != nil {
			t.Fatal(err)
		}
		refused := 0
		for _, m := range members {
			refused += m.refused
		}
		if refused == 0 {
			t.Error("nobody noticed that the database was gone")
		}
		if done, _ := workFor(t, members, 2*time.Second); done < count {
			t.Errorf("%d members took %d steps when all was well again", count, done)
		}
		checkEverywhere(t, members)
	})
	t.Run("RevocationIsInForceEverywhere", func(t *testing.T) {
		here, there := processes[0], processes[1]
		m := members[0]
		m.url = func() string { return here.url }
		if err := m.begin(); err != nil {
			t.Fatal(err)
		}
		elsewhere := *m
		elsewhere.visitor = newVisitor(m.address, func() string { return there.url })
		if err := elsewhere.userinfo(); err != nil {
			t.Fatal(err)
		}
		token := elsewhere.access(m.tokens.Access)
		if err := m.revoke(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Second); ; <-time.After(10 * time.Millisecond) {
			accepted, err := token.present()
			if err != nil {
				t.Fatal(err)
			}
			if !accepted {
				return
			}
			if time.Now().After(deadline) {
				t.Fatal("a token that was revoked is accepted elsewhere after a second")
			}
		}
	})
}

package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// TestSmallPool lets 200 flows run at once over one and two connections. None waits
// for a second connection while it holds the only one.
func TestSmallPool(t *testing.T) {
	skipShort(t)
	t.Parallel()
	server := pgtest.Shared(t)
	for _, connections := range []int{1, 2} {
		t.Run(fmt.Sprint(connections), func(t *testing.T) {
			s := setup{Database: server.Schema(t), Grace: time.Hour}
			const count, each = 8, 25
			populate(t, s, count)
			s.Database += fmt.Sprintf("&pool_max_conns=%d", connections)
			p := s.run(t)
			users := newUsers(s, count, func() string { return p.url })
			all(t, users, (*user).begin)
			var flows []*user
			for _, u := range users {
				for range each {
					flows = append(flows, u.elsewhere())
				}
			}
			all(t, flows, (*user).eventualFlow)
			all(t, users, (*user).check)
		})
	}
}

// eventualFlow takes a flow again while it is told to come back: on a slow machine
// there are more flows at once than requests may wait for. Over one connection no flow
// would ever succeed if a request waited for a second.
func (u *user) eventualFlow() error {
	return must("a flow", true, func() (bool, error) {
		err := u.flow()
		return err == nil, err
	})
}

// elsewhere returns the user at the same time in another window of the browser.
func (u *user) elsewhere() *user {
	return &user{browser: u.copy(), email: u.email, grace: u.grace, signedIn: yes, consented: yes, passwords: u.passwords}
}

// flow takes a complete flow.
func (u *user) flow() error {
	if err := u.authorize(); err != nil {
		return err
	}
	if err := u.refresh(); err != nil {
		return err
	}
	return u.userinfo()
}

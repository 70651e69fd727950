package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/internal/pgtest"
)

// TestSmallPool lets 200 flows run at once over one and two connections. None waits
// for a second connection while it holds the only one.
func TestSmallPool(t *testing.T) {
	skipShort(t)
	t.Parallel()
	server := pgtest.Start(t)
	for _, connections := range []int{1, 2} {
		t.Run(fmt.Sprint(connections), func(t *testing.T) {
			s := setup{Database: server.Schema(t), Grace: time.Hour}
			const count, each = 8, 25
			populate(t, s, count)
			s.Database += fmt.Sprintf("&pool_max_conns=%d", connections)
			p := s.run(t)
			members := newMembers(s, count, func() string { return p.url })
			all(t, members, (*member).begin)
			var flows []*member
			for _, m := range members {
				for range each {
					flows = append(flows, m.elsewhere())
				}
			}
			begin := time.Now()
			all(t, flows, (*member).flow)
			took := time.Since(begin)
			t.Logf("%d flows over %d connections took %v", len(flows), connections, took.Round(time.Millisecond))
			if took > 30*time.Second {
				t.Errorf("%d flows took %v", len(flows), took)
			}
			all(t, members, (*member).check)
		})
	}
}

// elsewhere returns the member at the same time in another window of the browser.
func (m *member) elsewhere() *member {
	return &member{visitor: m.copy(), email: m.email, grace: m.grace, signedIn: yes, consented: yes, passwords: m.passwords}
}

// flow takes a complete flow.
func (m *member) flow() error {
	if err := m.authorize(); err != nil {
		return err
	}
	if err := m.refresh(); err != nil {
		return err
	}
	return m.userinfo()
}

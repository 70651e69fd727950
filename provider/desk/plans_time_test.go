package desk_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// timed notes how long the request has that proposes a plan.
type timed struct {
	*sqlite.Store
	mu   sync.Mutex
	left time.Duration
}

func (s *timed) CreatePlan(ctx context.Context, p storage.Plan, targets []storage.PlanTarget) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if end, bounded := ctx.Deadline(); bounded {
		s.left = time.Until(end)
	}
	return s.Store.CreatePlan(ctx, p, targets)
}

// A plan of 10,000 is looked at twice, which on a busy machine takes longer than other requests
// may: its form has time, and an end.
func TestPlanHasTime(t *testing.T) {
	t.Parallel()
	var store *timed
	w := newPlaceWith(t, given{provider: func(c *provider.Config) {
		store = &timed{Store: c.Store.(*sqlite.Store)}
		c.Store = store
	}})
	w.staff["olga"] = desk.Staff{Roles: []desk.Role{desk.RoleOperator}}
	_, err := w.Accounts().Save(t.Context(), provider.Account{ID: "olga", Email: "olga@example.com", EmailVerified: true, Password: staffPass})
	w.OK(err)
	lockPlan(w.reviewer("olga"), "alice", "bob")
	if store.left < time.Minute || store.left > time.Hour {
		t.Errorf("it has %s", store.left)
	}
	shows(t, w.reviewer("olga").Open("/desk/plans"), http.StatusOK, "Lock")
}

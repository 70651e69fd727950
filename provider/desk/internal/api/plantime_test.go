package api_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// timed notes how long the request has that proposes a plan.
type timed struct {
	*sqlite.Store
	left atomic.Int64
}

func (s *timed) CreatePlan(ctx context.Context, p storage.Plan, targets []storage.PlanTarget) error {
	if end, bounded := ctx.Deadline(); bounded {
		s.left.Store(int64(time.Until(end)))
	}
	return s.Store.CreatePlan(ctx, p, targets)
}

// What looks at 10,000 targets has more time than other operations, and an end.
func TestPlanOfAClientHasTime(t *testing.T) {
	t.Parallel()
	var store *timed
	w := newPlace(t, func(c *provider.Config) {
		store = &timed{Store: c.Store.(*sqlite.Store)}
		c.Store = store
	})
	w.as("robot").post("/plans", `{"action": "lock", "targets": ["alice", "bob"], "reason": "incident"}`).is(t, http.StatusCreated, "")
	if left := time.Duration(store.left.Load()); left < time.Minute || left > time.Hour {
		t.Errorf("it has %s", left)
	}
}

package service

import (
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// wrongs are the tasks that wrong checks make.
var wrongs = map[screens.Check]desk.TaskKind{
	screens.CheckMail: desk.TaskMail, screens.CheckQueue: desk.TaskQueue, screens.CheckSealed: desk.TaskCheckpointLate,
	screens.CheckVerified: desk.TaskTrailBroken, screens.CheckDatabase: desk.TaskHealth, screens.CheckBackground: desk.TaskHealth,
}

// Tasks are what is wrong with the service.
func (r *Room) Tasks(q *frame.Request) (tasks []desk.Task, err error) {
	if !q.Staff.Operates() {
		return nil, nil
	}
	now := q.Frame.Now()
	found := checks(r.Provider.Rooms().Condition(q.Context()), now)
	state, err := r.Provider.Rooms().Trail.State(q.Context())
	if err != nil {
		return nil, err
	}
	seen := map[desk.TaskKind]bool{}
	for _, c := range append(found, trailChecks(state, now)...) {
		kind, ok := wrongs[c.Check]
		if c.Check == screens.CheckBackground && c.At.IsZero() { // another process has a Run
			continue
		}
		if c.Wrong && ok && !seen[kind] {
			seen[kind] = true
			tasks = append(tasks, desk.Task{Kind: kind, Count: 1, URL: q.Path("health")})
		}
	}
	return tasks, nil
}

package applications

import (
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui/desk"
)

// Tasks are the reviews that wait, and the organizations without an owner.
func (r *Room) Tasks(q *frame.Request) (tasks []desk.Task, err error) {
	if r.Dashboard == nil || !q.Staff.Operates() {
		return nil, nil
	}
	waiting, err := r.Dashboard.Store.Applications(q.Context(), storage.ApplicationFilter{Review: storage.ReviewAsked, Limit: frame.Few + 1})
	if err != nil {
		return nil, err
	}
	if n := len(waiting); n > 0 {
		tasks = append(tasks, desk.Task{Kind: desk.TaskReviews, Count: min(n, frame.Few), More: n > frame.Few, URL: q.Path("reviews")})
	}
	ownerless, err := r.Dashboard.Store.Ownerless(q.Context(), "", frame.Few+1)
	if err != nil {
		return nil, err
	}
	if n := len(ownerless); n > 0 {
		tasks = append(tasks, desk.Task{Kind: desk.TaskOwnerless, Count: min(n, frame.Few), More: n > frame.Few, URL: q.Path("organizations")})
	}
	return tasks, nil
}

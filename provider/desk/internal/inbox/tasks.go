package inbox

import (
	"time"

	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// tasks are what the first page says of cases: to reviewers what waits for them, and to
// operators evidence that should be gone.
func (d *Inbox) tasks(r *frame.Request) (tasks []screens.Task, err error) {
	if r.Staff.Reviews() {
		if tasks, err = d.waitingTasks(r); err != nil {
			return nil, err
		}
	}
	if r.Staff.Operates() {
		n, err := d.Verification.Store.CountEvidence(r.Context(), storage.EvidenceFilter{OverdueAt: d.frame.Now().Add(-shredPatience)})
		if err != nil {
			return nil, err
		}
		if n > 0 {
			tasks = append(tasks, screens.Task{Kind: screens.TaskEvidence, Count: n, URL: d.frame.Path("cases", "numbers")})
		}
	}
	return tasks, nil
}

// waitingTasks count the cases that wait for a reviewer, and those of them that are late.
func (d *Inbox) waitingTasks(r *frame.Request) ([]screens.Task, error) {
	waiting, err := d.Verification.Waiting(r.Context(), reviewer(r), time.Time{}, "", inboxPage)
	if err != nil {
		return nil, err
	}
	cases := screens.Task{Kind: screens.TaskCases, URL: d.list(), More: len(waiting) == inboxPage}
	late := screens.Task{Kind: screens.TaskCasesOverdue, URL: d.list(), More: cases.More}
	for _, c := range waiting {
		if c.Waiting != nil { // it was decided in this moment
			continue
		}
		cases.Count++
		if d.frame.Now().After(c.DueAt) {
			late.Count++
		}
	}
	late.More = late.More && late.Count == cases.Count
	var tasks []screens.Task
	for _, t := range []screens.Task{cases, late} {
		if t.Count > 0 {
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}

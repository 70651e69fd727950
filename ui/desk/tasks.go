package desk

// Task is what somebody has to do, or what is wrong, on the first page.
type Task struct {
	Kind TaskKind
	// Count is how many there are, at least one. More reports that there are more than that.
	Count int
	More  bool
	// URL leads to them.
	URL string
}

// TaskKind is the kind of a task.
type TaskKind string

// The kinds of tasks. Those of which isWrong reports true are said to be wrong.
const (
	TaskCases          TaskKind = "cases"
	TaskCasesOverdue   TaskKind = "cases_overdue"
	TaskEvidence       TaskKind = "evidence_overdue"
	TaskPlans          TaskKind = "plans"
	TaskPlansRunning   TaskKind = "plans_running"
	TaskBreaks         TaskKind = "breaks"
	TaskBreaksOverdue  TaskKind = "breaks_overdue"
	TaskReviews        TaskKind = "reviews"
	TaskOwnerless      TaskKind = "ownerless"
	TaskMail           TaskKind = "mail_dead"
	TaskQueue          TaskKind = "queue_dead"
	TaskCheckpointLate TaskKind = "checkpoint_late"
	TaskTrailBroken    TaskKind = "trail_broken"
	TaskHealth         TaskKind = "health"
)

func (k TaskKind) isWrong() bool {
	switch k {
	case TaskCasesOverdue, TaskEvidence, TaskBreaksOverdue, TaskMail, TaskQueue, TaskCheckpointLate, TaskTrailBroken, TaskHealth:
		return true
	}
	return false
}

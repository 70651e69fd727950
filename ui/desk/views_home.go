package desk

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// FieldSought is the field of the form that finds a person.
const FieldSought = "sought"

// HomeView is the first page: what there is to do, and what is wrong.
type HomeView struct {
	Page
	// Find is the form that finds a person, nil for whom may not. It posts [FieldSought].
	Find *ui.Form
	// Ways are what the field takes.
	Ways  string
	Tasks []Task
	// Matters are the open ones of who is signed in.
	Matters []OpenMatter
}

// Way is what a person is found by.
type Way string

// The ways. A person is found by attributes, too, where the host says so.
const (
	WayEmail   Way = "email"
	WayID      Way = "id"
	WayCase    Way = "case"
	WayRequest Way = "request"
)

// WayWord is what a way is called.
func WayWord(l *ui.Locale, w Way) string {
	l = l.OrEnglish()
	return l.Plain(textOf(l).Home.Ways[w])
}

// OpenMatter is a matter that is open.
type OpenMatter struct {
	URL    string
	Reason ui.Label
	Ticket string
	EndsAt time.Time
}

// tasks returns those that are wrong, or the others.
func (v HomeView) tasks(wrong bool) (some []Task) {
	for _, t := range v.Tasks {
		if t.Kind.isWrong() == wrong {
			some = append(some, t)
		}
	}
	return some
}

func (t Task) count(l *ui.Locale) string {
	if t.More {
		return l.Number(int64(t.Count)) + "+"
	}
	return l.Number(int64(t.Count))
}

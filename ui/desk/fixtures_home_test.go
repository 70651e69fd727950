package desk

import (
	"strings"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

var homeFixtures = []audiencetest.Fixture{
	{Name: "home", Render: func(p ui.Page) templ.Component {
		find := audiencetest.Form()
		v := HomeView{Page: page(p, SectionHome), Find: &find, Ways: ways(p.Locale), Matters: []OpenMatter{
			{URL: "/desk/matters/m1", Reason: student, Ticket: "T-42", EndsAt: audiencetest.Now},
			{URL: "/desk/matters/m2", Reason: student, EndsAt: audiencetest.Now},
		}}
		for _, kind := range []TaskKind{
			TaskCases, TaskCasesOverdue, TaskEvidence, TaskPlans, TaskPlansRunning, TaskBreaks, TaskBreaksOverdue, TaskReviews, TaskOwnerless,
			TaskMail, TaskQueue, TaskCheckpointLate, TaskTrailBroken, TaskHealth,
		} {
			v.Tasks = append(v.Tasks, Task{Kind: kind, Count: 25, More: kind == TaskCases, URL: "/desk/" + string(kind)})
		}
		return Home(v)
	}},
	{Name: "home-nothing", Render: func(p ui.Page) templ.Component { return Home(HomeView{Page: page(p, SectionHome)}) }},
}

// ways are all that there are.
func ways(l *ui.Locale) string {
	var words []string
	for _, w := range []Way{WayEmail, WayID, WayCase, WayRequest} {
		words = append(words, WayWord(l, w))
	}
	return strings.Join(words, " – ")
}

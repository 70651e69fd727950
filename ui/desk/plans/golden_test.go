package plans

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

var audience = audiencetest.Audience{
	Section: "DeskPlans", Files: files, Fixtures: fixtures, One: "plan",
	Beside: map[string]string{"": "../../text/en.json", "Desk": "../text/en.json"},
}

func TestScreensMatchGoldenFiles(t *testing.T)        { audience.Golden(t) }
func TestScreensAreWholeInEveryLanguage(t *testing.T) { audience.Markup(t) }
func TestGallery(t *testing.T)                        { audience.Gallery(t) }
func TestLanguages(t *testing.T)                      { audience.Texts(t) }

func TestScreensSayAllSentencesAndNothingElse(t *testing.T) {
	audience.Said(t, func(l *ui.Locale) (more []templ.Component) {
		for n := range textOf(l).Notices {
			v := PlansView{Page: page(audiencetest.Page(l))}
			v.Said = n
			more = append(more, Plans(v))
		}
		for why := range textOf(l).Whys {
			more = append(more, ui.Words(whyWord(l, why)))
		}
		for reason := range textOf(l).Reasons {
			more = append(more, ui.Words(Reason(l, reason)))
		}
		for proof := range textOf(l).Plan.ProofNames {
			more = append(more, ui.Words(l.Plain(textOf(l).Plan.ProofNames[proof])))
		}
		more = append(more, Breaks(BreaksView{Page: page(audiencetest.Page(l)), All: true}))
		return more
	})
}

func TestEveryCodeHasASentence(t *testing.T) {
	text := textOf(nil)
	uitest.Named(t, map[string][]string{
		"Notice": uitest.Keys(text.Notices), "State": uitest.Keys(text.States), "Proof": uitest.Keys(text.Plan.ProofNames),
		"TargetState": uitest.Keys(text.Plan.TargetStates),
	}, "page.go", "views.go")
}

package developer

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

var audience = audiencetest.Audience{Section: "Developer", Files: files, Fixtures: fixtures, One: "home"}

func TestScreensMatchGoldenFiles(t *testing.T)        { audience.Golden(t) }
func TestScreensAreWholeInEveryLanguage(t *testing.T) { audience.Markup(t) }
func TestGallery(t *testing.T)                        { audience.Gallery(t) }
func TestLanguages(t *testing.T)                      { audience.Texts(t) }

func TestScreensSayAllSentencesAndNothingElse(t *testing.T) {
	audience.Said(t, func(l *ui.Locale) (more []templ.Component) {
		dashboard := page(audiencetest.Page(l))
		for notice := range textOf(l).Notices {
			more = append(more, Home(HomeView{Page: noticed(dashboard, notice)}))
		}
		for section := range textOf(l).Common.SectionNames {
			more = append(more, Home(HomeView{Page: page(audiencetest.Page(l), section)}))
		}
		for act := range textOf(l).Activity.Acts {
			more = append(more, Activity(ActivityView{Page: dashboard, Changes: []Change{{Act: act}}}))
		}
		return append(more, ui.Words(Checked(dashboard.Page, nil)))
	})
}

func TestEveryCodeHasASentence(t *testing.T) {
	text := textOf(nil)
	uitest.Named(t, map[string][]string{"Notice": uitest.Keys(text.Notices), "Section": uitest.Keys(text.Common.SectionNames)}, "views.go")
}

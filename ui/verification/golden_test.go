package verification

import (
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

var audience = audiencetest.Audience{Section: "Verification", Files: files, Fixtures: append(fixtures, uploadFixtures...), One: "choose"}

func TestScreensMatchGoldenFiles(t *testing.T)        { audience.Golden(t) }
func TestScreensAreWholeInEveryLanguage(t *testing.T) { audience.Markup(t) }
func TestGallery(t *testing.T)                        { audience.Gallery(t) }
func TestLanguages(t *testing.T)                      { audience.Texts(t) }

func TestScreensSayAllSentencesAndNothingElse(t *testing.T) {
	audience.Said(t, func(l *ui.Locale) (more []templ.Component) {
		for word := range textOf(l).Words {
			more = append(more, Word(l, word))
		}
		for p := range textOf(l).Upload.Problems {
			more = append(more, ui.Words(NotTaken(l, "front", p).Text))
		}
		for _, d := range []time.Duration{0, time.Minute, 3 * time.Hour, 72 * time.Hour} {
			more = append(more, ui.Words(takes(l, d)))
		}
		return more
	})
}

func TestEveryCodeHasASentence(t *testing.T) {
	text := textOf(nil)
	uitest.Named(t, map[string][]string{
		"Notice": uitest.Keys(text.Notices), "State": uitest.Keys(text.List.States), "Action": uitest.Keys(text.List.Actions),
		"FileState": uitest.Keys(text.Upload.States), "UploadProblem": uitest.Keys(text.Upload.Problems),
	}, "views.go", "views_upload.go")
}

// An unknown reason, such as that of a newer version, reads as the neutral one.
func TestUnknownReasonsAreNeutral(t *testing.T) {
	if got, want := ReasonText(nil, "altered"), ReasonText(nil, ReasonOther); got != want || got == "" {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A notice that these screens do not know, such as one of the provider's, shows nothing.
func TestUnknownNoticesShowNothing(t *testing.T) {
	page := string(uitest.Render(t, List(ListView{Page: audiencetest.Page(ui.MatchLocale("en", "")), Notice: "verified"})))
	if strings.Contains(page, `class="notice`) {
		t.Errorf("an empty notice:\n%s", page)
	}
}

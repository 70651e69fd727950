package person

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

var audience = audiencetest.Audience{
	Section: "DeskPerson", Files: files, Fixtures: fixtures, One: "account",
	Beside: map[string]string{"": "../../text/en.json", "Desk": "../text/en.json"},
}

func TestScreensMatchGoldenFiles(t *testing.T)        { audience.Golden(t) }
func TestScreensAreWholeInEveryLanguage(t *testing.T) { audience.Markup(t) }
func TestGallery(t *testing.T)                        { audience.Gallery(t) }
func TestLanguages(t *testing.T)                      { audience.Texts(t) }

func TestScreensSayAllSentencesAndNothingElse(t *testing.T) {
	audience.Said(t, func(l *ui.Locale) (all []templ.Component) {
		for _, w := range []Wrong{WrongNobody, WrongReason, WrongLength, WrongOver, WrongCode, WrongTooMany, WrongNoMail} {
			all = append(all, ui.Words(ProblemOf(l, FieldNote, w).Text))
		}
		for name := range textOf(l).Reasons {
			word, _ := ReasonWord(l, name)
			all = append(all, ui.Words(word))
		}
		return all
	}, "a•••@e•••.org", "Mozilla Firefox – Linux", "192.0.2.0/24", "signed_in", "•••", "192.0.2.0/24", "3", "password")
}

func TestEveryCodeHasASentence(t *testing.T) {
	text := textOf(nil)
	uitest.Named(t, map[string][]string{
		"Part": uitest.Keys(text.Parts), "RowName": uitest.Keys(text.Rows), "State": uitest.Keys(text.States), "By": uitest.Keys(text.Bys),
	}, "names.go")
}

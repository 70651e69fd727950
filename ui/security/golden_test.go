package security

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

var audience = audiencetest.Audience{Section: "Security", Files: files, Fixtures: fixtures, One: "home"}

func TestScreensMatchGoldenFiles(t *testing.T)        { audience.Golden(t) }
func TestScreensAreWholeInEveryLanguage(t *testing.T) { audience.Markup(t) }
func TestGallery(t *testing.T)                        { audience.Gallery(t) }
func TestLanguages(t *testing.T)                      { audience.Texts(t) }

func TestScreensSayAllSentencesAndNothingElse(t *testing.T) {
	audience.Said(t, func(l *ui.Locale) (more []templ.Component) {
		for n := range textOf(l).Notices {
			more = append(more, notice(l, n))
		}
		for p := range textOf(l).Problems {
			more = append(more, ui.Words(Say(l, p).Text))
		}
		return append(more, ui.Words(Unnamed(l)), ui.Words(CodesFile(l, "Bonafide", audiencetest.Ada.Email, nil, audiencetest.Now)))
	})
}

func TestEveryCodeHasASentence(t *testing.T) {
	text := textOf(nil)
	uitest.Named(t, map[string][]string{"Notice": uitest.Keys(text.Notices), "Problem": uitest.Keys(text.Problems)}, "views.go")
}

// W29: a name that somebody has chosen is text, on the page and in the list that scripts read.
func TestNamesAreText(t *testing.T) {
	for _, f := range fixtures {
		page := string(uitest.Render(t, f.Render(audiencetest.Page(nil))))
		if strings.Contains(page, "<script>alert") || strings.Contains(page, "\u202e") {
			t.Errorf("%s has the name as markup", f.Name)
		}
		if strings.Count(page, "</script>") != strings.Count(page, "<script") {
			t.Errorf("%s has a script that data has ended", f.Name)
		}
	}
}

func TestCodesFile(t *testing.T) {
	got := CodesFile(nil, "Bonafide", "ada@example.com", []string{"0ABC-DEFG-HJKMN", "ZYXW-VTSR-QPNM9"}, audiencetest.Now)
	want := "Recovery codes for ada@example.com at Bonafide\r\n\r\n0ABC-DEFG-HJKMN\r\nZYXW-VTSR-QPNM9\r\n\r\nMade on 12 March 2026. Each code works once.\r\n"
	if got != want {
		t.Errorf("file = %q, want %q", got, want)
	}
}

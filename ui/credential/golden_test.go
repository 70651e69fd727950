package credential

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

var audience = audiencetest.Audience{Section: "Credentials", Files: files, Fixtures: fixtures, One: "add"}

func TestScreensMatchGoldenFiles(t *testing.T)        { audience.Golden(t) }
func TestScreensAreWholeInEveryLanguage(t *testing.T) { audience.Markup(t) }
func TestGallery(t *testing.T)                        { audience.Gallery(t) }
func TestLanguages(t *testing.T)                      { audience.Texts(t) }

func TestScreensSayAllSentencesAndNothingElse(t *testing.T) {
	audience.Said(t, func(l *ui.Locale) (more []templ.Component) {
		for claim := range textOf(l).Claims {
			more = append(more, ui.Words(ClaimWords(l, claim)))
		}
		return more
	})
}

func TestEveryCodeHasASentence(t *testing.T) {
	text := textOf(nil)
	uitest.Named(t, map[string][]string{
		"Notice": uitest.Keys(text.Notices), "State": uitest.Keys(text.Home.States),
		"ProofState": uitest.Keys(text.Home.ProofStates), "Ending": uitest.Keys(text.Home.Endings),
	}, "views.go")
}

// A claim of a later version is called by its name, and why something ended need not be said.
func TestWhatHasNoSentenceIsNotMadeUp(t *testing.T) {
	if got := ClaimWords(nil, "house_number"); got != "house_number" {
		t.Errorf("a claim without words is called %q", got)
	}
	p := audiencetest.Page(ui.MatchLocale("en", ""))
	page := string(uitest.Render(t, Home(HomeView{Page: p, Notice: "verified", Proofs: []Proof{ended(p, "moon")}})))
	if strings.Contains(page, `class="notice`) || strings.Contains(page, "moon") {
		t.Errorf("something is said that has no sentence:\n%s", page)
	}
}

// The link that opens a wallet is whole: templ would take its scheme for a dangerous one.
func TestOffersLeadToWallets(t *testing.T) {
	page := string(uitest.Render(t, Add(offer(audiencetest.Page(ui.MatchLocale("en", ""))))))
	if want := `href="openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fid.example%2Fvci%2Foffers%2Fstudent"`; !strings.Contains(page, want) {
		t.Errorf("the page has no %s:\n%s", want, page)
	}
}

package ui

import (
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

// TestLanguages says what is wrong with the file of a language, and what it lacks. It is
// what make words runs.
func TestLanguages(t *testing.T) {
	uitest.Languages(t, "", func(overlay fs.FS) error {
		_, err := NewLocaleSet(overlay)
		return err
	}, func(lang string) []string { return MatchLocale(lang, "").Missing() })
}

func TestEveryCodeHasASentence(t *testing.T) {
	text := MatchLocale("en", "").OrEnglish().text
	uitest.Named(t, map[string][]string{
		"ProblemCode": uitest.Keys(text.Problems), "ErrorCode": uitest.Keys(text.Error.Screens),
		"Notice": uitest.Keys(text.Notices), "MailKind": uitest.Keys(text.Mails), "HistoryAct": uitest.Keys(text.History.Acts),
	}, "problem.go", "views.go", "mail.go", "views_account.go")
}

// pseudo is a language whose every sentence is its own path in the catalogue
// and what is filled in, in brackets: ⟦.SignIn.Heading ⟧.
func pseudo(t *testing.T) *Locale {
	t.Helper()
	s, err := NewLocaleSet(uitest.Pseudo(t, map[string]string{"": "text/en.json"}))
	ok(t, err)
	return s.Match(uitest.PseudoLang, "")
}

func TestScreensSayNothingThatIsNotInTheCatalogue(t *testing.T) {
	known := []string{"0123456789ABCDEF"} // the request of a preview
	for _, l := range Locales() {
		known = append(known, l.Name)
	}
	uitest.SaysOnlyTexts(t, pages(pseudo(t)), known...)
}

func TestEverySentenceIsSaidSomewhere(t *testing.T) {
	l := pseudo(t).OrEnglish()
	var said strings.Builder
	said.WriteString(uitest.Said(t, pages(l)))
	for code := range l.text.Problems {
		said.Write(uitest.Render(t, SignIn(SignInView{Page: samplePage(l), Form: with(Problem{Code: code, Count: 2})})))
	}
	for code := range l.text.Error.Screens {
		said.Write(uitest.Render(t, Error(ErrorView{Page: samplePage(l), Code: code})))
	}
	for notice := range l.text.Notices {
		said.Write(uitest.Render(t, SignIn(SignInView{Page: samplePage(l), Notice: notice})))
	}
	for diagnosis := range l.text.Diagnoses {
		said.WriteString(l.Cause(diagnosis) + l.Remedy(diagnosis))
	}
	for kind := range l.text.Mails {
		m := Compose(MailView{Kind: kind, Locale: l, BaseURL: "https://id.example", Brand: Brand{HelpURL: "/help"}})
		said.WriteString(m.Subject + m.Body + m.HTML)
	}
	for _, d := range []time.Duration{0, time.Minute, time.Hour, 25 * time.Hour} {
		said.WriteString(l.ago(fixedNow.Add(-d), fixedNow))
	}
	for month := time.January; month <= time.December; month++ {
		said.WriteString(l.Date(date(2026, month, 1)))
	}
	for original := range l.text.Catalogue {
		said.WriteString(l.Word(original).Text)
	}
	for original := range l.text.Phrases {
		said.WriteString(l.Phrase(original).Text)
	}
	uitest.SaysAllTexts(t, "", said.String())
}

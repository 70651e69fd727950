package ui

import (
	"testing"

	"golang.org/x/text/language"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

// A language whose sentence was mended has to be packed again: go generate ./ui.
func TestPackedTextsSayWhatTheFilesSay(t *testing.T) {
	uitest.Packed(t)
	for _, text := range uitest.Texts(t) {
		said := text.Content.(map[string]any)["Language"].(map[string]any)
		if packed := ownLanguages()[text.Lang]; packed != (languageText{said["Name"].(string), said["Dir"].(string)}) {
			t.Errorf("%s is %+v, packed %+v", text.Lang, said, packed)
		}
	}
}

// A second provider of the process says what the first has read, also beside words of a host.
func TestLanguagesAreReadOnce(t *testing.T) {
	first, err := NewLocaleSet(nil)
	ok(t, err)
	second, err := NewLocaleSet(nil)
	ok(t, err)
	german := first.Match("de", "").OrEnglish()
	if second.Match("de", "") != german || german.text != second.Match("de", "").OrEnglish().text {
		t.Error("a second set has read German again")
	}
	if own := overlaid(t, map[string]string{"fr.json": `{"SignIn": {"Heading": "Bonjour"}}`}); own.Match("de", "") != german {
		t.Error("a set with words of a host in French has read German again")
	}
}

// A language is read when a screen says it, for whom the screen is.
func TestNoLanguageIsReadBeforeItIsAskedFor(t *testing.T) {
	l := &Locale{Lang: "de", tag: language.German, files: []textFile{{lang: "de", tag: language.German, own: true}}}
	l = (&LocaleSet{all: []*Locale{l}, matcher: language.NewMatcher([]language.Tag{l.tag})}).Match("de", "")
	if l.text != nil {
		t.Error("a language is read before a screen is")
	}
	if l.OrEnglish(); l.text == nil {
		t.Error("a screen has no text")
	}
}

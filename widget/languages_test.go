package widget_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/ui"
)

// TestLanguages says what the labels of the button lack: a language that the screens have,
// or a text of one.
func TestLanguages(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("src/labels.ts")
	if err != nil {
		t.Fatal(err)
	}
	labelled := map[string]bool{}
	for _, entry := range regexp.MustCompile(`(?m)^  "(.*)",$`).FindAllStringSubmatch(string(source), -1) {
		texts := strings.Split(entry[1], ",")
		lang := texts[0]
		labelled[lang] = true
		if len(texts) != 8 {
			t.Errorf("%s has %d texts of 8", lang, len(texts))
			continue
		}
		for i, text := range texts[1:] {
			if text == "" || text != strings.TrimSpace(text) {
				t.Errorf("%s: text %d is %q", lang, i+1, text)
			}
		}
		if pattern := texts[1]; strings.Count(pattern, "*") != 1 || strings.Count(pattern, "%") != 1 {
			t.Errorf("%s: %q does not have * for what is done and %% for the service, each once", lang, pattern)
		}
	}
	for _, l := range ui.Locales() {
		if !labelled[l.Lang] {
			t.Errorf("%s has screens and no button", l.Lang)
		}
		delete(labelled, l.Lang)
	}
	for lang := range labelled {
		t.Errorf("%s has a button and no screens", lang)
	}
}

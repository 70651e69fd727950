package uitest

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Words looks for what no sentence says (see notSaid), and at buttons that are called more than
// they show, whose key ends in Of: they are still called by what they show, for people who say
// it aloud (WCAG 2.2, 2.5.3). It returns how many languages and how many such buttons it saw.
func Words(t *testing.T) (languages, buttons int) {
	texts := Texts(t)
	for _, text := range texts {
		sentences := Sentences(text.Content)
		for _, not := range notSaid[text.Lang] {
			pattern := regexp.MustCompile(`(?i)` + strings.ReplaceAll(not.pattern, `\b`, `(?:^|$|[^\pL])`))
			for path, s := range sentences {
				for _, sentence := range s {
					if found := pattern.FindString(sentence); found != "" {
						t.Errorf("%s: %s says %q in %q; say: %s", text.Lang, path, found, sentence, not.instead)
					}
				}
			}
		}
		for path, short := range sentences {
			long, ok := sentences[path+"Of"]
			if !ok {
				continue
			}
			buttons++
			if !strings.Contains(strings.ToLower(long["other"]), strings.ToLower(short["other"])) {
				t.Errorf("%s: %sOf is %q, without %q", text.Lang, path, long["other"], short["other"])
			}
		}
	}
	if known := slices.Sorted(maps.Keys(notSaid)); len(known) != len(texts) {
		t.Errorf("there are words for %q only", known)
	}
	return len(texts), buttons
}

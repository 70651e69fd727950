package ui

import (
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

func TestSentencesSayNothingThatNobodySays(t *testing.T) {
	if languages, buttons := uitest.Words(t); languages < 8 || buttons == 0 {
		t.Errorf("%d languages, and %d buttons with two names", languages, buttons)
	}
}

// A problem of one sentence has no full stop, as a label; of two, each has its own.
func TestProblemsOfTwoSentencesEndInAFullStop(t *testing.T) {
	two, stop := regexp.MustCompile(`[.!?؟] \pL|。.`), regexp.MustCompile(`[.!?؟。]$`)
	for _, text := range uitest.Texts(t) {
		seen := 0
		for path, s := range uitest.Sentences(text.Content) {
			if !strings.HasPrefix(path, "Problems.") {
				continue
			}
			seen++
			for _, sentence := range s {
				if two.MatchString(sentence) && !stop.MatchString(sentence) {
					t.Errorf("%s: %s is %q", text.Lang, path, sentence)
				}
			}
		}
		if seen == 0 {
			t.Errorf("%s has no problems", text.Lang)
		}
	}
}

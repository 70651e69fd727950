package desk

import (
	"regexp"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// differing is what differs in any two pages of one kind: tokens, what was entered, and the
// number of the request.
var differing = regexp.MustCompile(`value="[^"]*"|[0-9a-f]{16,}|nobody-`)

// neutral is a page without what differs in any two of one kind.
func neutral(text string) string { return differing.ReplaceAllString(text, "") }

// safe demands the headers of every page. What nobody may keep, nobody may transform either.
func safe(t testing.TB, p lab.Page) {
	t.Helper()
	if p.Header.Get("Cache-Control") == "no-store, no-transform" {
		p.Header.Set("Cache-Control", "no-store")
	}
	lab.Safe(t, p)
}

// difference is where two texts begin to differ.
func difference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return "\n" + a[max(0, i-40):min(len(a), i+60)] + "\n" + b[max(0, i-40):min(len(b), i+60)]
}

package applications

import (
	"strings"
	"testing"

	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// TestChanges tests that both texts can be read off their difference, and that it is short.
func TestChanges(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("[\n", 2000)
	for name, c := range map[string]struct {
		before, now string
		changed     int
	}{
		"none before": {"", `{"a":1}`, 0},
		"one member":  {`{"a":1,"b":[2,3]}`, `{"a":1,"b":[2,4]}`, 2},
		"added":       {`{"a":1}`, `{"a":1,"b":2}`, 3}, // and a comma
		"no JSON":     {"x\ny", "x\nz\ny", 1},
		"layout":      {`{"a": 1}`, "{\n\"a\":1}", 0},
		"very many":   {many + "x", "y" + many, 4001},
	} {
		var before, now []string
		changed := 0
		for _, line := range changes([]byte(c.before), []byte(c.now)) {
			if line.Kind != screens.LineNew {
				before = append(before, line.Text)
			}
			if line.Kind != screens.LineGone {
				now = append(now, line.Text)
			}
			if line.Kind != screens.LineKept {
				changed++
			}
		}
		if c.before != "" && strings.Join(before, "\n") != strings.Join(lines([]byte(c.before)), "\n") || strings.Join(now, "\n") != strings.Join(lines([]byte(c.now)), "\n") {
			t.Errorf("%s: the texts are %q and %q", name, before, now)
		}
		if changed != c.changed {
			t.Errorf("%s: %d lines have changed, want %d", name, changed, c.changed)
		}
	}
}

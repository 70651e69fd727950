package docs_test

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/sandbox"
)

// TestEveryPersonaAndFaultIsDocumented finds them in the tables of testing.md, and nothing
// else in the first column.
func TestEveryPersonaAndFaultIsDocumented(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{}
	for _, p := range sandbox.DefaultPersonas() {
		missing[p.Name] = true
	}
	for _, f := range sandbox.Faults() {
		missing[string(f)] = true
	}
	for line := range strings.Lines(read(t, "docs/testing.md")) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		for name := range strings.SplitSeq(first, ",") {
			name = strings.Trim(name, " `")
			if !missing[name] {
				t.Errorf("docs/testing.md describes %q, which there is not, or twice", name)
			}
			delete(missing, name)
		}
	}
	for name := range missing {
		t.Errorf("docs/testing.md does not describe %q", name)
	}
}

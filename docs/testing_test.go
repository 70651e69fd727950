package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/sandbox"
)

// described is what a list or a table of testing.md describes, at the head of a line.
var described = regexp.MustCompile("(?m)^(?:- |\\| )((?:`[\\w-]+`(?:, )?)+)(?:: | \\|)")

// TestEveryPersonaAndFaultIsDocumented finds them in testing.md, and nothing else described.
func TestEveryPersonaAndFaultIsDocumented(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{}
	for _, p := range sandbox.DefaultPersonas() {
		missing[p.Name] = true
	}
	for _, f := range sandbox.Faults() {
		missing[string(f)] = true
	}
	for _, found := range described.FindAllStringSubmatch(read(t, "docs/testing.md"), -1) {
		for name := range strings.SplitSeq(found[1], ", ") {
			name = strings.Trim(name, "`")
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

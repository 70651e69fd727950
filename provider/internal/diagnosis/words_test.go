package diagnosis

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// Every language says cause and remedy of each diagnosis, and of nothing else.
func TestEveryDiagnosisHasWordsInEveryLanguage(t *testing.T) {
	files, err := filepath.Glob("../../../ui/text/*.json")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d languages: %v", len(files), err)
	}
	want := make([]string, 0, len(inOrder))
	for _, name := range Names() {
		want = append(want, string(name))
	}
	slices.Sort(want)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			content := testkit.Must(os.ReadFile(file))(t)
			var text struct {
				Diagnoses map[string]struct{ Cause, Remedy string }
			}
			testkit.OK(t, json.Unmarshal(content, &text))
			var got []string
			for name, words := range text.Diagnoses {
				got = append(got, name)
				if words.Cause == "" || words.Remedy == "" || words.Cause == words.Remedy {
					t.Errorf("%s says %q and %q", name, words.Cause, words.Remedy)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-diagnoses +words):\n%s", diff)
			}
		})
	}
}

// The list of all diagnoses has each of the names, once.
func TestNamesAreListedOnce(t *testing.T) {
	file := testkit.Must(parser.ParseFile(token.NewFileSet(), "names.go", nil, parser.SkipObjectResolution))(t)
	var want []string
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			name := testkit.Must(strconv.Unquote(literal.Value))(t)
			want = append(want, name)
		}
		return true
	})
	var got []string
	for _, name := range Names() {
		got = append(got, string(name))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-names +list):\n%s", diff)
	}
	for _, name := range expected {
		if name.IsMistake() || !slices.Contains(Names(), name) {
			t.Errorf("%s is expected, and not listed", name)
		}
	}
	if Name("unknown").IsMistake() || Name("unknown").Cause() != "" {
		t.Error("something is said about a name that is unknown")
	}
}

package uitest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Named fails the test unless the constants of these types, in files of a package, are those that a
// catalogue has a sentence for.
func Named(t *testing.T, catalogue map[string][]string, files ...string) {
	t.Helper()
	values := constants(t, files...)
	for name, want := range catalogue {
		if diff := cmp.Diff(want, values[name]); diff != "" {
			t.Errorf("constants and catalogue of %s differ (-catalogue +constants):\n%s", name, diff)
		}
	}
}

// constants returns the values of the constants of each named type in files of a package.
func constants(t *testing.T, files ...string) map[string][]string {
	t.Helper()
	values := map[string][]string{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Type == nil {
				return true
			}
			if typ, ok := spec.Type.(*ast.Ident); ok {
				for _, v := range spec.Values {
					s, err := strconv.Unquote(v.(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					values[typ.Name] = append(values[typ.Name], s)
				}
			}
			return true
		})
	}
	for _, v := range values {
		slices.Sort(v)
	}
	return values
}

// Keys returns those of a part of a text, in order.
func Keys[K ~string, V any](m map[K]V) []string {
	var all []string
	for k := range m {
		all = append(all, string(k))
	}
	slices.Sort(all)
	return all
}

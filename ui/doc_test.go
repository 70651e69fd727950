package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who writes a screen looks into the list of the kit: a component that is not there is written
// a second time.
func TestEveryComponentOfTheKitIsListed(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	ok(t, err)
	files, err := filepath.Glob("*_templ.go")
	ok(t, err)
	parts := 0
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		ok(t, err)
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || isScreen(f) {
				continue
			}
			parts++
			if !strings.Contains(string(doc), "["+f.Name.Name+"]") {
				t.Errorf("doc.go does not list %s", f.Name.Name)
			}
		}
	}
	if parts < 30 {
		t.Errorf("the kit has %d components", parts)
	}
}

// isScreen reports whether a component renders a view.
func isScreen(f *ast.FuncDecl) bool {
	of, ok := f.Type.Params.List[0].Type.(*ast.Ident)
	return ok && strings.HasSuffix(of.Name, "View")
}

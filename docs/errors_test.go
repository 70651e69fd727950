package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestEveryErrorIsDocumented finds the descriptions of protocol errors in the source of
// the provider, and each of them in errors.md, so that a client developer who searches
// for one finds its cause.
func TestEveryErrorIsDocumented(t *testing.T) {
	t.Parallel()
	manual := read(t, "docs/errors.md")
	found := descriptions(t)
	if len(found) < 40 {
		t.Errorf("found %d descriptions of errors in provider; have they another form now?", len(found))
	}
	for _, description := range found {
		if !strings.Contains(manual, description) {
			t.Errorf("docs/errors.md does not explain %q", description)
		}
	}
}

// descriptions returns the literals of protocol.Fail(code, "…"), badRequest("…") and errors with a Description.
func descriptions(t *testing.T) []string {
	t.Helper()
	var all []string
	add := func(e ast.Expr) {
		if literal, is := e.(*ast.BasicLit); is && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			ok(t, err)
			all = append(all, text)
		}
	}
	for _, file := range sources(t, filepath.Join(root, "provider")) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name := called(n); name == "Fail" || name == "badRequest" {
					add(n.Args[len(n.Args)-1])
				}
			case *ast.CompositeLit:
				if d := value(n, "Description"); d != nil && value(n, "Title") == nil { // a scope has a title
					add(d)
				}
			}
			return true
		})
	}
	return all
}

// called returns the name of the function that is called.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	default:
		return ""
	}
}

// value returns what a literal of a struct gives a field, or nil.
func value(literal *ast.CompositeLit, field string) ast.Expr {
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if name, ok := pair.Key.(*ast.Ident); ok && name.Name == field {
				return pair.Value
			}
		}
	}
	return nil
}

// sources parses the Go files below a folder, tests excepted.
func sources(t *testing.T, folder string) []*ast.File {
	t.Helper()
	var files []*ast.File
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == "node_modules" || entry.Name() == "lab":
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		files = append(files, file)
		return err
	})
	ok(t, err)
	return files
}

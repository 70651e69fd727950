package provider_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// The linter takes what is exported for used. The packages below have no callers but
// this one, so what is named only where it is declared is dead: a text that no screen
// shows, a code that no answer has.
func TestWhatIsExportedIsUsed(t *testing.T) {
	t.Parallel()
	type declaration struct{ place, name string }
	var declared []declaration
	named, cheap := map[string]int{}, map[string]bool{}
	files := token.NewFileSet()
	for _, root := range []string{".", "../ui"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (path == filepath.Join("internal", "lab") || path == filepath.Join("internal", "testkit") || path == filepath.Join("..", "ui", "internal")):
				return fs.SkipDir // for tests alone
			case entry.IsDir() && strings.HasSuffix(path, "test"), !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					named[id.Name]++
					cheap[filepath.ToSlash(path)] = cheap[filepath.ToSlash(path)] || id.Name == "Cheapen"
				}
				return true
			})
			if strings.HasPrefix(path, "internal/") || strings.HasPrefix(path, "../ui/") {
				for _, name := range exported(file) {
					declared = append(declared, declaration{path, name})
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(declared) < 300 {
		t.Fatalf("only %d names were found", len(declared))
	}
	maps.DeleteFunc(cheap, func(_ string, is bool) bool { return !is })
	if want := map[string]bool{"internal/keyring/cheap.go": true, "internal/password/cheap.go": true, "providertest/cheap.go": true}; !maps.Equal(cheap, want) {
		t.Errorf("what makes passwords and keys cheap for tests is named in %v", cheap)
	}
	for _, d := range declared {
		if named[d.name] == 1 && d.name != "Cheapen" {
			t.Errorf("%s: nothing uses %s", d.place, d.name)
		}
	}
}

// exported returns the exported constants, variables, types, fields, functions and
// methods of a file. The methods and fields of types that are not exported are left
// out: most are there for somebody else's interface or encoding.
func exported(file *ast.File) (names []string) {
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, id.Name)
			}
		}
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			if f.Recv == nil || receiverIsExported(f.Recv.List[0].Type) {
				add(f.Name)
			}
			continue
		}
		for _, spec := range d.(*ast.GenDecl).Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				add(s.Names...)
			case *ast.TypeSpec:
				add(s.Name)
				if st, ok := s.Type.(*ast.StructType); ok && s.Name.IsExported() {
					for _, field := range st.Fields.List {
						add(field.Names...)
					}
				}
			}
		}
	}
	return names
}

func receiverIsExported(receiver ast.Expr) bool {
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if generic, ok := receiver.(*ast.IndexListExpr); ok {
		receiver = generic.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	id, ok := receiver.(*ast.Ident)
	return ok && id.IsExported()
}

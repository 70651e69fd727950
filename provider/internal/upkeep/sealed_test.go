package upkeep

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// underTheSecret is all that is sealed under Config.Secret itself, and how it outlives a change of
// it. What is kept longer than that is sealed under a data key (People.Seal).
var underTheSecret = map[string]string{
	"internal/keyring/key.go":            "signing keys: reseal",
	"internal/vault/datakeys.go":         "the data keys: reseal",
	"internal/clients/secret.go":         "secrets of clients: reseal",
	"unknown.go":                         "secrets of clients: reseal",
	"internal/account/code.go":           "mailed codes, for a quarter of an hour",
	"internal/authflow/kept.go":          "requests, for Lifetimes.Flow",
	"provider.go":                        "pushed requests, for a minute",
	"credential/config.go":               "nonces, for five minutes",
	"credential/pagecode.go":             "an offer in a form, for five minutes",
	"developer/try.go":                   "a cookie",
	"desk/internal/frame/cursor.go":      "a link",
	"desk/internal/frame/idle.go":        "a cookie",
	"desk/internal/inbox/evidence.go":    "a link",
	"keys.go":                            "Keys.Seal, for callers of which each stands here",
	"../examples/quickstart/deskhost.go": "a cookie",
	"../examples/quickstart/demoways.go": "codes of the demo: a start that cannot open one makes another",
}

func TestWhatIsSealedUnderTheSecret(t *testing.T) {
	t.Parallel()
	const root = "../.."
	found := map[string]bool{}
	for _, folder := range []string{root, filepath.Join(root, "../examples")} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_templ.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			ast.Inspect(file, func(n ast.Node) bool {
				found[filepath.ToSlash(name)] = found[filepath.ToSlash(name)] || sealsUnderTheSecret(n)
				return true
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for file, seals := range found {
		if how := underTheSecret[file]; seals != (how != "") {
			t.Errorf("%s seals under the secret: %t; here it stands as %q", file, seals, how)
		}
	}
}

// sealsUnderTheSecret reports whether a node is a call of Keys().Seal, or of Seal of Secrets.
func sealsUnderTheSecret(n ast.Node) bool {
	seal, ok := n.(*ast.SelectorExpr)
	if !ok || seal.Sel.Name != "Seal" {
		return false
	}
	of := seal.X
	if call, ok := of.(*ast.CallExpr); ok {
		of = call.Fun
	}
	switch of := of.(type) {
	case *ast.Ident:
		return strings.EqualFold(of.Name, "secrets")
	case *ast.SelectorExpr:
		return of.Sel.Name == "Keys" || strings.EqualFold(of.Sel.Name, "secrets")
	}
	return false
}

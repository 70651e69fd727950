package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

//go:generate go test -count=1 -run ^TestManualHasEveryKey$ . -update

var update = flag.Bool("update", false, "write the keys into docs/config.md")

// TestManualHasEveryKey compares docs/config.md with the keys that the program reads and the comments of their fields.
func TestManualHasEveryKey(t *testing.T) {
	const manual, begin, end = "../../docs/config.md", "<!-- keys -->\n", "<!-- end of keys -->"
	text := must(os.ReadFile(manual))(t)
	head, rest, _ := strings.Cut(string(text), begin)
	written, tail, found := strings.Cut(rest, end)
	if !found {
		t.Fatal("docs/config.md has no place for the keys")
	}
	r := keyList{t: t, comments: map[string]map[string]string{}, seen: map[reflect.Type]bool{}}
	r.text.WriteString("\n")
	r.rows("", reflect.TypeFor[config]())
	for len(r.later) > 0 {
		next := r.later[0]
		r.later = r.later[1:]
		next()
	}
	switch {
	case r.text.String() == written:
	case *update:
		ok(t, os.WriteFile(manual, []byte(head+begin+r.text.String()+end+tail), 0o644))
	default:
		t.Error("docs/config.md is not what the comments of the fields say: run go generate in examples/quickstart")
	}
}

// keyList writes the keys of structs as lists, each with what its comment says.
type keyList struct {
	t        *testing.T
	text     strings.Builder
	comments map[string]map[string]string // by package, then by type and field
	seen     map[reflect.Type]bool
	later    []func() // sections
}

func (r *keyList) section(name string, of reflect.Type) {
	fmt.Fprintf(&r.text, "\n### `%s`\n\n", name)
	delete(r.seen, of)
	r.rows(" ", of)
}

// row is a key with others that its comment is for.
type row struct {
	keys, comment string
	field         reflect.StructField
}

// rows writes the keys of a struct. What a key of the file has below it stands in a section of its own.
func (r *keyList) rows(prefix string, of reflect.Type) {
	var rows []row
	fields, before := keyed(of), maps.Clone(r.seen)
	names := map[string]string{}
	for _, f := range fields {
		names[f.Name] = "`" + strings.TrimSpace(prefix+key(f)) + "`"
	}
	for _, f := range fields {
		owner, comment := r.comment(of, f)
		if before[owner] {
			continue
		}
		r.seen[of], r.seen[owner] = true, true
		if last := len(rows) - 1; comment == "" && last >= 0 {
			rows[last].keys += ", " + names[f.Name]
			continue
		}
		rows = append(rows, row{names[f.Name], sentence(comment, names, strings.HasSuffix(owner.PkgPath(), "quickstart")), f})
	}
	for _, row := range rows {
		inner := element(row.field.Type)
		below := strings.HasPrefix(inner.PkgPath(), module) && inner.Kind() == reflect.Struct && !r.seen[inner] &&
			len(keyed(inner)) > 0 && strings.Count(prefix, ".") < 2
		if below && prefix == "" {
			r.seen[inner] = true
			r.later = append(r.later, func() { r.section(key(row.field), inner) })
			row.keys = "[" + row.keys + "](#" + key(row.field) + ")"
		}
		if row.comment == "" {
			r.t.Errorf("%s of %v has no comment", row.keys, of)
		}
		fmt.Fprintf(&r.text, "- %s: %s\n", row.keys, row.comment)
		if below && prefix != "" {
			r.rows(prefix+key(row.field)+".", inner)
		}
	}
}

// keyed returns the fields of a struct that have a key, without those that another one of the same key replaces.
func keyed(of reflect.Type) []reflect.StructField {
	var all []reflect.StructField
	for _, f := range reflect.VisibleFields(of) {
		if at := f.Tag.Get("json"); f.Anonymous || at == "" || at == "-" {
			continue
		}
		if shown, ok := of.FieldByName(f.Name); ok && len(shown.Index) == len(f.Index) {
			all = append(all, f)
		}
	}
	return all
}

func key(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// element is what a field has one or many of.
func element(of reflect.Type) reflect.Type {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	return of
}

// comment returns the comment of a field and the struct that has it. A field without one has that of the field that it replaces.
func (r *keyList) comment(of reflect.Type, f reflect.StructField) (reflect.Type, string) {
	owner := of
	for _, at := range f.Index[:len(f.Index)-1] {
		owner = element(owner.Field(at).Type)
	}
	if text := r.commentsOf(owner)[owner.Name()+"."+f.Name]; text != "" {
		return owner, text
	}
	for i := range owner.NumField() {
		if embedded := owner.Field(i); embedded.Anonymous {
			if hidden, ok := embedded.Type.FieldByName(f.Name); ok {
				return r.comment(embedded.Type, hidden)
			}
		}
	}
	return owner, ""
}

func (r *keyList) commentsOf(of reflect.Type) map[string]string {
	path := of.PkgPath()
	if r.comments[path] != nil {
		return r.comments[path]
	}
	out := must(exec.CommandContext(r.t.Context(), "go", "list", "-f", "{{.Dir}}", path).Output())(r.t)
	all := map[string]string{}
	parsed, err := parser.ParseDir(token.NewFileSet(), strings.TrimSpace(string(out)), //nolint:staticcheck // comments need no types
		func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, parser.ParseComments|parser.SkipObjectResolution)
	ok(r.t, err)
	for _, p := range parsed {
		ast.Inspect(p, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if of, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range of.Fields.List {
						for _, name := range f.Names {
							all[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(f.Doc.Text()), " ")
						}
					}
				}
			}
			return true
		})
	}
	r.comments[path] = all
	return all
}

// module begins the packages whose structs have keys.
const module = "github.com/bonafide-id/bonafide/"

// enough is the number of words after which go doc has the rest.
const enough = 20

var (
	subject = regexp.MustCompile(`^([A-Z]\w*)((,| and) [A-Z]\w*)* (is |are )?`)
	// fieldName is a field, alone in the middle of a sentence or of several words anywhere, or one that its struct qualifies.
	fieldName    = regexp.MustCompile(`([a-z,] )?\b((Config|Client|Limits|Lifetimes|Signing)\.)?[A-Z]\w*`)
	severalWords = regexp.MustCompile(`[a-z][A-Z]`)
	byName       = strings.NewReplacer("ProfileFAPI2Signing", "`fapi2-signing`", "ProfileFAPI2", "`fapi2`", "V3 or Standard", "`v3` or `standard`",
		"V3 dialect", "dialect `v3`", "of V3 ", "of `v3` ", "for V3", "for `v3`", "Standard dialect", "Dialect `standard`", "for Standard", "for `standard`",
		"ui.SchemeLight or ui.SchemeDark", "`light` or `dark`", "catalogue.DefaultScopes", "the default catalogue",
		"catalogue.DefaultGroups", "those of the default catalogue", "AnyAssurance", "any", "New refuses", "a start refuses")
)

// sentence returns the comment of a field for those who write a file: its first sentences and its default, with keys in the place of
// fields. What is not in a package that go doc shows has all of it.
func sentence(comment string, names map[string]string, all bool) string {
	text, byDefault, _ := strings.Cut(byName.Replace(comment), "Defaults to ")
	text = subject.ReplaceAllString(text, "")
	var kept []string
	words := 0
	for _, one := range strings.SplitAfter(text, ". ") {
		if strings.HasPrefix(one, "In JSON ") { // the file has a path
			continue
		}
		if words += len(strings.Fields(one)); words > enough && len(kept) > 0 && !all {
			break
		}
		kept = append(kept, strings.TrimSpace(one))
	}
	text = strings.TrimSpace(strings.Join(kept, " "))
	if first, _, _ := strings.Cut(text, " "); text != "" && !strings.Contains(first, "_") {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if byDefault = strings.TrimSpace(byDefault); byDefault != "" && byDefault != "none." && byDefault != "false." && byDefault != "those of its fields." {
		text = strings.TrimSpace(text + " Default: " + byDefault)
	}
	return fieldName.ReplaceAllStringFunc(text, func(found string) string {
		lead, field := "", found
		if len(found) > 1 && found[1] == ' ' {
			lead, field = found[:2], found[2:]
		}
		within := reflect.TypeFor[config]()
		if of, rest, qualified := strings.Cut(field, "."); qualified {
			within, field = structs[of], rest
		} else if field == "ID" || lead == "" && !severalWords.MatchString(field) { // of an ID token
			return found
		} else if names[field] != "" {
			return lead + names[field]
		}
		if f, ok := within.FieldByName(field); ok && key(f) != "" && key(f) != "-" {
			return lead + "`" + key(f) + "`"
		}
		return found
	})
}

// structs are those by whose name comments qualify a field.
var structs = map[string]reflect.Type{
	"Config": reflect.TypeFor[provider.Config](), "Client": reflect.TypeFor[provider.Client](),
	"Limits": reflect.TypeFor[provider.Limits](), "Lifetimes": reflect.TypeFor[provider.Lifetimes](),
	"Signing": reflect.TypeFor[provider.Signing](),
}

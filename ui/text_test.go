package ui

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// visit calls f with every message and string of a catalogue.
func visit(v reflect.Value, path string, f func(path string, v reflect.Value)) {
	switch {
	case v.Type() == reflect.TypeFor[message]() || v.Kind() == reflect.String:
		f(path, v)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			visit(v.Field(i), path+"."+v.Type().Field(i).Name, f)
		}
	case v.Kind() == reflect.Map:
		for _, key := range v.MapKeys() {
			visit(v.MapIndex(key), path+"."+key.String(), f)
		}
	default:
		for i := range v.Len() {
			visit(v.Index(i), fmt.Sprintf("%s.%d", path, i), f)
		}
	}
}

// messages returns the messages of a language by their paths.
func messages(l *Locale) map[string]message {
	all := map[string]message{}
	visit(reflect.ValueOf(l.text), "", func(path string, v reflect.Value) {
		if m, ok := v.Interface().(message); ok {
			all[path] = m
		} else {
			all[path] = message{plural.Other: v.String()}
		}
	})
	return all
}

// formsOf returns the forms that a language counts in.
func formsOf(tag language.Tag) []plural.Form {
	forms := map[plural.Form]bool{}
	for n := range 1000 {
		forms[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)] = true
	}
	return slices.Sorted(maps.Keys(forms))
}

func TestEveryLanguageIsComplete(t *testing.T) {
	english := messages(locales()[0])
	for _, l := range Locales() {
		t.Run(l.Lang, func(t *testing.T) {
			translated := messages(l)
			if diff := cmp.Diff(slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(translated))); diff != "" {
				t.Errorf("keys differ from English (-en +%s):\n%s", l.Lang, diff)
			}
			for path, m := range translated {
				counts := strings.Contains(english[path][plural.Other], "{n}")
				forms := slices.Sorted(maps.Keys(m))
				if counts && !slices.Equal(forms, formsOf(l.tag)) {
					t.Errorf("%s has forms %v, the language counts in %v", path, forms, formsOf(l.tag))
				}
				if !counts && len(m) != 1 {
					t.Errorf("%s counts nothing and has forms %v", path, forms)
				}
				for form, s := range m {
					if s == "" || s != strings.TrimSpace(s) || strings.Contains(s, "'") {
						t.Errorf("%s is %q", path, s)
					}
					want, got := placeholders(english[path][plural.Other]), placeholders(s)
					if form != plural.Other {
						delete(want, "{n}") // "one day" need not say 1
						delete(got, "{n}")
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s fills in other things than English (-want +got):\n%s", path, diff)
					}
				}
			}
		})
	}
}

func placeholders(s string) map[string]bool {
	set := map[string]bool{}
	for _, p := range regexp.MustCompile(`\{[^}]*\}?`).FindAllString(s, -1) {
		set[p] = true
	}
	return set
}

// constants returns the values of the package's constants of each named type.
func constants(t *testing.T) map[string][]string {
	t.Helper()
	values := map[string][]string{}
	for _, file := range []string{"problem.go", "views.go", "mail.go", "views_developer.go"} {
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

func keys[K ~string, V any](m map[K]V) []string {
	var all []string
	for k := range m {
		all = append(all, string(k))
	}
	slices.Sort(all)
	return all
}

func TestEveryCodeHasASentence(t *testing.T) {
	text := locales()[0].text
	want := constants(t)
	got := map[string][]string{
		"ProblemCode": keys(text.Problems), "ErrorCode": keys(text.Error.Screens),
		"Notice": keys(text.Notices), "MailKind": keys(text.Mails),
		"DeveloperNotice": keys(text.Developer.Notices), "DeveloperSection": keys(text.Developer.Common.SectionNames),
	}
	maps.DeleteFunc(want, func(name string, _ []string) bool { return got[name] == nil }) // words of a screen
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("constants and catalogue differ (-constants +catalogue):\n%s", diff)
	}
}

// pseudo is a language whose every sentence is its own path in the catalogue
// and what is filled in, in brackets: ⟦.SignIn.Heading⟧. It counts like English
// and is written from right to left.
func pseudo(t *testing.T) *Locale {
	t.Helper()
	data, err := catalogue.ReadFile("text/en.json")
	if err != nil {
		t.Fatal(err)
	}
	l, err := parseLocale("en", data)
	if err != nil {
		t.Fatal(err)
	}
	l.Lang, l.Dir = "qps-ploc", "rtl"
	visit(reflect.ValueOf(&l.text).Elem(), "", func(path string, v reflect.Value) {
		mark := func(s string) string {
			return "⟦" + path + " " + strings.Join(slices.Sorted(maps.Keys(placeholders(s))), " ") + "⟧"
		}
		if m, ok := v.Interface().(message); ok {
			for form, s := range m {
				m[form] = mark(s)
			}
		} else {
			v.SetString(mark(v.String()))
		}
	})
	return l
}

// outside returns what of a page's texts and spoken attributes stands outside
// the brackets of the pseudo language.
func outside(doc *html.Node) []string {
	var found []string
	depth := 0
	collect := func(s string) {
		var b strings.Builder
		for _, r := range s {
			switch {
			case r == '⟦':
				depth++
			case r == '⟧':
				depth--
			case depth == 0:
				b.WriteRune(r)
			}
		}
		for part := range strings.SplitSeq(b.String(), " – ") {
			found = append(found, strings.Trim(part, " ()–:…\n"))
		}
	}
	for n := range doc.Descendants() {
		if n.Type == html.TextNode {
			collect(n.Data)
		}
	}
	for _, e := range elements(doc) {
		for _, key := range []string{"aria-label", "alt", "title", "placeholder"} {
			collect(attr(e, key))
		}
	}
	return found
}

// With the sentences replaced, what is left on a screen can only come from the
// fixture or be written into a template, where no translator finds it.
func TestScreensSayNothingThatIsNotInTheCatalogue(t *testing.T) {
	var source []byte
	files, err := filepath.Glob("fixtures*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	for _, l := range Locales() {
		source = append(source, l.Name...)
	}
	source = append(source, "0123456789ABCDEF"...) // the request of a preview
	l := pseudo(t)
	for _, f := range fixtures {
		if strings.HasSuffix(f.name, "-hostile") {
			continue // changes on its way from the fixture to the screen
		}
		doc, err := html.Parse(bytes.NewReader(render(t, f.render(samplePage(l)))))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range outside(doc) {
			if utf8.RuneCountInString(s) > 1 && !bytes.Contains(source, []byte(s)) {
				t.Errorf("%s says %q", f.name, s)
			}
		}
	}
}

// A sentence that no screen shows is one that translators work on for nothing,
// or a state that no fixture has.
func TestEverySentenceIsSaidSomewhere(t *testing.T) {
	l := pseudo(t)
	page := samplePage(l)
	var said bytes.Buffer
	for _, f := range fixtures {
		said.Write(render(t, f.render(page)))
	}
	for code := range l.text.Problems {
		said.Write(render(t, SignIn(SignInView{Page: page, Form: with(Problem{Code: code, Count: 2})})))
	}
	for code := range l.text.Error.Screens {
		said.Write(render(t, Error(ErrorView{Page: page, Code: code})))
	}
	for notice := range l.text.Notices {
		said.Write(render(t, SignIn(SignInView{Page: page, Notice: notice})))
	}
	for notice := range l.text.Developer.Notices {
		said.Write(render(t, DeveloperHome(DeveloperHomeView{DeveloperPage: noticed(developerPage(page), notice)})))
	}
	for section := range l.text.Developer.Common.SectionNames {
		said.Write(render(t, DeveloperHome(DeveloperHomeView{DeveloperPage: developerPage(page, section)})))
	}
	for act := range l.text.Developer.Activity.Acts {
		said.Write(render(t, DeveloperActivity(DeveloperActivityView{
			DeveloperPage: developerPage(page), Changes: []DeveloperChange{{Act: act}},
		})))
	}
	said.WriteString(DeveloperChecked(page, nil))
	for kind := range l.text.Mails {
		m := Compose(MailView{Kind: kind, Locale: l})
		said.WriteString(m.Subject + m.Body)
	}
	for _, d := range []time.Duration{0, time.Minute, time.Hour, 25 * time.Hour} {
		said.WriteString(l.ago(fixedNow.Add(-d), fixedNow))
	}
	for month := time.January; month <= time.December; month++ {
		said.WriteString(l.date(date(2026, month, 1)))
	}
	for original := range l.text.Catalogue {
		said.WriteString(l.Word(original).Text)
	}
	for path := range messages(l) {
		if !strings.HasPrefix(path, ".Language.") && !strings.Contains(said.String(), "⟦"+path+" ") {
			t.Errorf("%s is never said", path)
		}
	}
}

package ui

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
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

// messages returns the messages of a language by their keys.
func messages(l *Locale) map[string]Message {
	all := map[string]Message{}
	visitText(l, func(path string, v reflect.Value) {
		if m, ok := v.Interface().(Message); ok {
			all[path] = m
		}
	})
	return all
}

func init() { HasDashboard() }

// sources returns the files of this module as they are written.
func sources(t *testing.T) []textFile {
	t.Helper()
	files, err := readTexts(os.DirFS("text"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// everything returns what a file says, as it is written.
func everything(f textFile) any {
	all := maps.Clone(f.people.(map[string]any))
	all[developerKey] = f.developers
	return all
}

// TestLanguages says what is wrong with the file of a language, and what it lacks. It is
// what make words runs.
func TestLanguages(t *testing.T) {
	files := sources(t)
	english := messages(Locales()[0])
	for _, f := range files {
		t.Run(f.lang, func(t *testing.T) {
			if err := checkTexts([]textFile{f}); err != nil {
				t.Error(err)
			}
			l := newLocale(f.tag, files)
			if missing := l.Missing(); len(missing) > 0 {
				t.Errorf("%s lacks:\n%s", f.name, strings.Join(missing, "\n"))
			}
			for key, m := range messages(l) {
				for form, s := range m.forms {
					if s != strings.TrimSpace(s) || strings.Contains(s, "'") {
						t.Errorf("%s: %s is %q: no space around it, and a typographic apostrophe", f.name, key, s)
					}
					want := placeholdersOf(english[key])
					got := placeholdersOf(Message{forms: map[plural.Form]string{form: s}})
					if form != plural.Other { // "one day" need not say 1
						want, got = without(want, "{n}"), without(got, "{n}")
					}
					if english[key].forms != nil && !slices.Equal(want, got) {
						t.Errorf("%s: %s fills in %q, English %q", f.name, key, got, want)
					}
				}
			}
			if want, got := len(english), len(messages(l)); want != got {
				t.Errorf("%s has %d sentences, English %d: a mail with other paragraphs", f.name, got, want)
			}
		})
	}
}

func without(list []string, s string) []string {
	return slices.DeleteFunc(list, func(one string) bool { return one == s })
}

// constants returns the values of the package's constants of each named type.
func constants(t *testing.T) map[string][]string {
	t.Helper()
	values := map[string][]string{}
	for _, file := range []string{"problem.go", "views.go", "mail.go", "views_account.go", "views_developer.go"} {
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
	english := Locales()[0].OrEnglish()
	text := english.text
	want := constants(t)
	got := map[string][]string{
		"ProblemCode": keys(text.Problems), "ErrorCode": keys(text.Error.Screens),
		"Notice": keys(text.Notices), "MailKind": keys(text.Mails), "HistoryAct": keys(text.History.Acts),
		"DeveloperNotice": keys(english.developer().Notices), "DeveloperSection": keys(english.developer().Common.SectionNames),
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
	l := newLocale(language.English, sources(t))
	l.Lang, l.Dir = "qps-ploc", "rtl"
	visitText(l, func(path string, v reflect.Value) {
		if m, ok := v.Interface().(Message); ok {
			for form := range m.forms {
				m.forms[form] = "⟦." + path + " " + strings.Join(placeholdersOf(m), " ") + "⟧"
			}
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
	for code := range l.OrEnglish().text.Problems {
		said.Write(render(t, SignIn(SignInView{Page: page, Form: with(Problem{Code: code, Count: 2})})))
	}
	for code := range l.OrEnglish().text.Error.Screens {
		said.Write(render(t, Error(ErrorView{Page: page, Code: code})))
	}
	for notice := range l.OrEnglish().text.Notices {
		said.Write(render(t, SignIn(SignInView{Page: page, Notice: notice})))
	}
	for notice := range l.developer().Notices {
		said.Write(render(t, DeveloperHome(DeveloperHomeView{DeveloperPage: noticed(developerPage(page), notice)})))
	}
	for section := range l.developer().Common.SectionNames {
		said.Write(render(t, DeveloperHome(DeveloperHomeView{DeveloperPage: developerPage(page, section)})))
	}
	for act := range l.developer().Activity.Acts {
		said.Write(render(t, DeveloperActivity(DeveloperActivityView{
			DeveloperPage: developerPage(page), Changes: []DeveloperChange{{Act: act}},
		})))
	}
	for diagnosis := range l.OrEnglish().text.Diagnoses {
		said.Write(render(t, DeveloperLog(DeveloperLogView{
			DeveloperPage: developerPage(page), Lines: []DeveloperLogLine{{Diagnosis: diagnosis}},
		})))
	}
	said.WriteString(DeveloperChecked(page, nil))
	for kind := range l.OrEnglish().text.Mails {
		m := Compose(MailView{Kind: kind, Locale: l})
		said.WriteString(m.Subject + m.Body + m.HTML)
	}
	for _, d := range []time.Duration{0, time.Minute, time.Hour, 25 * time.Hour} {
		said.WriteString(l.ago(fixedNow.Add(-d), fixedNow))
	}
	for month := time.January; month <= time.December; month++ {
		said.WriteString(l.Date(date(2026, month, 1)))
	}
	for original := range l.OrEnglish().text.Catalogue {
		said.WriteString(l.Word(original).Text)
	}
	for original := range l.OrEnglish().text.Phrases {
		said.WriteString(l.Phrase(original).Text)
	}
	for path := range messages(l) {
		if !strings.Contains(said.String(), "⟦."+path+" ") {
			t.Errorf("%s is never said", path)
		}
	}
}

package uitest

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// PseudoLang is a language that nobody speaks. It counts like English and is written from right
// to left.
const PseudoLang = "en-XA"

// Pseudo returns the file of a host in which every sentence is its own key and what is filled
// in, in brackets: ⟦.SignIn.Heading ⟧. It is made of English files by their sections, "" for
// that of people.
func Pseudo(t *testing.T, files map[string]string) fs.FS {
	t.Helper()
	all := map[string]any{}
	for section, file := range files {
		bracketed := walk(readJSON(t, file), section, func(path string, s Sentence) any {
			made := Sentence{}
			for form := range s {
				made[form] = "⟦." + path + " " + strings.Join(s.Placeholders(), " ") + "⟧"
			}
			if _, only := made["other"]; only && len(made) == 1 {
				return made["other"]
			}
			return made
		}).(map[string]any)
		if section != "" {
			bracketed = map[string]any{section: bracketed}
		}
		for key, content := range bracketed {
			all[key] = content
		}
	}
	all["Language"] = map[string]string{"Name": "⟦Pseudo⟧", "Dir": "rtl"}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{PseudoLang + ".json": {Data: data}}
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
		if n.Type == html.TextNode && !isData(n.Parent) {
			collect(n.Data)
		}
	}
	for _, e := range Elements(doc) {
		for _, key := range []string{"aria-label", "alt", "title", "placeholder"} {
			collect(Attr(e, key))
		}
	}
	return found
}

// SaysOnlyTexts looks at pages in the pseudo language: what is left on one can only come from
// fixtures*_test.go, or be among what is known, or be written into a template, where no
// translator finds it. Pages whose names end in -hostile change on their way.
func SaysOnlyTexts(t *testing.T, pages []Page, known ...string) {
	source := []byte(strings.Join(known, "\n"))
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
	for _, p := range pages {
		if strings.HasSuffix(p.Name, "-hostile") {
			continue
		}
		for _, s := range outside(Parse(t, p.Component)) {
			if utf8.RuneCountInString(s) > 1 && !bytes.Contains(source, []byte(s)) {
				t.Errorf("%s says %q", p.Name, s)
			}
		}
	}
}

// SaysAllTexts looks for every sentence of text/en.json in what is said in the pseudo language:
// one that no screen shows is one that translators work on for nothing, or a state that no
// fixture has.
func SaysAllTexts(t *testing.T, section, said string) {
	for path := range Sentences(readJSON(t, "text/en.json")) {
		key := strings.TrimPrefix(section+"."+path, ".")
		if !strings.HasPrefix(key, "Language.") && !strings.Contains(said, "⟦."+key+" ") {
			t.Errorf("%s is never said", key)
		}
	}
}

// Said returns what pages say, for SaysAllTexts.
func Said(t *testing.T, pages []Page) string {
	var said bytes.Buffer
	for _, p := range pages {
		said.Write(Render(t, p.Component))
	}
	return said.String()
}

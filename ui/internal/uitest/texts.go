package uitest

import (
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// Text is what a file of texts says in a language.
type Text struct {
	Lang    string
	Content any
}

// Texts returns the files of the folder text of the package that is tested.
func Texts(t *testing.T) []Text {
	t.Helper()
	names, err := filepath.Glob("text/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files of texts: %v", len(names), err)
	}
	texts := make([]Text, len(names))
	for i, name := range names {
		texts[i] = Text{strings.TrimSuffix(filepath.Base(name), ".json"), readJSON(t, name)}
	}
	return texts
}

func readJSON(t *testing.T, name string) (content any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &content); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return content
}

// Overlay returns a file of a host that says a text in a section; "" is for that of people.
func Overlay(t *testing.T, section string, text Text) fs.FS {
	t.Helper()
	content := text.Content
	if section != "" {
		content = map[string]any{section: content}
	}
	data, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{text.Lang + ".json": {Data: data}}
}

// Languages says what is wrong with the file of each language, and what it lacks. Wrong is what
// the package says of a host with the same words, missing what it says of its own.
func Languages(t *testing.T, section string, wrong func(overlay fs.FS) error, missing func(lang string) []string) {
	texts := Texts(t)
	english := Sentences(texts[slices.IndexFunc(texts, func(text Text) bool { return text.Lang == "en" })].Content)
	for _, text := range texts {
		t.Run(text.Lang, func(t *testing.T) {
			if err := wrong(Overlay(t, section, text)); err != nil {
				t.Error(err)
			}
			if lacks := missing(text.Lang); len(lacks) > 0 {
				t.Errorf("%s lacks:\n%s", text.Lang, strings.Join(lacks, "\n"))
			}
			own := Sentences(text.Content)
			if diff := cmp.Diff(slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(own))); diff != "" {
				t.Errorf("%s has other sentences than English (-English +%s):\n%s", text.Lang, text.Lang, diff)
			}
			for key, s := range own {
				s.check(t, key, english[key])
			}
		})
	}
}

// check compares the forms of a sentence with English.
func (s Sentence) check(t *testing.T, key string, english Sentence) {
	for form, said := range s {
		if said != strings.TrimSpace(said) || strings.Contains(said, "'") {
			t.Errorf("%s is %q: no space around it, and a typographic apostrophe", key, said)
		}
		want, got := english.Placeholders(), Sentence{form: said}.Placeholders()
		if form != "other" { // "one day" need not say 1
			want, got = without(want, "{n}"), without(got, "{n}")
		}
		if !slices.Equal(want, got) {
			t.Errorf("%s fills in %q, English %q", key, got, want)
		}
	}
}

func without(list []string, s string) []string {
	return slices.DeleteFunc(list, func(one string) bool { return one == s })
}

// Packed compares the packed texts with the files that they are made of: after a change of
// one, go generate packs it.
func Packed(t *testing.T) {
	texts := Texts(t)
	for _, text := range texts {
		file, err := os.Open("packed/" + text.Lang + ".json.gz")
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		var content any
		if err := json.NewDecoder(unpacked).Decode(&content); err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
		if diff := cmp.Diff(text.Content, content); diff != "" {
			t.Errorf("%s (-written +packed):\n%s", text.Lang, diff)
		}
	}
	if names, err := filepath.Glob("packed/*.json.gz"); err != nil || len(names) != len(texts) {
		t.Errorf("%d files, error %v: %q", len(texts), err, names)
	}
}

// Sentence is one in the forms that its language counts in, "other" for one that counts
// nothing.
type Sentence map[string]string

// Placeholders returns what is filled in, each once.
func (s Sentence) Placeholders() []string {
	var all []string
	for _, form := range s {
		for rest := form; ; {
			_, after, found := strings.Cut(rest, "{")
			if !found {
				break
			}
			name, behind, _ := strings.Cut(after, "}")
			all, rest = append(all, "{"+name+"}"), behind
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var pluralForms = []string{"zero", "one", "two", "few", "many", "other"}

// Sentences returns those of a file of texts, by their keys.
func Sentences(content any) map[string]Sentence {
	all := map[string]Sentence{}
	walk(content, "", func(path string, s Sentence) any {
		all[path] = s
		return nil
	})
	return all
}

// walk calls f with each sentence of a file of texts, and returns the file with what f returns
// in their place.
func walk(content any, path string, f func(path string, s Sentence) any) any {
	at := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	switch v := content.(type) {
	case string:
		return f(path, Sentence{"other": v})
	case []any:
		made := make([]any, len(v))
		for i, element := range v {
			made[i] = walk(element, at(strconv.Itoa(i)), f)
		}
		return made
	case map[string]any:
		if s, ok := counted(v); ok {
			return f(path, s)
		}
		made := map[string]any{}
		for name, element := range v {
			made[name] = walk(element, at(name), f)
		}
		return made
	default:
		return content
	}
}

// counted returns a sentence in several forms, which is an object of them.
func counted(members map[string]any) (Sentence, bool) {
	s := Sentence{}
	for name, member := range members {
		form, ok := member.(string)
		if !ok || !slices.Contains(pluralForms, name) {
			return nil, false
		}
		s[name] = form
	}
	return s, s["other"] != ""
}

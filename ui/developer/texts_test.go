package developer

import (
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/bonafide-id/bonafide/ui"
)

func overlaid(t *testing.T, files map[string]string) *ui.LocaleSet {
	t.Helper()
	folder := fstest.MapFS{}
	for name, content := range files {
		folder[name] = &fstest.MapFile{Data: []byte(content)}
	}
	s, err := ui.NewLocaleSet(folder)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestHostSaysItInItsOwnWords(t *testing.T) {
	s := overlaid(t, map[string]string{
		"de.json":    `{"Developer": {"Home": {"Heading": "Werkbank"}}}`,
		"nl.json":    `{"Language": {"Name": "Nederlands", "Dir": "ltr"}, "Developer": {"Home": {"Heading": "Werkbank in het Nederlands"}}}`,
		"de-AT.json": `{"Language": {"Name": "Deutsch (Österreich)", "Dir": "ltr"}}`,
	})
	if err := files.Check(s); err != nil {
		t.Fatal(err)
	}
	for lang, want := range map[string]string{"de": "Werkbank", "de-AT": "Werkbank", "nl": "Werkbank in het Nederlands", "fr": ui.MatchLocale("fr", "").Plain(textOf(ui.MatchLocale("fr", "")).Home.Heading)} {
		l := s.Match(lang, "")
		if got := l.Plain(textOf(l).Home.Heading); l.Lang != lang || got != want {
			t.Errorf("%s says %q, want %q", l.Lang, got, want)
		}
	}
	if l := ui.MatchLocale("de", ""); l.Plain(textOf(l).Home.Heading) == "Werkbank" {
		t.Error("the words of one host are those of others")
	}
	missing := files.Missing(s.Match("nl", ""))
	if slices.Contains(missing, "Developer.Home.Heading") || !slices.Contains(missing, "Developer.Home.Text") {
		t.Errorf("nl lacks %q", missing)
	}
	if missing := files.Missing(s.Match("de-AT", "")); len(missing) > 0 {
		t.Errorf("de-AT stands on German, and lacks %q", missing)
	}
}

// What a host says to developers is no error in a program without them, and one in others.
func TestTextsOfAHostAreChecked(t *testing.T) {
	for content, want := range map[string]string{
		`{"Developer": {"Home": {"Headin": "x"}}}`:           "de.json: Developer.Home.Headin: is not a key of en.json",
		`{"Developer": {"Home": {"Heading": "x {client}"}}}`: "de.json: Developer.Home.Heading: has {client}, which is not filled in; what is: []",
		`{"Developer": []}`:                                  "de.json: Developer: is an object",
	} {
		if err := files.Check(overlaid(t, map[string]string{"de.json": content})); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", content, err, want)
		}
	}
	if _, err := ui.NewLocaleSet(fstest.MapFS{"de.json": {Data: []byte(`{"Developers": {}}`)}}); err == nil {
		t.Error("a section that no package has is no error")
	}
}

// Requests in parallel, and providers of one process, read a language once.
func TestLanguagesAreReadOnce(t *testing.T) {
	l := overlaid(t, map[string]string{"de.json": `{"Developer": {"Home": {"Heading": "Werkbank"}}}`}).Match("de", "")
	read := make([]*text, 8)
	var wg sync.WaitGroup
	for i := range read {
		wg.Go(func() { read[i] = textOf(l) })
	}
	wg.Wait()
	for _, t2 := range read {
		if t2 != read[0] {
			t.Fatal("German is read twice")
		}
	}
	other := overlaid(t, map[string]string{"fr.json": `{"Developer": {"Home": {"Heading": "Atelier"}}}`})
	if textOf(other.Match("es", "")) != textOf(ui.MatchLocale("es", "")) {
		t.Error("a set with words of a host in French has read Spanish again")
	}
}

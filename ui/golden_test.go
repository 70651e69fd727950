package ui

import (
	"os"
	"testing"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

// pages are the fixtures in languages.
func pages(locales ...*Locale) []uitest.Page {
	var all []uitest.Page
	for _, l := range locales {
		for _, f := range fixtures {
			all = append(all, uitest.Page{Name: f.name, Lang: l.Lang, Dir: l.Dir, Component: f.render(samplePage(l))})
		}
	}
	return all
}

// ok ends the test where there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestScreensMatchGoldenFiles(t *testing.T) { uitest.Golden(t, pages(MatchLocale("en", ""))) }

func TestScreensAreWholeInEveryLanguage(t *testing.T) { uitest.Markup(t, pages(Locales()...)) }

func TestGallery(t *testing.T) {
	files := map[string][]byte{}
	for _, a := range Assets() {
		files["assets/"+a.Name] = a.Bytes
	}
	for _, name := range []string{"client.svg", "brand.svg"} {
		data, err := os.ReadFile("testdata/sample/" + name)
		ok(t, err)
		files["sample/"+name] = data
	}
	for _, name := range samplePage(nil).Theme.Stylesheets("#ffd400") {
		brand, _ := samplePage(nil).Theme.Asset(name)
		files["assets/"+name] = brand.Bytes
	}
	for _, color := range []string{"#000000", "#14171c", "#ffffff", "#fafafa"} { // all but the screen's own
		for _, name := range samplePage(nil).Theme.Stylesheets(color) {
			brand, _ := samplePage(nil).Theme.Asset(name)
			files["sample/brand-"+color[1:]+".css"] = brand.Bytes // the last is that of the button
		}
	}
	uitest.Gallery(t, "", "consent", pages(Locales()...), files)
}

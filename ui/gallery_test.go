package ui

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var (
	galleryDir = flag.String("gallery", "", "write the screens to this folder, for a browser to look at")
	galleryAll = flag.Bool("gallery-all", false, "write every screen in every language")
)

// galleryWhole are the languages in which a browser looks at every screen: the one that is
// written first, one with long words and one from right to left. What may break in another
// is the length of a line, which galleryPart shows.
var (
	galleryWhole = []string{"en", "de", "ar"}
	galleryPart  = []string{"consent"}
)

// TestGallery writes the fixtures as LANG/NAME.html, each with what it loads
// beside it, and pages.txt with the names of all of them.
func TestGallery(t *testing.T) {
	if *galleryDir == "" {
		t.Skip("no -gallery folder given")
	}
	write := func(data []byte, elem ...string) {
		t.Helper()
		name := filepath.Join(append([]string{*galleryDir}, elem...)...)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var pages bytes.Buffer
	for _, l := range Locales() {
		for _, f := range fixtures {
			if !*galleryAll && !slices.Contains(galleryWhole, l.Lang) && !slices.Contains(galleryPart, f.name) {
				continue
			}
			write(render(t, f.render(samplePage(l))), l.Lang, f.name+".html")
			fmt.Fprintf(&pages, "%s/%s.html\n", l.Lang, f.name)
		}
		for _, a := range Assets() {
			write(a.Bytes, l.Lang, "assets", a.Name)
		}
		write([]byte(sampleClientLogo), l.Lang, "sample", "client.svg")
		write([]byte(sampleBrandLogo), l.Lang, "sample", "brand.svg")
		for _, name := range samplePage(nil).Theme.Stylesheets("#ffd400") {
			brand, _ := samplePage(nil).Theme.Asset(name)
			write(brand.Bytes, l.Lang, "assets", name)
		}
		for _, color := range []string{"#000000", "#14171c", "#ffffff", "#fafafa"} { // all but the screen's own
			for _, name := range samplePage(nil).Theme.Stylesheets(color) {
				brand, _ := samplePage(nil).Theme.Asset(name)
				write(brand.Bytes, l.Lang, "sample", "brand-"+color[1:]+".css") // the last is that of the button
			}
		}
	}
	write(pages.Bytes(), "pages.txt")
}

const (
	sampleClientLogo = `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48" viewBox="0 0 48 48"><rect width="48" height="48" rx="12" fill="#0d7a6b"/><g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"><circle cx="14" cy="30" r="6.5"/><circle cx="34" cy="30" r="6.5"/><path d="M14 30l6-13h9l5 13M17 23h14"/></g></svg>`
	sampleBrandLogo  = `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48" viewBox="0 0 48 48"><rect width="48" height="48" rx="12" fill="#4338ca"/><path d="M24 9l12 4.5v8.5c0 8-5 13.5-12 16.5-7-3-12-8.5-12-16.5v-8.5z" fill="none" stroke="#fff" stroke-width="3" stroke-linejoin="round"/><path d="M18.5 24l4 4 7-8" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`
)

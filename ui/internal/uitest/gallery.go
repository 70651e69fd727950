package uitest

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
// is the length of a line, which the page that Gallery is told shows.
var galleryWhole = []string{"en", "de", "ar"}

// Gallery writes pages as LANG/PREFIXNAME.html, each with what it loads beside it, and
// pages/PREFIX.txt with the names of all of them. In other languages than the three that
// are looked at it writes only the page that stands for all. The files are by their paths
// beside a page.
func Gallery(t *testing.T, prefix, one string, pages []Page, files map[string][]byte) {
	if *galleryDir == "" {
		t.Skip("no -gallery folder given")
	}
	write := func(data []byte, elem ...string) {
		t.Helper()
		name := filepath.Join(append([]string{*galleryDir}, elem...)...)
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var names bytes.Buffer
	langs := map[string]bool{}
	for _, p := range pages {
		if !*galleryAll && !slices.Contains(galleryWhole, p.Lang) && p.Name != one {
			continue
		}
		write(Render(t, p.Component), p.Lang, prefix+p.Name+".html")
		fmt.Fprintf(&names, "%s/%s%s.html\n", p.Lang, prefix, p.Name)
		if !langs[p.Lang] {
			for path, data := range files {
				write(data, p.Lang, filepath.FromSlash(path))
			}
			langs[p.Lang] = true
		}
	}
	write(names.Bytes(), "pages", prefix+"pages.txt")
}

package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	// section is a heading of the second level, entry a link to a heading of the same page.
	section = regexp.MustCompile(`(?m)^## +(.+?)\s*$`)
	entry   = regexp.MustCompile(`\]\(#([^()\s]+)\)`)

	linkText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// longPage is the number of sections from which a page has a list of contents at its head.
const longPage = 7

// TestContentsNameEverySection compares the contents at the head of a page with its
// headings, in their order. An entry may also lead to a heading below a section.
func TestContentsNameEverySection(t *testing.T) {
	t.Parallel()
	withContents := 0
	for page, text := range pages(t) {
		text = codeBlock.ReplaceAllString(text, "")
		first := section.FindStringIndex(text)
		if first == nil {
			continue
		}
		var named []string
		for _, found := range entry.FindAllStringSubmatch(text[:first[0]], -1) {
			named = append(named, found[1])
		}
		sections := section.FindAllString(text, -1)
		if len(named) == 0 {
			if path.Dir(page) != "docs/adr" && len(sections) >= longPage {
				t.Errorf("%s has %d sections and no contents", page, len(sections))
			}
			continue
		}
		withContents++
		for _, heading := range sections {
			at := slices.Index(named, anchorOf(heading))
			if at < 0 {
				t.Errorf("%s: the contents lack %q, or have it out of order", page, heading)
				continue
			}
			named = named[at+1:]
		}
	}
	if withContents == 0 {
		t.Error("no page has contents")
	}
}

// anchorOf returns the anchor of a heading, as GitHub makes it: words in lower case joined by
// hyphens.
func anchorOf(heading string) string {
	plain := strings.ReplaceAll(linkText.ReplaceAllString(strings.TrimLeft(heading, "# "), "$1"), "`", "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, plain)
}

// TestEveryRoomIsDescribed finds the rooms of the provider in CONTRIBUTING.md.
func TestEveryRoomIsDescribed(t *testing.T) {
	t.Parallel()
	const rooms = "provider/internal"
	manual := read(t, "CONTRIBUTING.md")
	entries, err := os.ReadDir(filepath.Join(root, rooms))
	ok(t, err)
	for _, e := range entries {
		if room := rooms + "/" + e.Name(); e.IsDir() && !strings.Contains(manual, "`"+room+"`") {
			t.Errorf("CONTRIBUTING.md does not describe %s", room)
		}
	}
}

// decided is a name and its file in the table of CONTRIBUTING.md.
var decided = regexp.MustCompile("`(\\w+)` in `([\\w/]+\\.go)`")

// TestDecisionsAreWhereTheTableSays finds each name of "Where it is decided" declared in its file.
func TestDecisionsAreWhereTheTableSays(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(read(t, "CONTRIBUTING.md"), "## Where it is decided")
	table, _, _ = strings.Cut(table, "\n## ")
	places := decided.FindAllStringSubmatch(table, -1)
	if len(places) < 12 {
		t.Fatalf("only %d names were found", len(places))
	}
	for _, place := range places {
		declared := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type )` + place[1] + `\b`)
		if !declared.MatchString(read(t, place[2])) {
			t.Errorf("CONTRIBUTING.md: %s does not declare %s", place[2], place[1])
		}
	}
}

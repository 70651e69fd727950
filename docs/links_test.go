package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	codeBlock = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$")
	codeSpan  = regexp.MustCompile("`[^`\n]+`")
	link      = regexp.MustCompile(`\]\(([^()\s]+)\)|(?:src|href)="([^"]+)"`)
	heading   = regexp.MustCompile(`(?m)^#{1,6} +(.+?)\s*$`)
	linkText  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	scheme    = regexp.MustCompile(`^[a-z]+:`)
	// pathLike is what a path of the repository looks like; * is a glob's.
	pathLike = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.*/-]*$`)
)

// TestLinksResolve follows every relative link of every page to its file and heading.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	followed := 0
	for page, text := range pages(t) {
		prose := codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(text, ""), "")
		for _, found := range link.FindAllStringSubmatch(prose, -1) {
			target := found[1] + found[2]
			if scheme.MatchString(target) {
				continue
			}
			followed++
			file, anchor, _ := strings.Cut(target, "#")
			if file = path.Join(path.Dir(page), file); target[0] == '#' {
				file = page
			}
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s: the link %q leads nowhere", page, target)
			} else if anchor != "" && !anchors(read(t, file))[anchor] {
				t.Errorf("%s: %s has no heading %q", page, file, anchor)
			}
		}
	}
	if followed == 0 {
		t.Error("no page has a relative link")
	}
}

// TestNamedPathsExist finds what pages name in code and is no longer there. A name is a
// path when it begins with a folder of the repository, save those that programs write.
func TestNamedPathsExist(t *testing.T) {
	t.Parallel()
	named := 0
	for page, text := range pages(t) {
		for _, span := range codeSpan.FindAllString(codeBlock.ReplaceAllString(text, ""), -1) {
			name := strings.TrimPrefix(strings.Trim(span, "`"), "./")
			first, _, deep := strings.Cut(name, "/")
			if !deep || !pathLike.MatchString(name) || first == "data" || first == ".cache" || !exists(t, first) {
				continue
			}
			named++
			if !exists(t, name) {
				t.Errorf("%s: there is no %s", page, name)
			}
		}
	}
	if named == 0 {
		t.Error("no page names a path")
	}
}

func exists(t *testing.T, pattern string) bool {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return len(found) > 0
}

// pages returns the text of every Markdown file of the repository by its path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := entry.Name(); {
		case entry.IsDir() && (name == "node_modules" || name == ".git" || name == ".cache"):
			return fs.SkipDir
		case entry.Type().IsRegular() && strings.HasSuffix(name, ".md"):
			relative, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			all[filepath.ToSlash(relative)] = read(t, relative)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// anchors returns what the headings of a page are reached by, as GitHub and Go's own
// package site make it: words in lower case joined by hyphens.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		plain := strings.ReplaceAll(linkText.ReplaceAllString(h[1], "$1"), "`", "")
		found[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			default:
				return -1
			}
		}, plain)] = true
	}
	return found
}

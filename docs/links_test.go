package docs_test

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	codeBlock = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$")
	codeSpan  = regexp.MustCompile("`[^`\n]+`")
	// pathLike is what a path of the repository looks like; * is a glob's.
	pathLike = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.*/-]*$`)
)

// ok ends the test where there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLinksResolve has the site built, which follows every link between pages to its file and
// heading; the rule is in .ci/tools/site.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	if len(pages(t)) == 0 { // read, so that a result from before they changed is not taken from the cache
		t.Fatal("there is no page")
	}
	build := exec.CommandContext(t.Context(), "go", "-C", filepath.Join(root, ".ci", "tools"), "run", "./site")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
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
	ok(t, err)
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
	ok(t, err)
	return all
}

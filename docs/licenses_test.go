package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

var (
	licensed = regexp.MustCompile(`(?m)^(\S+) (v\S+)$`)
	noHost   = regexp.MustCompile(`/internal(/|$)|test$|/widget/test/`)
)

// TestLicensesAreOfWhatHostsLink compares THIRD_PARTY_LICENSES.txt with what is linked, also by the service: a
// module of another version may be under another licence.
func TestLicensesAreOfWhatHostsLink(t *testing.T) {
	t.Parallel()
	said, _, _ := strings.Cut(read(t, "THIRD_PARTY_LICENSES.txt"), "\n===")
	versions := map[string]string{}
	for _, m := range licensed.FindAllStringSubmatch(said, -1) {
		versions[m[1]] = m[2]
	}
	linked := map[string]bool{}
	for _, program := range []struct {
		folder string
		args   []string
	}{
		{".", append(imported(t), "./examples/quickstart")},
		{".", []string{"-tags=unreplaced", "./provider/internal/lab/weight"}}, // with all that ory/x links
		{"storage/sqlitego", []string{"."}},
		{"provider/opensslsigner", []string{"."}},
	} {
		for _, module := range list(t, program.folder, append([]string{"-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}"}, program.args...)...) {
			name, version, found := strings.Cut(module, " ")
			if !found || linked[module] || strings.HasPrefix(name+"/", "github.com/bonafide-id/bonafide/") {
				continue
			}
			// Who links several of these gets the newest version that one of them requires.
			if linked[module] = true; semver.Compare(versions[name], version) < 0 {
				t.Errorf("%s is linked at %s, and the licence is that of %q: run make licenses", name, version, versions[name])
			}
		}
	}
	if len(linked) < 30 || len(versions) < 60 {
		t.Errorf("%d modules are linked, %d have a licence", len(linked), len(versions))
	}
}

// imported returns the packages that hosts can import.
func imported(t *testing.T) (packages []string) {
	t.Helper()
	for _, name := range list(t, ".", "./provider/...", "./storage/...", "./ui/...", "./widget") {
		if !noHost.MatchString(name) {
			packages = append(packages, name)
		}
	}
	return packages
}

// list returns the lines of go list.
func list(t *testing.T, folder string, args ...string) []string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	c.Dir, c.Stderr, c.Env = filepath.Join(root, folder), t.Output(), append(os.Environ(), "GOWORK=off")
	out, err := c.Output()
	ok(t, err)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// Command api compares the exported API that docs/stable.md promises with that of the last release:
//
//	go -C .ci/tools run ./api                   fails for what breaks a host and has no line in CHANGELOG.md
//	go -C .ci/tools run ./api -release v0.1.0   keeps the API of this tree, as that of a release
//
// What is kept lies in .ci/api, so that neither tags nor the network are needed. What breaks a host
// is for golang.org/x/exp/apidiff to say.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/exp/apidiff"
)

// A module has packages that hosts import.
type module struct {
	name     string // of its file
	folder   string
	patterns []string
}

// modules are those of which something is promised.
var modules = []module{
	{"bonafide", ".", []string{"./provider/...", "./storage/...", "./ui/theme"}},
	{"opensslsigner", "provider/opensslsigner", []string{"."}},
	{"sqlitego", "storage/sqlitego", []string{"."}},
}

func main() {
	root := flag.String("root", "../..", "folder of the repository")
	release := flag.String("release", "", "keep the API of this tree as that of a `version`")
	flag.Parse()
	do := func() error { return compare(*root) }
	if *release != "" {
		do = func() error { return keepAll(*root, *release) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
}

// base is where the API of the last release lies.
func (m module) base(root string) string {
	return filepath.Join(root, ".ci", "api", m.name+".zip")
}

func keepAll(root, release string) error {
	for _, m := range modules {
		packages, err := load(filepath.Join(root, m.folder), m.patterns)
		if err != nil {
			return err
		}
		if err := keep(m.base(root), release, packages); err != nil {
			return err
		}
	}
	return nil
}

// compare fails when something breaks a host and the changelog does not say so.
func compare(root string) error {
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	said, unsaid := unreleased(string(changelog)), 0
	for _, m := range modules {
		release, before, err := kept(m.base(root))
		if err != nil {
			return err
		}
		now, err := load(filepath.Join(root, m.folder), m.patterns)
		if err != nil {
			return err
		}
		found := breaks(apidiff.ModuleChanges(before, now), before.Path)
		fmt.Printf("%s: %d packages, %d incompatible changes since %s\n", m.name, len(now.Packages), len(found), release)
		for _, b := range found {
			if !b.isIn(said) {
				fmt.Printf("  %s: %s\n    has no line with `%s` under Unreleased in CHANGELOG.md\n", b.name, b.change, b.name)
				unsaid++
			}
		}
	}
	if unsaid > 0 {
		return fmt.Errorf("%d incompatible changes are not in the changelog", unsaid)
	}
	return nil
}

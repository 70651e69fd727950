// Command licenses writes the licences of what a program links, with their texts, from the bill of
// materials of the program in CycloneDX; .ci/licenses calls it. A module without a licence is an error.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	host := flag.String("host", ".", "folder of the program's module")
	own := flag.String("own", "", "path of the module whose licences are not asked for")
	flag.Parse()
	if err := run(context.Background(), *host, *own, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

// A linked thing is a module, or the standard library.
type linked struct {
	name, version string
	licenses      []string // their identifiers of SPDX
	texts         []string
}

func run(ctx context.Context, host, own string, bill io.Reader, out io.Writer) error {
	all, err := read(bill, own)
	if err != nil {
		return err
	}
	folders, err := foldersOf(ctx, host)
	if err != nil {
		return err
	}
	for i := range all {
		l := &all[i]
		if l.texts, err = textsIn(folders[l.name]); err != nil {
			return err
		}
		if len(l.licenses) == 0 || len(l.texts) == 0 {
			return fmt.Errorf("%s has no licence that is known: %v, %d files", l.name, l.licenses, len(l.texts))
		}
	}
	likeGo(all)
	return write(out, all)
}

// likeGo corrects what is under the licence of Go, word for word, which the bill takes for another.
func likeGo(all []linked) {
	i := slices.IndexFunc(all, func(l linked) bool { return l.name == standardLibrary })
	for n := range all {
		if i >= 0 && all[n].texts[0] == all[i].texts[0] {
			all[n].licenses = all[i].licenses
		}
	}
}

// read returns the components of a bill but those of our own modules.
func read(bill io.Reader, own string) (all []linked, err error) {
	type license struct {
		License struct{ ID, Name string }
	}
	var parsed struct {
		Components []struct {
			Name, Version string
			Licenses      []license
			Evidence      struct{ Licenses []license }
		}
	}
	if err := json.NewDecoder(bill).Decode(&parsed); err != nil {
		return nil, err
	}
	for _, c := range parsed.Components {
		if c.Name == own || strings.HasPrefix(c.Name, own+"/") || filepath.IsAbs(c.Name) { // or replaced by one of ours
			continue
		}
		l := linked{name: c.Name, version: c.Version}
		for _, found := range append(c.Licenses, c.Evidence.Licenses...) {
			l.licenses = append(l.licenses, cmp.Or(found.License.ID, found.License.Name))
		}
		if l.name == standardLibrary { // of whoever builds; the bill has no licence of it
			l.version, l.licenses = "", []string{"BSD-3-Clause"}
		}
		slices.Sort(l.licenses)
		l.licenses = slices.Compact(l.licenses)
		all = append(all, l)
	}
	if len(all) == 0 {
		return nil, errors.New("the bill has no components")
	}
	slices.SortFunc(all, func(a, b linked) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

const standardLibrary = "std"

// foldersOf returns where the modules of a program lie.
func foldersOf(ctx context.Context, host string) (map[string]string, error) {
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}", "all")
	list.Dir, list.Stderr = host, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	folders := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		folders[name] = folder
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	folders[standardLibrary] = strings.TrimSpace(string(root))
	return folders, err
}

var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-.].*)?$`)

// textsIn returns the texts of the licences in a folder.
func textsIn(folder string) (texts []string, err error) {
	if folder == "" {
		return nil, nil
	}
	files, err := os.ReadDir(folder)
	for _, f := range files {
		if f.IsDir() || !licenseFile.MatchString(f.Name()) || strings.HasSuffix(f.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))))
	}
	return texts, err
}

// write writes who is under which licence, and each text once.
func write(out io.Writer, all []linked) error {
	var b strings.Builder
	b.WriteString("What a program links that uses all of Bonafide, or is its service, with the licences. A program links a part of it.\n" +
		"`make licenses` writes this file.\n\n")
	users := map[string][]string{}
	var texts []string
	for _, l := range all {
		fmt.Fprintf(&b, "%s\n    %s\n", strings.TrimSpace(l.name+" "+l.version), strings.Join(l.licenses, ", "))
		for _, text := range l.texts {
			if users[text] == nil {
				texts = append(texts, text)
			}
			users[text] = append(users[text], l.name)
		}
	}
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 78), strings.Join(users[text], "\n"), text)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

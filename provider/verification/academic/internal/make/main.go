// Command make writes the list of package academic from a checkout of JetBrains/swot: see
// `make academic`.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

func main() {
	from := flag.String("from", "", "folder of a checkout of JetBrains/swot")
	revision := flag.String("revision", "", "its revision and date, as: 51c45d94, 2026-10-26")
	to := flag.String("to", "institutions.txt", "file to write")
	flag.Parse()
	list, dropped, err := read(filepath.Join(*from, "lib", "domains"))
	if err == nil && *revision == "" {
		err = errors.New("-revision is missing")
	}
	if err == nil {
		err = os.WriteFile(*to, write(list, *revision), 0o644) //nolint:gosec // a part of the source
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "academic:", err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "%d domains; %d left out, because they are abused, stopped, no institution's or no domain\n", len(list), dropped)
}

// read returns the names of institutions by their domain, and an empty one for domains below
// them that do not count. The lists of swot's own that name whole suffixes are not read: that
// a suffix is academic does not make an institution of whatever is registered below it.
func read(folder string) (list map[string]string, dropped int, err error) {
	excluded := map[string]bool{}
	for _, file := range []string{"abused.txt", "stoplist.txt"} {
		lines, err := os.ReadFile(filepath.Join(folder, file)) //nolint:gosec // named on the command line
		if err != nil {
			return nil, 0, err
		}
		for line := range strings.Lines(string(lines)) {
			if domain, ok := domainOf(line); ok {
				excluded[domain] = true
			}
		}
	}
	list = map[string]string{}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Dir(path) == folder {
			return err
		}
		content, err := os.ReadFile(path) //nolint:gosec // below the folder
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(folder, strings.TrimSuffix(path, ".txt"))
		if err != nil {
			return err
		}
		labels := strings.Split(filepath.ToSlash(relative), "/")
		slices.Reverse(labels)
		domain, ok := domainOf(strings.Join(labels, "."))
		if name := nameOf(content); ok && name != "" && !isSuffix(domain) && !below(domain, excluded) {
			list[domain] = name
		} else {
			dropped++
		}
		return nil
	})
	for domain := range excluded {
		if _, above := list[parentIn(domain, list)]; above {
			list[domain] = ""
		}
	}
	return list, dropped, err
}

// domainOf returns a domain as it is in DNS.
func domainOf(line string) (string, bool) {
	domain, err := idna.Lookup.ToASCII(strings.TrimSpace(line))
	return domain, err == nil && strings.Contains(domain, ".") && !strings.HasPrefix(domain, ".") && !strings.ContainsAny(domain, "\t ")
}

// nameOf returns the first name of a file. Lines that begin with a dot are directives.
func nameOf(content []byte) string {
	for line := range bytes.Lines(content) {
		name := strings.Join(strings.FieldsFunc(string(line), func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError
		}), " ")
		if name != "" && !strings.HasPrefix(name, ".") && utf8.RuneCountInString(name) <= 200 {
			return name
		}
	}
	return ""
}

// isSuffix reports whether anybody can register a domain below this one.
func isSuffix(domain string) bool {
	suffix, _ := publicsuffix.PublicSuffix(domain)
	return suffix == domain
}

// below reports whether a domain is one of these, or below one.
func below(domain string, these map[string]bool) bool {
	for ok := true; ok; _, domain, ok = strings.Cut(domain, ".") {
		if these[domain] {
			return true
		}
	}
	return false
}

// parentIn returns the listed domain that a domain is below, or "".
func parentIn(domain string, list map[string]string) string {
	for {
		var ok bool
		if _, domain, ok = strings.Cut(domain, "."); !ok {
			return ""
		}
		if list[domain] != "" {
			return domain
		}
	}
}

// write returns the list as the package reads it: sorted lines of domain, tab and name.
func write(list map[string]string, revision string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# JetBrains/swot %s\n", revision)
	for _, domain := range slices.Sorted(maps.Keys(list)) {
		fmt.Fprintf(&b, "%s\t%s\n", domain, list[domain])
	}
	return b.Bytes()
}

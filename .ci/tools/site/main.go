// Command site builds the documents as static pages:
//
//	go -C .ci/tools run ./site -out ../../.cache/site
//
// Every Markdown file of the repository becomes a page, with the navigation of nav.go. It fails, and
// writes nothing, when a link between pages leads nowhere (links.go). The pages link each other by
// relative addresses, so that they can be read from a folder and served below any path. A script (search.js) finds headings; all else works without.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", "../..", "folder of the repository")
	out := flag.String("out", "", "folder to write to; without one the links are only checked")
	flag.Parse()
	if err := run(*root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// run builds the site of a repository.
func run(root, out string) error {
	r, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	s, err := readSite(r.FS())
	if err != nil {
		return err
	}
	files, err := s.build()
	if err != nil || out == "" {
		return err
	}
	if err := write(out, files); err != nil {
		return err
	}
	fmt.Printf("%d pages in %s\n", len(s.pages), out)
	return nil
}

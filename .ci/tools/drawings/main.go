// Command drawings writes the drawings of the documents from their text:
//
//	go -C .ci/tools run ./drawings ../../docs/pictures
//
// Each NAME.drawing.txt of the folder becomes NAME.svg beside it. The first line of the text
// says which kind of drawing it is, "sequence" or "layers", and the lines "title" and "desc" are
// what a screen reader says. A line that begins with # is a comment.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// suffix ends the name of a drawing's text.
const suffix = ".drawing.txt"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: drawings FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "drawings:", err)
		os.Exit(1)
	}
}

// run draws every text of a folder.
func run(folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	texts, err := fs.Glob(root.FS(), "*"+suffix)
	if err != nil {
		return err
	}
	if len(texts) == 0 {
		return fmt.Errorf("%s has no *%s", folder, suffix)
	}
	for _, file := range texts {
		text, err := root.ReadFile(file)
		if err != nil {
			return err
		}
		svg, err := draw(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := root.WriteFile(strings.TrimSuffix(file, suffix)+".svg", []byte(svg), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// draw returns the SVG of a text.
func draw(text string) (string, error) {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "", fmt.Errorf("the text is empty")
	}
	kind, lines := lines[0], lines[1:]
	about, lines := takeAbout(lines)
	if about.title == "" || about.desc == "" {
		return "", fmt.Errorf("title or desc is missing")
	}
	switch kind {
	case "sequence":
		return drawSequence(about, lines)
	case "layers":
		return drawLayers(about, lines)
	default:
		return "", fmt.Errorf("%q is no kind of drawing", kind)
	}
}

// about is what a screen reader says of a drawing.
type about struct{ title, desc string }

// takeAbout takes title and desc from the lines and returns the rest.
func takeAbout(lines []string) (about, []string) {
	var a about
	var rest []string
	for _, line := range lines {
		switch word, text, _ := strings.Cut(line, " "); word {
		case "title":
			a.title = text
		case "desc":
			a.desc = strings.TrimSpace(a.desc + " " + text)
		default:
			rest = append(rest, line)
		}
	}
	return a, rest
}

// Command pack writes the texts of an audience as its package embeds them: small, and a file
// for each language. It is run by go generate.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

func main() {
	if err := pack(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// pack writes the files of text into packed, where nothing else stays. It runs in the folder
// of a package. What the languages are called, which package ui alone says, stays readable
// without unpacking.
func pack() error {
	root, err := os.OpenRoot(".")
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	files, err := fs.Glob(root.FS(), "text/*.json")
	if err != nil {
		return err
	}
	languages, kept := map[string]json.RawMessage{}, map[string]bool{}
	for _, file := range files {
		data, err := root.ReadFile(file)
		if err != nil {
			return err
		}
		var text map[string]json.RawMessage
		if err := json.Unmarshal(data, &text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		lang := strings.TrimSuffix(path.Base(file), ".json")
		if described, ok := text["Language"]; ok {
			languages[lang] = described
		}
		name := path.Join("packed", lang+".json.gz")
		if err := write(root, name, text); err != nil {
			return err
		}
		kept[name] = true
	}
	if err := removeOthers(root, kept); err != nil || len(languages) == 0 {
		return err
	}
	list, err := json.MarshalIndent(languages, "", "  ")
	if err != nil {
		return err
	}
	return root.WriteFile("packed/languages.json", append(list, '\n'), 0o600)
}

// write writes a file, unless it says the same already: other versions of Go may press it
// into other bytes.
func write(root *os.Root, name string, content any) error {
	data, err := json.Marshal(content)
	if err != nil {
		return err
	}
	if former, err := read(root, name); err == nil && bytes.Equal(former, data) {
		return nil
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(name), 0o750); err != nil {
		return err
	}
	return root.WriteFile(name, b.Bytes(), 0o600)
}

func read(root *os.Root, name string) ([]byte, error) {
	packed, err := root.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err = b.ReadFrom(r)
	return b.Bytes(), err
}

// removeOthers removes what no language has any more.
func removeOthers(root *os.Root, kept map[string]bool) error {
	names, err := fs.Glob(root.FS(), "packed/*.json.gz")
	if err != nil {
		return err
	}
	for _, name := range names {
		if !kept[name] {
			if err := root.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

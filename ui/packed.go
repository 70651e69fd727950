package ui

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"sync"

	"golang.org/x/text/language"
)

// embedded has the sentences of this package, which go generate packs from text/*.json, and
// its assets; languages is what all of this module's are called, and how they are written.
var (
	//go:embed packed/*.json.gz assets
	embedded embed.FS
	//go:embed packed/languages.json
	languages []byte
)

// own are the files of this package.
var own = NewFiles[text]("", embedded)

// ownLanguages are the languages of this module: what they are called, and how written.
var ownLanguages = sync.OnceValue(func() map[string]languageText {
	all := map[string]languageText{}
	if err := json.Unmarshal(languages, &all); err != nil {
		panic(err) // a file of this package, which its tests read
	}
	return all
})

// ownFiles returns the files of this module.
func ownFiles() (files []textFile) {
	for lang := range ownLanguages() {
		files = append(files, textFile{name: lang + ".json", lang: lang, tag: language.Make(lang), own: true})
	}
	return files
}

// ownLocales are the languages of this module, those of all providers of a process.
var ownLocales = sync.OnceValue(func() map[string]*Locale {
	all := map[string]*Locale{}
	for _, f := range ownFiles() {
		said := f.language()
		all[f.lang] = &Locale{Lang: f.lang, Dir: said.Dir, Name: said.Name, tag: f.tag, files: []textFile{f}}
	}
	return all
})

// unpack returns what one of the files says.
func unpack(from embed.FS, file string) (content any) {
	if err := readPacked(from, file, &content); err != nil {
		panic(fmt.Errorf("ui: %s: %w", file, err)) // a file of this package, which its tests read
	}
	return content
}

func readPacked(from embed.FS, file string, into any) error {
	packed, err := from.ReadFile(file)
	if err != nil {
		return err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	return json.NewDecoder(r).Decode(into)
}

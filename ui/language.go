package ui

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// languageParameter chooses the language of a screen.
const languageParameter = "ui_locales"

// keptBy returns where the language switch leads, and the names and values of the parameters that
// the addresses of its languages have in common: a form has them once, and not in each language.
func keptBy(languages []Language) (action string, kept [][2]string) {
	action, query, _ := strings.Cut(languages[0].URL, "?")
	values, _ := url.ParseQuery(query) // of an address that the provider has made
	delete(values, languageParameter)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		kept = append(kept, [2]string{name, values.Get(name)})
	}
	return action, kept
}

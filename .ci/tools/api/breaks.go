package main

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
)

// A broken thing is something exported that hosts may use, and that is not as it was.
type broken struct {
	name   string // as in provider.Accounts.Save
	change string
}

// breaks returns what breaks hosts of a module.
func breaks(report apidiff.Report, module string) (all []broken) {
	for _, c := range report.Changes {
		if !c.Compatible {
			all = append(all, breakOf(c.Message, module))
		}
	}
	slices.SortFunc(all, func(a, b broken) int { return strings.Compare(a.name+a.change, b.name+b.change) })
	return all
}

// breakOf reads a message such as "./provider.(*Accounts).Save: removed", "./provider.Config.Store: changed
// from …", "./provider/event: removed" and, of the package at the root of a module, "Open: removed".
func breakOf(message, module string) broken {
	place, change, _ := strings.Cut(message, ": ")
	place, part, _ := strings.Cut(place, ", ") // such as the method set of a pointer
	if !strings.Contains(place, "/") {         // of the package at the root
		place = path.Base(module) + "." + place
	}
	place = path.Base(place)
	if part != "" {
		change = part + ": " + change
	}
	return broken{strings.NewReplacer("(*", "", ")", "").Replace(place), change}
}

// isIn reports whether a text has the name in code.
func (b broken) isIn(text string) bool { return strings.Contains(text, "`"+b.name+"`") }

var section = regexp.MustCompile(`(?m)^## .*$`)

// unreleased returns what a changelog says of the next release.
func unreleased(changelog string) string {
	headings := section.FindAllStringIndex(changelog, -1)
	for i, h := range headings {
		if changelog[h[0]:h[1]] != "## [Unreleased]" {
			continue
		}
		if i+1 < len(headings) {
			return changelog[h[1]:headings[i+1][0]]
		}
		return changelog[h[1]:]
	}
	return ""
}

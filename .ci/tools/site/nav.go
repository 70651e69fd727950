package main

import (
	"fmt"
	"path"
	"strings"
)

// section is a part of the navigation.
type section struct {
	name  string
	pages []string
}

// sections are the navigation, in the order of a reader. Those of the examples, of the benchmark
// and of single decisions are reached from others.
var sections = []section{
	{"Start", []string{"README.md", "examples/README.md"}},
	{"Tutorials", []string{"docs/tutorials/README.md", "docs/tutorials/nextjs.md", "docs/tutorials/django.md", "docs/tutorials/rails.md", "docs/tutorials/spring.md"}},
	{"Sign people in", []string{"docs/clients.md", "docs/testing.md", "docs/local.md", "docs/errors.md", "docs/resources.md", "widget/README.md"}},
	{"Be a provider", []string{"docs/embed.md", "docs/signin.md", "docs/verification.md", "docs/wallet.md", "docs/signals.md", "docs/dashboard.md", "docs/desk.md", "docs/rebrand.md", "docs/config.md", "docs/production.md", "docs/operate.md", "docs/stable.md"}},
	{"Project", []string{"SECURITY.md", "docs/adr/README.md", "CONTRIBUTING.md", "CHANGELOG.md"}},
}

// checkSections returns an error if a page of the navigation does not exist, or a manual is not in it.
func checkSections(pages map[string]*page) error {
	listed := map[string]bool{}
	for _, s := range sections {
		for _, name := range s.pages {
			if listed[name] = true; pages[name] == nil {
				return fmt.Errorf("nav.go: there is no %s", name)
			}
		}
	}
	for name := range pages {
		if dir := path.Dir(name); (dir == "docs" || dir == "docs/tutorials") && !listed[name] {
			return fmt.Errorf("nav.go: %s is in no section", name)
		}
	}
	return nil
}

// address returns where a page is in the site: README.md is the index of its folder.
func address(name string) string {
	if path.Base(name) == "README.md" {
		return path.Join(path.Dir(name), "index.html")
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}

// relative returns the way from one file of the site to another.
func relative(from, to string) string {
	up := path.Dir(from)
	ups := ""
	for up != "." && !strings.HasPrefix(to, up+"/") {
		up, ups = path.Dir(up), ups+"../"
	}
	if up != "." {
		to = strings.TrimPrefix(to, up+"/")
	}
	return ups + to
}

package academic

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/bonafide-id/bonafide/provider/verification"
)

func TestInstitution(t *testing.T) {
	t.Parallel()
	for domain, want := range map[string]verification.Institution{
		"stanford.edu":          {Name: "Stanford University", Domain: "stanford.edu"},
		"cs.stanford.edu":       {Name: "Stanford University", Domain: "stanford.edu"},
		"soft-eng.strath.ac.uk": {Name: "University of Strathclyde", Domain: "strath.ac.uk"},
		"ox.ac.uk":              {Name: "University of Oxford", Domain: "ox.ac.uk"},

		"":                       {},
		"edu":                    {},
		"ac.uk":                  {},
		"gmail.com":              {},
		"evilstanford.edu":       {},
		"stanford.edu.evil.com":  {},
		"stanford.education":     {},
		"evil.edu":               {},
		"stanford.edu.":          {},
		"alumni.stanford.edu":    {}, // listed by swot as one that does not count
		"cs.alumni.stanford.edu": {},
		"alum.mit.edu":           {},
		"nobody-is-here.edu.cn":  {}, // below a suffix that swot takes for academic
		"nobody-is-here.ac.jp":   {},
		"mdx.ac":                 {}, // abused
		"# JetBrains/swot":       {},
	} {
		got, ok := Institution(domain)
		if !ok {
			got = verification.Institution{}
		}
		if ok != (want.Name != "") || got.Name != want.Name || got.Domain != want.Domain {
			t.Errorf("%q: %+v, %t", domain, got, ok)
		}
	}
}

// TestList tests that every line can be found, and that none makes members of strangers.
func TestList(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSuffix(institutions, "\n"), "\n")[1:]
	if len(lines) < 25_000 {
		t.Errorf("the list has %d lines", len(lines))
	}
	last := ""
	for _, line := range lines {
		domain, name, ok := strings.Cut(line, "\t")
		if !ok || domain <= last {
			t.Fatalf("%q does not follow %q", line, last)
		}
		last = domain
		if found, ok := find(domain); !ok || found != name {
			t.Errorf("%s is not found: %q", domain, found)
		}
		ascii, err := idna.Lookup.ToASCII(domain)
		suffix, _ := publicsuffix.PublicSuffix(domain)
		switch {
		case err != nil || ascii != domain:
			t.Errorf("%s is not as in DNS", domain)
		case suffix == domain || !strings.Contains(domain, "."):
			t.Errorf("below %s anybody can be", domain)
		case !utf8.ValidString(name) || utf8.RuneCountInString(name) > 200 || strings.ContainsAny(name, "\t\r"):
			t.Errorf("%s has the name %q", domain, name)
		}
		if _, ok := Institution(domain); ok != (name != "") {
			t.Errorf("%s: %t", domain, ok)
		}
	}
	if !strings.Contains(Revision(), ", 20") {
		t.Errorf("of revision %q", Revision())
	}
}

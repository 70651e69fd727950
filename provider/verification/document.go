package verification

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// DocumentConfig configures Document. Require is required.
type DocumentConfig struct {
	// Name is that of the Verifier.
	// Defaults to document.
	Name string

	// Title and Asks are those of the Verifier.
	// Default to texts of the screens.
	Title, Asks Text

	// Require are the files that people send, such as both sides of a card: 1 to 6.
	Require []Requirement

	// Level is that of the Proof.
	// Defaults to 2.
	Level int
}

// maxRequirements is how many files a verifier asks for.
const maxRequirements = 6

// Document has people send pictures of a document, on which a reviewer decides: no document
// is ever approved without a person. It takes PNG, JPEG and WebP of at most 8 MiB and 25
// megapixels, and draws them anew, so that nothing but pixels is left: no place where the
// picture was taken, and no second file within the first. Its policy needs Config.Blobs.
func Document(cfg DocumentConfig) Verifier {
	return Verifier{
		Name:  cmp.Or(cfg.Name, "document"),
		Title: orText(cfg.Title, "With a picture of a document"),
		Asks:  orText(cfg.Asks, "You need a document that shows your name and that you are a member"),
		Takes: 48 * time.Hour,
		Proof: Proof{EvidenceType: "document", CheckMethod: "vri", Level: cmp.Or(cfg.Level, 2)},
		Next:  nextOfDocument, Upload: cfg.Require, ComparesName: true, CanReview: true, check: cfg.check,
	}
}

func nextOfDocument(_ context.Context, _ *Case, e Event) (Result, error) {
	switch e.Kind {
	case Begun:
		return Upload{}, nil
	case Uploaded:
		return Review{Facts: factsOf(e.Evidence)}, nil
	default:
		return nil, fmt.Errorf("a document gets no event of kind %q", e.Kind)
	}
}

// factsOf are the facts about all files, each once.
func factsOf(files []Evidence) (facts []Text) {
	known := map[string]bool{}
	for _, file := range files {
		for _, fact := range file.Facts {
			if !known[fact.English] {
				known[fact.English] = true
				facts = append(facts, fact)
			}
		}
	}
	return facts
}

func (cfg DocumentConfig) check(field string) error {
	if n := len(cfg.Require); n == 0 || n > maxRequirements {
		return wrongField(field+".Require", "has %d requirements, which is not from 1 to %d", n, maxRequirements)
	}
	for i, r := range cfg.Require {
		at := fmt.Sprintf("%s.Require[%d]", field, i)
		switch {
		case r.Title.English == "":
			return wrongField(at+".Title", "is missing")
		case len(r.Must) > 9:
			return wrongField(at+".Must", "has more than 9 entries")
		case !isExample(r.Example):
			return wrongField(at+".Example", "%q is no path of the host", r.Example)
		}
		for j, must := range r.Must {
			if must.English == "" {
				return wrongField(fmt.Sprintf("%s.Must[%d]", at, j), "is missing")
			}
		}
	}
	return nil
}

// isExample reports whether an address is a path, as the policy of pages requires.
func isExample(address string) bool {
	u, err := url.Parse(address)
	return address == "" || err == nil && u.Scheme == "" && u.Host == "" && strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//")
}

package verification

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/room"
)

// person is what is known of a user.
type person struct {
	revision int64
	name     Name
	statuses []provider.Status
	locked   bool // the account is disabled
}

// person reads a user. The name is never older than the revision: a user who changes it
// after a check changes the revision, too.
func (s *core) person(ctx context.Context, userID string) (person, error) {
	people := s.Provider.Rooms().People
	data, err := people.GetParts(ctx, userID, room.PersonValues)
	if err != nil {
		return person{}, err
	}
	p := person{revision: data.Revision, statuses: data.Statuses, locked: data.Account != nil && data.Account.Disabled}
	people.Refresh(userID)
	view, err := people.View(ctx, userID)
	if err != nil {
		return person{}, err
	}
	p.name.Given, p.name.Family = splitName(view.Name)
	return p, nil
}

// splitName splits a name at its last space: a comparison of names takes no notice of where
// that is.
func splitName(name string) (given, family string) {
	if i := strings.LastIndexByte(name, ' '); i >= 0 {
		return name[:i], name[i+1:]
	}
	return name, ""
}

// status returns the status in a group; the zero Status if there is none.
func (p person) status(group string) provider.Status {
	i := slices.IndexFunc(p.statuses, func(s provider.Status) bool { return s.Group == group })
	if i < 0 {
		return provider.Status{}
	}
	return p.statuses[i]
}

// differs reports whether the name on a proof is another one than that of the account. One
// that is missing differs from none. A proof may have fewer given names than the account, or
// more, and spell them without accents.
func (n Name) differs(proved Name) bool {
	account, given, family := words(n.Given, n.Family), words(proved.Given), words(proved.Family)
	if len(account) == 0 || len(given)+len(family) == 0 {
		return false
	}
	missing := func(word string) bool { return !slices.Contains(account, word) }
	if slices.ContainsFunc(family, missing) {
		return true
	}
	return len(given) > 0 && !slices.ContainsFunc(given, func(word string) bool { return !missing(word) })
}

// words are the words of names, in one spelling.
func words(names ...string) []string {
	folded := cases.Fold().String(norm.NFKD.String(strings.Join(names, " ")))
	folded = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		default:
			return ' '
		}
	}, folded)
	return strings.Fields(folded)
}

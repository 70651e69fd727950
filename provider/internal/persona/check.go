package persona

import (
	"fmt"
	"net/mail"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
)

// The bounds of a set.
const (
	maxPersonas   = 64
	maxTitle      = 100
	maxAttributes = 64
	maxStatuses   = 64
	maxMethods    = 16
	maxMethod     = 64
	maxExpiry     = 100 * 365 * 24 * 60 * 60 // seconds
)

var (
	realmForm = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)
	nameForm  = regexp.MustCompile(`^[a-z0-9-]+$`)
)

// Check returns a *field.Error for the first invalid field of a set.
func Check(set sandbox.PersonaSet) error {
	if len(set.Realm) > 63 || !realmForm.MatchString(set.Realm) {
		return field.Errorf("Realm", "must be at most 63 letters, digits, or -_")
	}
	if len(set.Personas) > maxPersonas {
		return field.Errorf("Personas", "are more than %d", maxPersonas)
	}
	names := map[string]bool{}
	for i, p := range set.Personas {
		wrong := check(set.Realm, p)
		if wrong == nil && names[p.Name] {
			wrong = field.Errorf("Name", "%q is that of another", p.Name)
		}
		if wrong != nil {
			wrong.Field = fmt.Sprintf("Personas[%d].%s", i, wrong.Field)
			return wrong
		}
		names[p.Name] = true
	}
	return nil
}

func check(realm string, p sandbox.Persona) *field.Error {
	switch {
	case len(p.Name) > 40, !nameForm.MatchString(p.Name):
		return field.Errorf("Name", "must be 1 to 40 of a to z, 0 to 9, and -")
	case utf8.RuneCountInString(p.Title) > maxTitle || !utf8.ValidString(p.Title):
		return field.Errorf("Title", "must be at most %d characters of text", maxTitle)
	case !isAddress(emailOf(realm, p)):
		return field.Errorf("Email", "is not an e-mail address")
	case len(p.Attributes) > maxAttributes:
		return field.Errorf("Attributes", "are more than %d", maxAttributes)
	case !slices.Contains([]sandbox.Consent{"", sandbox.Allow, sandbox.Deny, sandbox.Ask}, p.Consent):
		return field.Errorf("Consent", "%q is not allow, deny or ask", p.Consent)
	case p.Assurance > storage.PhishingResistant:
		return field.Errorf("Assurance", "%d is no level", p.Assurance)
	case len(p.AMR) > maxMethods:
		return field.Errorf("AMR", "has more than %d methods", maxMethods)
	}
	for i, method := range p.AMR {
		if method == "" || len(method) > maxMethod || !registry.IsPrintableASCII(method) {
			return field.Errorf(fmt.Sprintf("AMR[%d]", i), "must be 1 to %d printable ASCII characters, without spaces", maxMethod)
		}
	}
	if wrong := checkStatuses("Statuses", p.Statuses); wrong != nil || p.Next == nil {
		return wrong
	}
	return checkStatuses("Next.Statuses", p.Next.Statuses)
}

func checkStatuses(path string, statuses []sandbox.Status) *field.Error {
	if len(statuses) > maxStatuses {
		return field.Errorf(path, "are more than %d", maxStatuses)
	}
	groups := map[string]bool{}
	for i, s := range statuses {
		switch {
		case s.Group == "" || groups[s.Group]:
			return field.Errorf(fmt.Sprintf("%s[%d].Group", path, i), "%q is empty or repeated", s.Group)
		case s.Pending && s.Verified:
			return field.Errorf(fmt.Sprintf("%s[%d].Pending", path, i), "and verified exclude each other")
		case s.ExpiresIn > maxExpiry || s.ExpiresIn < -maxExpiry:
			return field.Errorf(fmt.Sprintf("%s[%d].ExpiresIn", path, i), "is more than 100 years")
		}
		groups[s.Group] = true
	}
	return nil
}

func isAddress(s string) bool {
	parsed, err := mail.ParseAddress(s)
	return err == nil && parsed.Address == s && parsed.Name == "" && len(s) <= 254
}

// CheckFit is Check, and also refuses a field that the catalogue does not have.
func CheckFit(catalogue *claims.Catalogue, set sandbox.PersonaSet) error {
	if err := Check(set); err != nil {
		return err
	}
	for i, p := range set.Personas {
		for _, handle := range sortedHandles(p.Attributes) {
			fact, err := encode(catalogue, handle, p.Attributes[handle])
			if _, twice := p.Attributes[fact]; err == nil && twice && fact != handle {
				err = fmt.Errorf("is another name of %q, which is there as well", fact)
			}
			if err != nil {
				return &field.Error{Field: fmt.Sprintf("Personas[%d].Attributes[%s]", i, handle), Err: err}
			}
		}
		all := p.Statuses
		if p.Next != nil {
			all = slices.Concat(all, p.Next.Statuses)
		}
		for _, s := range all {
			group, ok := catalogue.Group(s.Group)
			if !ok {
				return field.Errorf(fmt.Sprintf("Personas[%d].Statuses", i), "%q is not a group of the catalogue", s.Group)
			}
			for _, subgroup := range s.Subgroups {
				if !slices.Contains(group.Subgroups, subgroup) {
					return field.Errorf(fmt.Sprintf("Personas[%d].Statuses", i), "group %q has no subgroup %q", s.Group, subgroup)
				}
			}
		}
	}
	return nil
}

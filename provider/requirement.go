package provider

import (
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Requirement is a condition on the authentication of a user: of a scope (Scope.Requires)
// or of an application (Client.Requires). All that apply must be met, and so must those of
// the request, by any factors that suffice. In JSON its times are text such as "15m".
type Requirement = storage.Requirement

// maxRequired is the longest time of a requirement.
const maxRequired = 10 * 365 * 24 * time.Hour

// checkRequirement returns an error for an invalid requirement in a field.
func checkRequirement(field string, r Requirement) error {
	switch {
	case r.Assurance > PhishingResistant:
		return wrongField(field+".Assurance", "%d is no level", r.Assurance)
	case r.MaxAge < 0 || r.MaxAge > maxRequired:
		return wrongField(field+".MaxAge", "%v is not from 0 to %v", r.MaxAge, maxRequired)
	case r.MaxAge%time.Second != 0:
		return wrongField(field+".MaxAge", "%v is not in whole seconds", r.MaxAge)
	case r.Enrolled < 0 || r.Enrolled > maxRequired:
		return wrongField(field+".Enrolled", "%v is not from 0 to %v", r.Enrolled, maxRequired)
	}
	return nil
}

package developer

import (
	"errors"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// profiles are those to choose from. One that is registered is among them, so that saving
// another field does not end it.
func (d *forms) profiles(r *request, now provider.Client) []string {
	if now.Dialect != provider.Standard || now.Public {
		return nil
	}
	offered := d.provider(r.env).Rooms().Installation().Profiles
	if now.Profile != "" && !slices.Contains(offered, now.Profile) {
		offered = append(offered, now.Profile)
	}
	return offered
}

// profile reads the profile; a page without the choice changes nothing.
func (p *posting) profile() {
	switch chosen := p.r.posted(screens.FieldProfile); {
	case chosen == screens.NoProfile:
		p.Profile = ""
	case slices.Contains(p.d.profiles(p.r, p.before), chosen):
		p.Profile = chosen
	}
}

// pin gives the registration what its profile demands, and refuses what says otherwise. That is
// also a field that was as demanded and has been changed, such as a switch that is now off.
func (p *posting) pin() {
	pinned, err := p.d.provider(p.r.env).Rooms().Clients.Pinned(p.Client)
	if err != nil {
		p.wrong(profileProblems(p.r, err)...)
		return
	}
	was, is := registeredFields(p.before), registeredFields(p.Client)
	var changed []ui.Problem
	for i, must := range registeredFields(pinned) {
		if !must.equals(is[i]) && must.equals(was[i]) {
			changed = append(changed, screens.ProfileProblem(p.r.Page(), must.name))
		}
	}
	if p.wrong(changed...); len(changed) == 0 {
		p.Client = pinned
	}
}

// equals reports whether a field has the same value.
func (f registered) equals(other registered) bool {
	return f.value == other.value && slices.Equal(f.values, other.values)
}

// profileFields are the form's fields that a profile can refuse.
var profileFields = map[string]string{
	"TokenEndpointAuthMethod": screens.FieldAuthMethod, "ResponseTypes": ui.FieldResponseTypes, "AccessTokenFormat": screens.FieldAccessTokenFormat,
	"GrantTypes": screens.FieldDevices, "JWKS": ui.FieldJWKS, "TokenEndpointAuthSigningAlg": screens.FieldAuthSigningAlg, "RequestObjectSigningAlg": screens.FieldRequestSigningAlg,
	"IDTokenSignedResponseAlg": screens.FieldIDTokenAlg, "UserinfoSignedResponseAlg": screens.FieldUserinfoAlg, "AuthorizationSignedResponseAlg": screens.FieldResponseAlg,
}

// profileProblems are the problems of the fields that say otherwise than the profile. Any other
// field is the operator's.
func profileProblems(r *request, err error) []ui.Problem {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []ui.Problem{screens.ProfileProblem(r.Page(), screens.FieldProfile)}
	}
	var problems []ui.Problem
	for _, err := range joined.Unwrap() {
		var wrong *provider.FieldError
		name := screens.FieldProfile
		if errors.As(err, &wrong) && profileFields[wrong.Field] != "" {
			name = profileFields[wrong.Field]
		}
		problems = append(problems, screens.ProfileProblem(r.Page(), name))
	}
	return problems
}

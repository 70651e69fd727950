package developer

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer/internal/samples"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// showProgram shows on the form what the chosen program needs. One on which nothing has been entered begins
// as its registration.
func showProgram(view *screens.RegisterView, id string, entered bool) {
	for _, p := range samples.Programs() {
		view.Programs = append(view.Programs, screens.Program{ID: p.ID, Title: p.Title})
	}
	p, ok := samples.ProgramNamed(id)
	if !ok {
		return
	}
	view.Program = screens.Program{ID: p.ID, Title: p.Title, Needs: needsOf(p.Needs)}
	if !entered {
		view.Kind, view.Name, view.RedirectURIs = p.Kind, p.Title, strings.Join(p.RedirectURIs, "\n")
	}
	view.Program.Local = slices.Equal(strings.Fields(view.RedirectURIs), p.RedirectURIs)
}

func needsOf(needs []samples.Need) (names []string) {
	for _, n := range needs {
		names = append(names, string(n))
	}
	return names
}

// program is the chosen one, unless what has been entered is of another kind.
func (p *posting) program(kind string) (samples.Program, bool) {
	about, ok := samples.ProgramNamed(p.r.posted(screens.FieldProgram))
	return about, ok && about.Kind == kind && p.Dialect == provider.Standard
}

// suit gives a new application the settings that a program needs.
func (p *posting) suit(about samples.Program) {
	if slices.Contains(about.Needs, samples.NeedJWT) {
		p.AccessTokenFormat = formatJWT
	}
	if slices.Contains(about.Needs, samples.NeedNoRefresh) {
		p.GrantTypes = []string{grantCode}
	}
	for _, uri := range p.RedirectURIs {
		u, err := url.Parse(uri)
		if err != nil || u.Host == "" {
			continue
		}
		site := u.Scheme + "://" + u.Host
		if about.Afterwards != nil && !slices.Contains(p.PostLogoutRedirectURIs, site+*about.Afterwards) {
			p.PostLogoutRedirectURIs = append(p.PostLogoutRedirectURIs, site+*about.Afterwards)
		}
		if about.Backchannel != nil && p.BackchannelLogoutURI == "" {
			p.tell(site + *about.Backchannel)
		}
	}
}

// tell has a program told of sign-outs, unless it is where the provider calls nobody, as on the machine of
// a developer.
func (p *posting) tell(address string) {
	p.BackchannelLogoutURI = address
	var wrong *provider.FieldError
	if errors.As(p.d.provider(p.r.env).Rooms().Clients.Validate(p.Client), &wrong) && wrong.Field == "BackchannelLogoutURI" {
		p.BackchannelLogoutURI = ""
	}
}

// lacks are the settings that a program needs and a registration does not have.
func lacks(needs []samples.Need, c provider.Client) []string {
	return needsOf(slices.DeleteFunc(slices.Clone(needs), func(n samples.Need) bool {
		switch n {
		case samples.NeedJWT:
			return c.AccessTokenFormat == formatJWT
		case samples.NeedNoRefresh:
			return !slices.Contains(grantTypesOf(c), grantRefresh)
		default:
			return !c.RequirePKCE
		}
	}))
}

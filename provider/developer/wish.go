package developer

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
)

// wish returns the registration that a program wants for its application, by the rules of the
// pages: scope values that developers cannot choose are left out, and who asks for anything else
// that they cannot is told. now is the registration as it is, without an ID for a new one: what
// it has, an operator or a developer has given it. The error is a provider.FieldError.
func (d *drafts) wish(ctx context.Context, app storage.Application, now, wanted provider.Client) (provider.Client, error) {
	if err := d.checkProgramName(ctx, app, now, &wanted); err != nil {
		return wanted, err
	}
	offered := append(slices.Clone(choosableGrants(wanted)), grantImplicit)
	if d.Devices {
		offered = append(offered, grantDevice)
	}
	given := lacking(now.GrantTypes, offered)
	if beyond := lacking(wanted.GrantTypes, append(given, offered...)); len(beyond) > 0 {
		return wanted, wrong("GrantTypes", fmt.Sprintf("may be of %s only", strings.Join(offered, ", ")))
	}
	wanted.GrantTypes = union(wanted.GrantTypes, given)
	if err := d.wishScopes(app.Environment, now, &wanted); err != nil {
		return wanted, err
	}
	kept, err := readDocument(app)
	if err != nil {
		return wanted, err
	}
	if kept.Program == nil {
		return wanted, room.ErrToken
	}
	if err := withinHosts(kept.Program.Hosts, now, wanted); err != nil {
		return wanted, err
	}
	if app.Kind == kindSPA {
		p := d.provider(app.Environment)
		wanted.Origins = union(lacking(now.Origins, originsOf(p, now.RedirectURIs)), originsOf(p, wanted.RedirectURIs))
	}
	return wanted, d.provider(app.Environment).Rooms().Clients.Validate(wanted)
}

// grantImplicit is what programs register beside response types that bring tokens.
const grantImplicit = "implicit"

// checkProgramName finds what is wrong with a name. A program that sends none is called by its ID.
func (d *drafts) checkProgramName(ctx context.Context, app storage.Application, now provider.Client, wanted *provider.Client) error {
	wanted.Name = cmp.Or(strings.TrimSpace(wanted.Name), wanted.ID)
	if _, bad := checkName(wanted.Name); bad {
		return wrong("Name", fmt.Sprintf("must be at most %d bytes of text that can be seen", maxName))
	}
	if app.Environment != storage.Production {
		return nil
	}
	of, err := d.checkBrand(ctx, "", now.Name, wanted.Name, d.forms.vouched(app.Environment, now))
	if err == nil && len(of) > 0 {
		err = wrong("Name", "could be taken for that of the service")
	}
	return err
}

// wishScopes leaves the scope values that developers may choose, or gives those that libraries
// request. Those that an operator has given stay.
func (d *drafts) wishScopes(env string, now provider.Client, wanted *provider.Client) error {
	var choosable, given []string
	for _, s := range d.forms.choosableScopes(env, now) {
		choosable = append(choosable, s.Name)
	}
	if now.ID != "" {
		given = slices.DeleteFunc(d.forms.scopesOf(env, now), func(s string) bool {
			return s == scopeOpenID || s == scopeOffline || slices.Contains(choosable, s)
		})
	}
	asked := wanted.Scopes
	if len(asked) == 0 {
		asked = []string{scopeOpenID}
		if slices.Contains(wanted.GrantTypes, grantRefresh) {
			asked = append(asked, scopeOffline)
		}
		if len(wanted.RedirectURIs) > 0 {
			asked = append(asked, usualScopes...)
		}
	}
	wanted.Scopes = nil
	for _, s := range asked {
		if s == scopeOpenID || s == scopeOffline || slices.Contains(choosable, s) || slices.Contains(given, s) {
			wanted.Scopes = union(wanted.Scopes, []string{s})
		}
	}
	if wanted.Scopes = union(wanted.Scopes, given); len(wanted.Scopes) == 0 {
		return wrong("Scopes", "has no value that the application may ask for")
	}
	wanted.OptionalScopes = optionalOf(*wanted)
	return nil
}

// withinHosts finds an address of a registration that is not on the hosts of its token. What the
// registration has, somebody has entered on the pages.
func withinHosts(patterns []string, now, wanted provider.Client) error {
	lists := []struct {
		field       string
		has, wanted []string
		programs    bool // leads to a program on the user's device as well
	}{
		{"RedirectURIs", now.RedirectURIs, wanted.RedirectURIs, true},
		{"PostLogoutRedirectURIs", now.PostLogoutRedirectURIs, wanted.PostLogoutRedirectURIs, true},
		{"InitiateLoginURI", []string{now.InitiateLoginURI}, []string{wanted.InitiateLoginURI}, false},
		{"BackchannelLogoutURI", []string{now.BackchannelLogoutURI}, []string{wanted.BackchannelLogoutURI}, false},
		{"RequestURIs", now.RequestURIs, wanted.RequestURIs, false},
		{"JWKSURI", []string{now.JWKSURI}, []string{wanted.JWKSURI}, false},
		{"PolicyURL", []string{now.PolicyURL}, []string{wanted.PolicyURL}, false},
		{"TermsURL", []string{now.TermsURL}, []string{wanted.TermsURL}, false},
	}
	for _, l := range lists {
		for i, address := range l.wanted {
			if address == "" || slices.Contains(l.has, address) || isWithin(patterns, address, l.programs) {
				continue
			}
			field := l.field
			if l.programs {
				field = fmt.Sprintf("%s[%d]", l.field, i)
			}
			return wrong(field, "is on a host that the token is not for")
		}
	}
	return nil
}

// isWithin reports whether an address is on one of some hosts, or leads to a program on the user's
// device: by a loopback address, or by a scheme that is such a host in reverse order.
func isWithin(patterns []string, address string, programs bool) bool {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return false
	case programs && u.Scheme == "http":
		return isLoopback(u.Hostname())
	case programs && u.Scheme != "https":
		return registration.MatchesHost(patterns, registration.ReversedHost(u.Scheme))
	}
	return registration.MatchesHost(patterns, strings.ToLower(u.Hostname()))
}

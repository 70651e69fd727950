package developer

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// vouched reports whether a registration is reviewed: otherwise the screens say that nobody
// has checked it.
func (d *forms) vouched(env string, c provider.Client) bool {
	return d.Review && env == storage.Production && !c.Unreviewed
}

// split divides developers' changes to a reviewed registration: those to publish at once,
// and those that users see, or are sent to, and that no operator has read. Removals take
// effect at once, and paths and ports on a reviewed host are free; another name, picture or
// host could pass for another application under the operator's review.
func (d *forms) split(now, wanted provider.Client) (served provider.Client, rest proposal) {
	served = wanted
	served.Name, rest.Name = splitText(now.Name, wanted.Name, false)
	// The host of trials is the dashboard's, and nobody else's to have addresses on.
	hosts := hostsOf(lacking(now.RedirectURIs, []string{d.tryCallback()}))
	served.RedirectURIs, rest.RedirectURIs = splitAddresses(hosts, now.RedirectURIs, wanted.RedirectURIs)
	served.PostLogoutRedirectURIs, rest.PostLogoutRedirectURIs = splitAddresses(append(hostsOf(now.PostLogoutRedirectURIs), hosts...), now.PostLogoutRedirectURIs, wanted.PostLogoutRedirectURIs)
	served.InitiateLoginURI, rest.InitiateLoginURI = splitText(now.InitiateLoginURI, wanted.InitiateLoginURI, slices.Contains(hosts, hostKey(wanted.InitiateLoginURI)))
	served.Origins, rest.Origins = splitAddresses(append(hostsOf(now.Origins), hosts...), now.Origins, wanted.Origins)
	pages := append(hostsOf([]string{now.TermsURL, now.PolicyURL}), hosts...)
	served.TermsURL, rest.TermsURL = splitText(now.TermsURL, wanted.TermsURL, slices.Contains(pages, hostKey(wanted.TermsURL)))
	served.PolicyURL, rest.PolicyURL = splitText(now.PolicyURL, wanted.PolicyURL, slices.Contains(pages, hostKey(wanted.PolicyURL)))
	served.ResponseTypes, rest.ResponseTypes = splitResponses(now, wanted)
	was, wants := brandOf(now), brandOf(wanted)
	for _, field := range pictureFields {
		if has, want := *was.picture(field), wants.picture(field); len(*want) > 0 && !bytes.Equal(has, *want) {
			rest.put(field, *want)
			*want = has
		}
	}
	return brandedClient(served, wants), rest
}

// splitText divides a value: another one is published if it is free; an empty one always.
func splitText(now, wanted string, free bool) (served, rest string) {
	if wanted == now || wanted == "" || free {
		return wanted, ""
	}
	return now, wanted
}

// splitAddresses divides addresses by whether an operator has read them, or their host.
func splitAddresses(hosts, now, wanted []string) (served, rest []string) {
	for _, address := range wanted {
		if slices.Contains(now, address) || slices.Contains(hosts, hostKey(address)) {
			served = append(served, address)
		} else {
			rest = append(rest, address)
		}
	}
	return served, rest
}

// splitResponses divides response types: one that sends tokens through the browser exposes
// them to any script of the page.
func splitResponses(now, wanted provider.Client) (served, rest []string) {
	has := responseTypesOf(now)
	for _, t := range responseTypesOf(wanted) {
		if slices.Contains(has, t) || t == responseTypes[0] {
			served = append(served, t)
		} else {
			rest = append(rest, t)
		}
	}
	if len(rest) == 0 {
		return wanted.ResponseTypes, nil
	}
	return served, rest
}

// hostKey is the part of an address that operators review: scheme and host, or the scheme
// of an app. The host of an unreadable address is on no list.
func hostKey(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || address == "":
		return address
	case u.Scheme == "http" || u.Scheme == "https":
		return u.Scheme + "://" + strings.ToLower(u.Hostname())
	default:
		return strings.ToLower(u.Scheme) + ":"
	}
}

func hostsOf(addresses []string) []string {
	var hosts []string
	for _, address := range addresses {
		if key := hostKey(address); key != "" && !slices.Contains(hosts, key) {
			hosts = append(hosts, key)
		}
	}
	return hosts
}

// needed finds production requirements that a registration meets, and another would not:
// what was required at approval stays in force.
func needed(kind string, now, wanted provider.Client) []ui.Problem {
	has := requirements(kind, wanted)
	var problems []ui.Problem
	for i, check := range requirements(kind, now) {
		if check.Met && !has[i].Met {
			problems = append(problems, ui.Problem{Code: ui.NeededInProduction, Field: neededField[check.Check]})
		}
	}
	return problems
}

// neededField is the form field of a check.
var neededField = map[screens.CheckName]string{
	screens.CheckLogo: ui.FieldLogo, screens.CheckRedirects: screens.FieldRedirectURIs, screens.CheckTerms: screens.FieldTermsURL, screens.CheckPolicy: screens.FieldPolicyURL,
}

// contactNeeded refuses an organization without a contact while it has reviewed
// applications.
func (d *teamPages) contactNeeded(r *request, o storage.Organization) ([]ui.Problem, error) {
	if !d.Review || len(o.Contact) > 0 || len(r.org.Contact) == 0 {
		return nil, nil
	}
	live, err := d.Store.Applications(r.Request.Context(), storage.ApplicationFilter{
		Environment: storage.Production, OrganizationID: r.org.ID, Limit: 1,
	})
	if err != nil || len(live) == 0 {
		return nil, err
	}
	return []ui.Problem{{Code: ui.NeededInProduction, Field: screens.FieldContact}}, nil
}

// lastReviewed finds the fields in which no reviewed value would be left: until another is
// approved nobody could sign in.
func lastReviewed(served provider.Client, rest proposal) []ui.Problem {
	var problems []ui.Problem
	if len(served.RedirectURIs) == 0 && len(rest.RedirectURIs) > 0 {
		problems = append(problems, ui.Problem{Code: ui.LastReviewed, Field: screens.FieldRedirectURIs})
	}
	if len(served.ResponseTypes) == 0 && len(rest.ResponseTypes) > 0 {
		problems = append(problems, ui.Problem{Code: ui.LastReviewed})
	}
	return problems
}

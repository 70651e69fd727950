package developer

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// vouched reports whether people take an operator's word for a registration: without that
// the screens say that nobody has checked it.
func (d *Dashboard) vouched(env string, c provider.Client) bool {
	return d.Review && env == storage.Production && !c.Unreviewed
}

// split parts what developers want of a registration that is vouched for: what may be served
// at once, and what people see, or are sent to, that an operator has not read. What is taken
// away is gone at once, and paths and ports on a host that was read are free; another name,
// picture or host could pass for somebody else under the word of the operator.
func (d *Dashboard) split(now, wanted provider.Client) (served provider.Client, rest proposal) {
	served = wanted
	served.Name, rest.Name = splitText(now.Name, wanted.Name, false)
	// That of trials is ours, and nobody else's to have addresses on.
	hosts := hostsOf(lacking(now.RedirectURIs, []string{d.tryCallback()}))
	served.RedirectURIs, rest.RedirectURIs = splitAddresses(hosts, now.RedirectURIs, wanted.RedirectURIs)
	served.PostLogoutRedirectURIs, rest.PostLogoutRedirectURIs = splitAddresses(append(hostsOf(now.PostLogoutRedirectURIs), hosts...), now.PostLogoutRedirectURIs, wanted.PostLogoutRedirectURIs)
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

// splitText parts a value: another one is served when it is free, and none always.
func splitText(now, wanted string, free bool) (served, rest string) {
	if wanted == now || wanted == "" || free {
		return wanted, ""
	}
	return now, wanted
}

// splitAddresses parts addresses by whether an operator has read them, or their host.
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

// splitResponses parts response types: one by which tokens come through the browser puts
// them where any script of the page reads them.
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

// hostKey is what an address has in common with all that are as good as it for an operator:
// scheme and host, or the scheme of an app. The host of what cannot be read is on no list.
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

// needed finds what production requires, a registration has, and another would not have any
// more: what was on the list when it was approved stays in force.
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

// neededField is the field of a form that a check is about.
var neededField = map[ui.DeveloperCheckName]string{
	ui.CheckLogo: ui.FieldLogo, ui.CheckRedirects: ui.FieldRedirectURIs, ui.CheckTerms: ui.FieldTermsURL, ui.CheckPolicy: ui.FieldPolicyURL,
}

// contactNeeded finds an organization that gives up its contact while it has applications
// for which operators vouch.
func (d *Dashboard) contactNeeded(r *request, o storage.Organization) ([]ui.Problem, error) {
	if !d.Review || len(o.Contact) > 0 || len(r.org.Contact) == 0 {
		return nil, nil
	}
	live, err := d.Store.Applications(r.Request.Context(), storage.ApplicationFilter{
		Environment: storage.Production, OrganizationID: r.org.ID, Limit: 1,
	})
	if err != nil || len(live) == 0 {
		return nil, err
	}
	return []ui.Problem{{Code: ui.NeededInProduction, Field: ui.FieldContact}}, nil
}

// lastReviewed finds the fields in which nothing would be left of what an operator has read:
// until another value is approved nobody could sign in.
func lastReviewed(served provider.Client, rest proposal) []ui.Problem {
	var problems []ui.Problem
	if len(served.RedirectURIs) == 0 && len(rest.RedirectURIs) > 0 {
		problems = append(problems, ui.Problem{Code: ui.LastReviewed, Field: ui.FieldRedirectURIs})
	}
	if len(served.ResponseTypes) == 0 && len(rest.ResponseTypes) > 0 {
		problems = append(problems, ui.Problem{Code: ui.LastReviewed})
	}
	return problems
}

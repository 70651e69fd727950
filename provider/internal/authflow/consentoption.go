package authflow

import (
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/ui"
)

// consentOptions shows what the user may leave out of a request, each with all that it
// releases beside what is required: whoever unticks one of two that tell the same has to
// see it at the other. Ticked is what the user has allowed before, and nothing else: a box
// that somebody else ticked is no consent (GDPR article 4(11), CJEU C-673/17).
func (e *Endpoint) consentOptions(r *http.Request, request *engine.AuthorizeRequest, s authState, required terms) ([]ui.ConsentOption, error) {
	l, leftOut := e.Site.Locale(r, request), leftOutBy(request.Client, s.consent)
	before := decisionAbout(request.Client.Name, s.consent)
	var options []ui.ConsentOption
	for _, scope := range request.Optional {
		option := ui.ConsentOption{Scope: scope, Offline: scope == claims.OfflineAccess, Chosen: before != nil && slices.Contains(before.Scopes, scope)}
		title, text := e.Claims.Catalogue.ScopeWords(l, scope)
		if option.Title = title; !e.releases(scope) {
			option.Text = text
		}
		known := before
		if before != nil && !option.Chosen {
			option.New, known = !slices.Contains(leftOut, scope), nil // what was left out has been seen; what is new is so as a whole
		}
		facts, groups := e.Claims.Catalogue.Asks([]string{scope})
		facts, groups = claims.Without(facts, required.Attributes), claims.Without(groups, required.Groups)
		data, err := e.consentData(r, request, s, known, facts, groups, true)
		if err != nil {
			return nil, err
		}
		option.Attributes, option.Groups = data.attributes, data.groups
		options = append(options, option)
	}
	return options, nil
}

// isNewOption reports whether something of an option is marked as new.
func isNewOption(o ui.ConsentOption) bool {
	return o.New || slices.ContainsFunc(o.Attributes, func(a ui.ConsentAttribute) bool { return a.New }) ||
		slices.ContainsFunc(o.Groups, func(g ui.ConsentGroup) bool { return g.New })
}

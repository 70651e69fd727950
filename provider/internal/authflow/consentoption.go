package authflow

import (
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/ui"
)

// consentOptions shows the optional scopes of a request, each with everything that it
// releases in addition to what is required: a user who unticks one of two scopes that
// release the same claim must see it at the other. Only what the user has allowed before is
// ticked: a box ticked by somebody else is no consent (GDPR article 4(11), CJEU C-673/17).
func (e *consents) consentOptions(r *http.Request, request *engine.AuthorizeRequest, s authState, required terms) ([]ui.ConsentOption, error) {
	l, declined := e.Site.Locale(r), declinedBy(request.Client, s.consent)
	before := decisionAbout(request.Client.Called(), s.consent)
	var options []ui.ConsentOption
	for _, scope := range request.Optional {
		option := ui.ConsentOption{Scope: scope, Offline: scope == claims.OfflineAccess, Chosen: before != nil && slices.Contains(before.Scopes, scope)}
		title, text := e.Claims.Catalogue.ScopeWords(l, scope, request.Client.Dialect.V3Attributes)
		if option.Title = title; !e.releases(scope) {
			option.Text = text
		}
		known := before
		if before != nil && !option.Chosen {
			option.New, known = !slices.Contains(declined, scope), nil // what was declined has been seen; what is new is so as a whole
		}
		facts, groups, _ := e.Claims.Catalogue.RequestedBy(request, append(slices.Clone(required.Scopes), scope))
		facts, groups = claims.Without(facts, required.Attributes), claims.Without(groups, required.Groups)
		data, err := e.consentData(r, request, s, known, terms{Scopes: []string{scope}, Attributes: facts, Groups: groups}, true)
		if err != nil {
			return nil, err
		}
		option.Attributes, option.Groups = data.attributes, data.groups
		options = append(options, option)
	}
	return options, nil
}

// isNewOption reports whether part of an option is marked as new.
func isNewOption(o ui.ConsentOption) bool {
	return o.New || slices.ContainsFunc(o.Attributes, func(a ui.ConsentAttribute) bool { return a.New }) ||
		slices.ContainsFunc(o.Groups, func(g ui.ConsentGroup) bool { return g.New })
}

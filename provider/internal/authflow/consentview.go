package authflow

import (
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// consentView shows what a request would release now. Required data is shown once,
// whichever scopes and claims release it.
func (e *consents) consentView(r *http.Request, request *engine.AuthorizeRequest, s authState) (ui.ConsentView, error) {
	required := e.termsOf(request, request.Optional)
	view := ui.ConsentView{Offline: slices.Contains(required.Scopes, claims.OfflineAccess), AppsURL: e.Site.Link("/account/apps")}
	before := decisionAbout(request.Client.Called(), s.consent)
	data, err := e.consentData(r, request, s, before, required, false)
	if err != nil {
		return view, err
	}
	view.Attributes, view.Groups = data.attributes, data.groups
	l := e.Site.Locale(r)
	view.Permissions = e.permissions(l, required.Scopes, before)
	if request.OpenID() && len(view.Attributes) > 0 {
		required.Attributes = claims.Union(required.Attributes, []string{"uuid"}) // which is shown
	}
	if view.Optional, err = e.consentOptions(r, request, s, required); err != nil {
		return view, err
	}
	for _, uri := range s.requested.Resources {
		resource := e.Engine.Resource(uri)
		view.Resources = append(view.Resources, ui.ConsentResource{
			Name: resource.Name, Host: resource.Host(), New: before != nil && !slices.Contains(before.Resources, uri),
		})
	}
	view.Incremental = isIncremental(view)
	return view, nil
}

// isIncremental reports whether part of the screen is marked as new.
func isIncremental(v ui.ConsentView) bool {
	return slices.ContainsFunc(v.Attributes, func(a ui.ConsentAttribute) bool { return a.New }) ||
		slices.ContainsFunc(v.Groups, func(g ui.ConsentGroup) bool { return g.New }) ||
		slices.ContainsFunc(v.Permissions, func(p ui.ConsentPermission) bool { return p.New }) ||
		slices.ContainsFunc(v.Optional, isNewOption) ||
		slices.ContainsFunc(v.Resources, func(r ui.ConsentResource) bool { return r.New })
}

// shown is what a screen shows of some facts and groups.
type shown struct {
	attributes []ui.ConsentAttribute
	groups     []ui.ConsentGroup
}

// consentData shows the current values of the facts and groups of terms, and marks what is new
// since a former decision, which may be nil. The user's identity goes with what is not
// optional.
func (e *consents) consentData(r *http.Request, request *engine.AuthorizeRequest, s authState, before *storage.Consent, of terms, option bool) (out shown, err error) {
	facts, groups := of.Attributes, of.Groups
	released, err := e.Claims.Release(r.Context(), s.user.UserID, facts, groups, request.EID)
	if err != nil {
		return out, err
	}
	attributes := released.Attributes
	verified, inWallet := claims.VerifiedAmong(facts), e.Claims.Catalogue.InWallet(of.Scopes)
	// A value that is unknown now may become known, and is then released.
	for _, fact := range facts {
		if _, ok := e.Claims.Catalogue.Attribute(fact); ok && !released.Knows(fact) && !e.Claims.Catalogue.IsComposed(fact) {
			attributes = append(attributes, claims.Attribute{Handle: fact})
		}
	}
	if !option && request.OpenID() && len(s.requested.Attributes)+len(s.requested.Groups) > 0 && !released.Has("uuid") { // the claim sub is the same
		attributes = append(attributes, claims.Attribute{Handle: "uuid", Value: []byte(`""`)})
	}
	l := e.Site.Locale(r)
	for _, told := range e.Claims.Catalogue.Tell(l, attributes) {
		told.New = before != nil && !claims.Covers(before.Attributes, claims.Intersection(told.Facts, facts))
		out.attributes = append(out.attributes, told.ConsentAttribute)
	}
	for _, status := range released.Statuses {
		group, err := e.groups.GroupView(r, s.user.UserID, status)
		if err != nil {
			return out, err
		}
		group.HowVerified, group.InWallet = slices.Contains(verified, group.Name), slices.Contains(inWallet, group.Name)
		group.New = before != nil && (!slices.Contains(before.Groups, group.Name) ||
			group.HowVerified && !slices.Contains(claims.VerifiedAmong(before.Attributes), group.Name) ||
			group.InWallet && !slices.Contains(e.Claims.Catalogue.InWallet(before.Scopes), group.Name))
		out.groups = append(out.groups, group)
	}
	return out, nil
}

// permissions returns the required scopes that release no data about the user.
func (e *consents) permissions(l *ui.Locale, required []string, before *storage.Consent) (all []ui.ConsentPermission) {
	for _, name := range required {
		if claims.IsProtocolScope(name) || e.releases(name) {
			continue
		}
		title, text := e.Claims.Catalogue.ScopeWords(l, name, false)
		all = append(all, ui.ConsentPermission{
			Title: title, Text: text, New: before != nil && !slices.Contains(before.Scopes, name),
		})
	}
	return all
}

// releases reports whether a scope releases data about users.
func (e *consents) releases(scope string) bool {
	facts, groups := e.Claims.Catalogue.Requested([]string{scope})
	return len(facts)+len(groups) > 0
}

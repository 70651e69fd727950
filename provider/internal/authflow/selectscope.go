package authflow

import (
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
)

// showSelectScope lets the user pick one of several scope values. A user who returns to it
// picks again.
func (e *signIns) showSelectScope(w http.ResponseWriter, r *http.Request, p *Page) error {
	request := p.Flow.request
	if len(request.Choices) == 0 { // the registration has changed since
		return e.redirectBack(w, r, p.Flow)
	}
	if request.LooksStandard() {
		e.Activity.Remarked(r.Context(), activity.Authorize, partyOf(request, nil), diagnosis.StandardRequestAtV3, nil)
	}
	view := ui.SelectScopeView{Page: e.Site.PageView(r, request), Form: e.Site.Form(w, r, nil)}
	for _, name := range request.Choices {
		title, text := e.Claims.Catalogue.ScopeWords(view.Locale, name, request.Client.Dialect.V3Attributes)
		view.Scopes = append(view.Scopes, ui.ScopeChoice{Value: name, Title: title, Text: text})
	}
	e.Site.RenderFor(w, r, request, http.StatusOK, e.Site.Screens.SelectScope(view))
	return nil
}

// selectScope continues with the picked scope value if it is one of the sealed request; any
// other was put into the form by somebody else.
func (e *signIns) selectScope(w http.ResponseWriter, r *http.Request, p *Page) error {
	f := p.Flow
	if r.PostForm.Get(ui.FieldAction) == ui.ActionDeny {
		if err := e.endFlow(r, f); err != nil {
			return err
		}
		return &redirectError{f.request, &protocol.Error{Code: protocol.AccessDenied, Description: "The user did not allow it.",
			Diagnosis: diagnosis.UserDenied}, nil}
	}
	picked := r.PostForm.Get(ui.FieldScope)
	if !slices.Contains(f.request.Choices, picked) {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Request: f.request, Cause: engine.ErrNoChoice}
	}
	if err := e.pick(r.Context(), f.request, picked); err != nil {
		return err
	}
	f.allowed = "" // a decision about another scope value does not cover this one
	return e.continueWith(w, r, f)
}

package authflow

import (
	"errors"
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
)

// partyOf returns the application and the user of a request; user may be nil.
func partyOf(request *engine.AuthorizeRequest, user *User) activity.Party {
	of := activity.Party{}
	if request != nil {
		of.ClientID = request.Client.ID
	}
	if user != nil {
		of.UserID = user.UserID
	}
	return of
}

// noteIssued records, for the application's developers, that it got its response.
func (e *flows) noteIssued(r *http.Request, request *engine.AuthorizeRequest, user *User) {
	of := partyOf(request, user)
	if request.LooksStandard() {
		e.Activity.Remarked(r.Context(), activity.Authorize, of, diagnosis.StandardRequestAtV3, nil)
		return
	}
	if len(request.Ignored) > 0 {
		e.Activity.Remarked(r.Context(), activity.Authorize, of, diagnosis.ScopeIgnored, map[string]string{"scope": strings.Join(request.Ignored, " ")})
		return
	}
	e.Activity.Asked(r.Context(), activity.Authorize, of, func() map[string]string { return askedBy(request) })
}

// askedBy returns the parameters of an authorization request without state, nonce and
// others that identify a response or a person.
func askedBy(request *engine.AuthorizeRequest) map[string]string {
	asked := map[string]string{
		"response_type": request.ResponseType, "scope": strings.Join(request.Scopes, " "),
		"redirect_uri": diagnosis.Address(request.RedirectURI),
	}
	if len(request.Prompt) > 0 {
		asked["prompt"] = strings.Join(request.Prompt, " ")
	}
	return asked
}

// note records, for the application's developers, why its request failed. A user's mistakes
// on a page, and pages without a request, are not for them.
func (e *flows) note(r *http.Request, p *Page, cause error) {
	of := partyOf(p.Request(), p.user)
	failed := web.AsJSONError(cause)
	var denied *denial
	var refused *redirectError
	var elsewhere *authorization.RedirectError
	var alone *engine.UnredirectedError
	var page *web.PageError
	switch {
	case errors.As(cause, &denied):
		of.ClientID = denied.flow.request.Client.ID
		failed = (&protocol.Error{Code: protocol.AccessDenied}).Because(diagnosis.UserRefused)
	case errors.As(cause, &refused):
		of.ClientID = refused.request.Client.ID
	case errors.As(cause, &elsewhere):
		of.ClientID, failed = elsewhere.Client.ID, elsewhere.Diagnosed()
	case errors.As(cause, &alone):
		of.ClientID = alone.Client.ID
	case errors.Is(cause, registry.ErrDisabled):
		of.ClientID = r.URL.Query().Get("client_id")
	case errors.As(cause, &page) && page.Code == ui.ErrorExpired && page.Request != nil:
		of.ClientID, failed = page.Request.Client.ID, failed.Because(diagnosis.RequestExpired)
	}
	ours := of.ClientID != "" && failed.Status >= http.StatusInternalServerError
	if failed.Diagnosis != "" || ours {
		e.Activity.Refused(r.Context(), activity.Authorize, of, failed)
	}
}

package fedcm

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// maxForm limits what a page sends along, in bytes.
const maxForm = 16 << 10

// postAssertion answers the page whose user has chosen an account. What is wrong with its
// request the page learns in the form that browsers know; of what is not for it, nothing.
func (p *Pages) postAssertion(w http.ResponseWriter, r *http.Request) error {
	err := p.assert(w, r)
	failed := web.AsJSONError(err)
	if err == nil || failed.Status >= http.StatusInternalServerError {
		return err
	}
	p.Site.LogFailure(r, failed.Status, err)
	p.Site.WriteJSON(w, r, cmp.Or(failed.Status, http.StatusBadRequest), map[string]any{
		"error": map[string]string{"error": web.ErrorBody(failed)["error"], "url": p.Site.BaseURL + errorPath},
	})
	return nil
}

func (p *Pages) assert(w http.ResponseWriter, r *http.Request) error {
	form, account, err := readAssertion(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	asked, err := p.Engine.ParseAuthorize(ctx, form)
	if asked == nil {
		var elsewhere *authorization.RedirectError
		if errors.As(err, &elsewhere) {
			return p.refused(r, elsewhere.Client, elsewhere.Diagnosed())
		}
		return err
	}
	client := asked.Client
	if err := p.allowPage(w, r, client, asked.RedirectURI); err != nil {
		return err
	}
	switch {
	case client.RequirePushed, client.RequireSignedRequest, client.Profile.Name != "", client.IsUnknown():
		// A page signs nothing, and of what no user has allowed nothing is kept.
		return p.refused(r, client, protocol.Refused(protocol.UnauthorizedClient))
	case err != nil:
		return p.refused(r, client, protocol.AsError(err))
	case asked.ResponseType != "code":
		return p.refused(r, client, protocol.Refused(protocol.UnsupportedResponseType).Because(diagnosis.ResponseTypeUnknown, "response_type", asked.ResponseType))
	}
	return p.Flows.Assert(w, r, asked, account)
}

// refused tells the developers of an application why its request has failed.
func (p *Pages) refused(r *http.Request, c *registry.Client, err *protocol.Error) error {
	p.Activity.Refused(r.Context(), activity.Authorize, activity.Party{ClientID: c.ID}, err)
	return err
}

// allowPage lets a page have the answer that is of the origin of one of these redirect URIs of
// its application: it reaches no page to which a redirect would not lead.
func (p *Pages) allowPage(w http.ResponseWriter, r *http.Request, c *registry.Client, uris ...string) error {
	origins := r.Header["Origin"]
	for _, uri := range uris {
		if home := web.HomeOf(uri); len(origins) == 1 && home != "" && home == origins[0]+"/" {
			allow(w, origins[0])
			return nil
		}
	}
	return p.refused(r, c, errForeign.Because(diagnosis.OriginNotRegistered, "origin", r.Header.Get("Origin"), "registered", strings.Join(uris, " ")))
}

var errForeign = &protocol.Error{
	Code: protocol.AccessDenied, Description: "The page is of another origin, or another account is signed in.", Status: http.StatusForbidden,
}

// readAssertion returns the authorization request that a page has sent along, and the account
// that was chosen.
func readAssertion(r *http.Request) (form url.Values, account string, err error) {
	sent, err := readForm(r, web.ClientParameter, "account_id", "params")
	if err != nil {
		return nil, "", err
	}
	var params map[string]string
	if err := json.Unmarshal([]byte(sent.Get("params")), &params); err != nil {
		return nil, "", malformed("params")
	}
	form = url.Values{web.ClientParameter: {sent.Get(web.ClientParameter)}}
	for name, value := range params {
		if form.Has(name) || name == "request" || name == "request_uri" || name == "response_mode" {
			return nil, "", malformed(name)
		}
		form.Set(name, value)
	}
	return form, sent.Get("account_id"), nil
}

// readForm returns a form that has each of these fields once.
func readForm(r *http.Request, names ...string) (url.Values, error) {
	if err := input.ParseForm(r, maxForm); err != nil {
		return nil, err
	}
	for _, name := range names {
		if len(r.PostForm[name]) != 1 {
			return nil, malformed(name)
		}
	}
	return r.PostForm, nil
}

func malformed(parameter string) error {
	return protocol.Refused(protocol.InvalidRequest).Because(diagnosis.ParameterMalformed, "parameter", parameter)
}

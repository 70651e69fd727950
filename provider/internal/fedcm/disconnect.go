package fedcm

import (
	"errors"
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// postDisconnect ends what a user has allowed an application, and its tokens, as a page of the
// application asks.
func (p *Pages) postDisconnect(w http.ResponseWriter, r *http.Request) error {
	form, err := readForm(r, web.ClientParameter, "account_hint")
	if err != nil {
		return err
	}
	client, err := p.Engine.Client(r.Context(), form.Get(web.ClientParameter))
	if errors.Is(err, registry.ErrNoClient) {
		return errForeign
	}
	if err != nil {
		return err
	}
	if err := p.allowPage(w, r, client, client.RedirectURIs...); err != nil {
		return err
	}
	_, owner, ok, err := p.Sessions.OfFedCM(r.Context(), r)
	if err != nil || !ok {
		return p.nobody(w, r, err)
	}
	id, hint := p.AccountID(owner.ID), form.Get("account_hint")
	if hint != id && !strings.EqualFold(hint, owner.Email) {
		return errForeign
	}
	if _, err := p.EndConsent(r.Context(), owner.ID, client.ID, "by the application"); err != nil {
		return err
	}
	p.Site.WriteJSON(w, r, http.StatusOK, map[string]string{"account_id": id})
	return nil
}

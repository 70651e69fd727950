package provider

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/resource"
	"github.com/bonafide-id/bonafide/provider/internal/room"
)

// Holder returns the user whose wallet presents an access token for credentials (Config.Credentials),
// with a proof of its key if it is bound to one. It reports false if the token is not good for that:
// then it has answered.
func (p clientsRoom) Holder(w http.ResponseWriter, r *http.Request) (h room.Holder, ok bool) {
	a, err := resource.Holder(r, p.engine, p.issuer, p.cfg.Clock())
	if a.DPoPNonce != "" {
		w.Header().Set("DPoP-Nonce", a.DPoPNonce)
	}
	if err != nil {
		p.flows.Site.FailJSON(w, r, err)
		return h, false
	}
	return room.Holder{UserID: issue.UserOf(a.Grant), ClientID: a.Grant.ClientID, GrantID: a.Grant.ID, Scopes: a.Scopes}, true
}

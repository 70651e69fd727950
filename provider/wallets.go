package provider

import (
	"context"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/resource"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
)

// linkedWallets are what LinkCredentials has linked.
type linkedWallets struct {
	path string
	room.Wallets
}

// LinkCredentials has the account lead to where people put what is verified into a wallet, a path of
// the host, and the desk see what is there. The last one replaces earlier ones.
func (p pagesRoom) LinkCredentials(path string, w room.Wallets) {
	p.walletLink.Store(&linkedWallets{path, w})
}

// wallet returns the path of LinkCredentials, or "".
func (p *rooms) wallet() string {
	if linked := p.walletLink.Load(); linked != nil {
		return linked.path
	}
	return ""
}

// Credentials returns what is in the wallets of a user and in force, the latest first; none without
// LinkCredentials.
func (p peopleRoom) Credentials(ctx context.Context, userID string) ([]storage.Credential, error) {
	if linked := p.walletLink.Load(); linked != nil {
		return linked.InForce(ctx, userID)
	}
	return nil, nil
}

// EndCredential ends one of Credentials as the staff.
func (p peopleRoom) EndCredential(ctx context.Context, userID, id string) error {
	if linked := p.walletLink.Load(); linked != nil {
		return linked.End(ctx, userID, id)
	}
	return nil
}

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

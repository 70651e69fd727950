package provider

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/resource"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
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
	if a.Issued != nil {
		h = room.Holder{UserID: issue.UserOf(a.Grant), ClientID: a.Grant.ClientID, GrantID: a.Grant.ID, Scopes: a.Scopes}
	}
	if err != nil {
		p.activity.Refused(r.Context(), activity.Wallet, activity.Party{ClientID: h.ClientID, UserID: h.UserID}, web.AsJSONError(err))
		p.flows.Site.FailJSON(w, r, err)
	}
	return h, err == nil
}

// Answered tells who builds a wallet how its request was answered: with this error, or with what it has
// asked for if that is empty.
func (p clientsRoom) Answered(ctx context.Context, h room.Holder, code string) {
	of := activity.Party{ClientID: h.ClientID, UserID: h.UserID}
	if code != "" {
		p.activity.Refused(ctx, activity.Wallet, of, &protocol.Error{Code: code})
		return
	}
	p.activity.Succeeded(ctx, activity.Wallet, of)
}

// anyWallet is how users let wallets have credentials that nobody has registered.
type anyWallet struct {
	*rooms
	offers *engine.PreAuthorized
}

// AnyWallet has wallets that nobody has registered get access tokens for credentials, as the public
// client of this ID, by a code that comes with an offer of their user. It is called before anything is
// served.
func (p clientsRoom) AnyWallet(clientID string) (anyWallet, error) {
	guess := func(ctx context.Context, code storage.Digest) (time.Duration, error) {
		return p.limits.Allow(ctx, ratelimit.TransactionCode, ratelimit.Key{Account: hex.EncodeToString(code[:])})
	}
	return anyWallet{p.rooms, p.engine.PreAuthorize(clientID, guess)}, p.protocol.PreAuthorize()
}

// MayHave reports whether there is such a client, and it may have a scope.
func (a anyWallet) MayHave(ctx context.Context, scope string) (bool, error) {
	_, err := a.offers.Wallet(ctx, []string{scope})
	if errors.Is(err, registry.ErrNoClient) {
		return false, nil
	}
	return err == nil, err
}

// Offer makes an offer of what a scope is for to the user of a screen. It returns its name, by which one
// wallet gets its code (Take), and a digest of what the user allows with Digits; both are empty if
// it has answered, because the user has to authenticate further. room.ErrOfferOver if the user can have
// none.
func (a anyWallet) Offer(s *Screen, scope string) (name, terms string, err error) {
	c := storage.DeviceCode{Scopes: []string{scope}}
	client, err := a.offers.Wallet(s.Request.Context(), c.Scopes)
	if err == nil {
		c.ClientID = client.ID
		_, terms, err = a.ask(s, c, client)
	}
	if err != nil || terms == "" {
		return "", "", asOfferError(err)
	}
	name, err = a.offers.Offer(s.Request.Context(), c.Scopes)
	return name, terms, asOfferError(err)
}

// Take returns the code of an offer, and the scope that it is for. room.ErrOfferOver if a wallet has it,
// or there is no such offer any more.
func (a anyWallet) Take(ctx context.Context, name string) (code, scope string, err error) {
	code, scopes, err := a.offers.Take(ctx, name)
	if err != nil {
		return "", "", asOfferError(err)
	}
	return code, scopes[0], nil
}

// Digits lets the wallet that has the code of an offer have what the user of a screen was shown, and
// returns the digits that it asks its user for; once more, if the user has seen them. They are empty if it
// has answered, because the user has to authenticate further. room.ErrOfferOpen if no wallet has the code,
// room.ErrOfferOver if the offer is over.
func (a anyWallet) Digits(s *Screen, name, terms string) (digits string, err error) {
	ctx := s.Request.Context()
	c, client, err := a.offers.Taken(ctx, name)
	if err != nil {
		return "", asOfferError(err)
	}
	ask, now, err := a.ask(s, c, client)
	switch {
	case err != nil || ask == nil:
		return "", asOfferError(err)
	case now != terms:
		return "", room.ErrOfferOver
	}
	if err := a.offers.Keep(ctx, c); err != nil {
		return "", asOfferError(err)
	}
	err = ask.Allow(ctx, storage.Event{Name: event.DeviceAllowed, Subject: s.User.UserID, ClientID: client.ID})
	switch {
	case errors.Is(err, storage.ErrEnded), errors.Is(err, storage.ErrChanged): // the session, or the account
		return "", s.signIn(s.returnHere(0))
	case err == nil:
		a.pages.NoticeMail(s.Request, s.user.Account, ui.MailView{Kind: ui.MailDeviceAllowed, Application: client.Title(), AppsURL: a.cfg.BaseURL + "/account/apps"})
	case !errors.Is(err, storage.ErrSpent):
		return "", asOfferError(err)
	}
	return a.offers.Digits(name), nil
}

// ask returns what a wallet asks the user of a screen for, with a digest of it; nothing if it has
// answered, because the user has to authenticate further.
func (a anyWallet) ask(s *Screen, c storage.DeviceCode, client *registry.Client) (ask *authflow.DeviceAsk, terms string, err error) {
	if ask, err = a.flows.ReadDevice(s.Request.Context(), s.user, c, client); err != nil {
		return nil, "", err
	}
	if required, unmet := ask.Unmet(); unmet {
		to := s.returnHere(0)
		to.Requires = required
		return nil, "", s.signIn(to)
	}
	terms, err = ask.Fingerprint()
	return ask, terms, err
}

// asOfferError returns an error for what a user is told.
func asOfferError(err error) error {
	switch {
	case errors.Is(err, engine.ErrNotTaken):
		return room.ErrOfferOpen
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrSpent), errors.Is(err, registry.ErrNoClient):
		return room.ErrOfferOver
	default:
		return err
	}
}

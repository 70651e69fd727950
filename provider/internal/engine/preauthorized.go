package engine

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// PreAuthorized lets wallets that nobody has registered get tokens for a user by a code that comes with
// an offer (OpenID for Verifiable Credential Issuance 1.0 section 3.5). Make one with PreAuthorize.
//
// Whoever has the code and the digits beside it gets the user's credential, and the offer is drawn on a
// screen that others see. So the code is handed out once, and the digits are for nobody but the user, who
// sees them, and by that allows it, when a wallet has the code: the user's own, or another that was
// faster, and then the user's own says so.
//
// An offer is a request of a device that nobody allows: handing out its code decides it, which the store
// lets happen once. The code is another such request, which is stored when the user allows it. Code and
// digits are keyed digests of the offer's name, so that nothing stored leads to them.
type PreAuthorized struct {
	*Engine
	clientID string
	guess    func(ctx context.Context, code storage.Digest) (wait time.Duration, err error)
}

// offerLife is how long an offer is good, and then its code.
const offerLife = 5 * time.Minute

// ErrNotTaken means that no wallet has the code of an offer yet.
var ErrNotTaken = errors.New("engine: no wallet has taken the offer")

// PreAuthorize adds the grant. Its tokens are those of the public client of this ID, which stands for
// all wallets that nobody has registered. guess counts an attempt at the digits of a code, and returns
// how long to wait with one too many.
func (e *Engine) PreAuthorize(clientID string, guess func(ctx context.Context, code storage.Digest) (wait time.Duration, err error)) *PreAuthorized {
	p := &PreAuthorized{e, clientID, guess}
	e.anyWallet.Store(&anyWallet{clientID, fositeWith(e, preAuthorizedGrant{p})})
	return p
}

// anyWallet are the client that stands for all wallets, and the handler of its grant.
type anyWallet struct {
	clientID string
	fosite   *fosite.Fosite
}

// handlersOf returns the handlers of a request for the grant; nil for any other request, or without the
// grant. A request that does not authenticate is one of any wallet, whatever it calls itself: its code
// is all that it has to show.
func (a *anyWallet) handlersOf(r *http.Request, form url.Values) *fosite.Fosite {
	if a == nil || form.Get("grant_type") != protocol.GrantPreAuthorized {
		return nil
	}
	if len(r.Header["Authorization"]) == 0 && !form.Has("client_secret") && !form.Has("client_assertion") {
		form.Set("client_id", a.clientID)
	}
	return a.fosite
}

// Wallet returns the client that stands for all wallets. registry.ErrNoClient if there is none that may
// have these scopes.
func (p *PreAuthorized) Wallet(ctx context.Context, scopes []string) (*registry.Client, error) {
	client, err := p.Client(ctx, p.clientID)
	if err == nil && !(p.isWallet(client) && client.AllowsScopes(scopes)) {
		err = registry.ErrNoClient
	}
	return client, err
}

// isWallet reports whether a client is the one that stands for all wallets.
func (p *PreAuthorized) isWallet(c *registry.Client) bool {
	return c.ID == p.clientID && c.Public && c.Dialect.Credentials && !c.IsUnknown() && c.AllowsGrant(protocol.GrantPreAuthorized)
}

// digest names what belongs to an offer or a code. It is keyed, as those of devices.
func (p *PreAuthorized) digest(kind, of string) storage.Digest {
	return p.Devices.Digest("pre-authorized "+kind, of)
}

// Offer stores an offer of these scopes, and returns its name, by which it is fetched once.
func (p *PreAuthorized) Offer(ctx context.Context, scopes []string) (name string, err error) {
	name = random.Text(32)
	c := storage.DeviceCode{Digest: p.digest("offer", name), ClientID: p.clientID, Scopes: scopes, CreatedAt: p.Clock()}
	c.UserCode, c.ExpiresAt = c.Digest, c.CreatedAt.Add(offerLife)
	return name, p.Devices.Store.SaveDeviceCode(ctx, c)
}

// Take returns the code of an offer, and what it is for. storage.ErrSpent if a wallet has it already,
// storage.ErrNotFound if there is no such offer any more.
func (p *PreAuthorized) Take(ctx context.Context, name string) (code string, scopes []string, err error) {
	offer, err := p.Devices.Store.DeviceCode(ctx, storage.DeviceCodeID{Digest: p.digest("offer", name)})
	if err == nil {
		err = p.Devices.Store.DenyDeviceCode(ctx, offer.Digest, "", storage.Digest{}, p.Clock())
	}
	if err != nil {
		return "", nil, err
	}
	return p.code(name), offer.Scopes, nil
}

// code returns the code of an offer.
func (p *PreAuthorized) code(name string) string {
	d := p.digest("code of", name)
	return base64.RawURLEncoding.EncodeToString(d[:])
}

// Digits returns the digits beside the code of an offer (tx_code).
func (p *PreAuthorized) Digits(name string) string {
	d := p.digest("digits of", name)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(d[:8])%1_000_000)
}

// Taken returns what the wallet that has the code of an offer asks the user for, and the client that
// stands for it. ErrNotTaken if none has it, storage.ErrNotFound if the offer is over.
func (p *PreAuthorized) Taken(ctx context.Context, name string) (c storage.DeviceCode, client *registry.Client, err error) {
	offer, err := p.Devices.Store.DeviceCode(ctx, storage.DeviceCodeID{Digest: p.digest("offer", name)})
	now := p.Clock()
	switch {
	case err != nil:
		return c, nil, err
	case !now.Before(offer.ExpiresAt):
		return c, nil, storage.ErrNotFound
	case offer.State == storage.DevicePending:
		return c, nil, ErrNotTaken
	}
	code := p.code(name)
	c = storage.DeviceCode{
		Digest: p.digest("code", code), UserCode: p.digest("digits", code+p.Digits(name)), ClientID: p.clientID, Scopes: offer.Scopes,
		CreatedAt: now, ExpiresAt: now.Add(offerLife),
	}
	client, err = p.Wallet(ctx, c.Scopes)
	return c, client, err
}

// Keep stores what Taken has returned, for the user to allow. It may be there.
func (p *PreAuthorized) Keep(ctx context.Context, c storage.DeviceCode) error {
	err := p.Devices.Store.SaveDeviceCode(ctx, c)
	if errors.Is(err, storage.ErrConflict) {
		return nil
	}
	return err
}

// preAuthorizedGrant exchanges a code of an offer (OpenID for Verifiable Credential Issuance 1.0 section
// 6.1). What the user allowed is a grant as any other, and ends as they do.
type preAuthorizedGrant struct{ *PreAuthorized }

func (preAuthorizedGrant) CanHandleTokenEndpointRequest(_ context.Context, r fosite.AccessRequester) bool {
	return r.GetGrantTypes().ExactOne(protocol.GrantPreAuthorized)
}

func (preAuthorizedGrant) CanSkipClientAuth(context.Context, fosite.AccessRequester) bool {
	return false
}

func (g preAuthorizedGrant) HandleTokenEndpointRequest(ctx context.Context, r fosite.AccessRequester) error {
	s, form := r.GetSession().(*exchange), r.GetRequestForm()
	if err := s.begin(r); err != nil {
		return err
	}
	if !g.isWallet(s.client) {
		return protocol.Fail(protocol.UnauthorizedClient, "This application may not use this grant.").Because(diagnosis.GrantNotRegistered)
	}
	for _, parameter := range []string{"pre-authorized_code", "tx_code"} {
		if !form.Has(parameter) {
			return protocol.Fail(protocol.InvalidRequest, "The parameters pre-authorized_code and tx_code are needed.").
				Because(diagnosis.ParameterMissing, "parameter", parameter)
		}
	}
	digest, err := g.allowed(ctx, form)
	if err != nil {
		return err
	}
	if err := g.loadBy(ctx, storage.AuthorizationCode, digest, s); err != nil {
		return err
	}
	switch {
	case !s.presented.Token.SpentAt.IsZero(): // whoever comes second has the digits as well
		return g.replayed(ctx, s)
	case !s.client.AllowsScopes(s.Grant.Scopes):
		return errGrant.Because(diagnosis.ScopeWithdrawn)
	}
	return g.grantAll(ctx, r)
}

// allowed returns the digest of a code that comes with its digits. Each attempt at a code counts, before
// it is known to be right: of any number at once no more than five are looked at.
func (g preAuthorizedGrant) allowed(ctx context.Context, form url.Values) (storage.Digest, error) {
	code := form.Get("pre-authorized_code")
	c, err := g.Devices.Store.DeviceCode(ctx, storage.DeviceCodeID{Digest: g.digest("code", code)})
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return c.Digest, errGrant.Because(diagnosis.CodeUnknown)
	case err != nil:
		return c.Digest, err
	case !g.Clock().Before(c.ExpiresAt):
		return c.Digest, errGrant.Because(diagnosis.CodeExpired)
	}
	wait, err := g.guess(ctx, c.Digest)
	if err != nil {
		return c.Digest, err
	}
	digits := g.digest("digits", code+form.Get("tx_code"))
	switch {
	case wait > 0:
		return c.Digest, errGrant.Because(diagnosis.CodeRevoked)
	case subtle.ConstantTimeCompare(digits[:], c.UserCode[:]) == 0:
		return c.Digest, errGrant.Because(diagnosis.CodeUnknown)
	}
	return c.Digest, nil
}

func (g preAuthorizedGrant) PopulateTokenEndpointResponse(ctx context.Context, r fosite.AccessRequester, response fosite.AccessResponder) error {
	if !g.CanHandleTokenEndpointRequest(ctx, r) {
		return nil
	}
	return g.redeem(ctx, r, response)
}

package engine

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/storage"
)

// deviceGrant answers the polls of a device, and exchanges a device code that a user has allowed
// (RFC 8628 section 3.4). What the user allowed is a grant with a token that is exchanged once; a
// lock of the account, or the end of the consent, ends it as any other grant. A second exchange is
// refused, and ends nothing: a device polls until it has an answer, and may poll twice at once.
type deviceGrant struct{ *Engine }

var (
	errPending = protocol.Fail(protocol.AuthorizationPending, "The user has not decided yet.")
	errSlow    = protocol.Fail(protocol.SlowDown, "Wait five seconds more before each poll.").Because(diagnosis.ClientThrottled)
	errDenied  = protocol.Fail(protocol.AccessDenied, "The user did not allow it, or no longer does.")
	errExpired = protocol.Fail(protocol.ExpiredToken, "The device code has expired. Ask for another one.").Because(diagnosis.RequestExpired)
)

func (deviceGrant) CanHandleTokenEndpointRequest(_ context.Context, r fosite.AccessRequester) bool {
	return r.GetGrantTypes().ExactOne(protocol.GrantDeviceCode)
}

func (deviceGrant) CanSkipClientAuth(context.Context, fosite.AccessRequester) bool { return false }

func (g deviceGrant) HandleTokenEndpointRequest(ctx context.Context, r fosite.AccessRequester) error {
	s, form := r.GetSession().(*exchange), r.GetRequestForm()
	if err := s.begin(r); err != nil {
		return err
	}
	switch {
	case !g.mayUseDevices(s.client):
		return errDevices
	case !form.Has("device_code"):
		return protocol.Fail(protocol.InvalidRequest, "The parameter device_code is missing.").
			Because(diagnosis.ParameterMissing, "parameter", "device_code")
	}
	c, err := g.decided(ctx, s.client.ID, form)
	if err != nil {
		return err
	}
	if err := g.loadAllowed(ctx, c, s); err != nil {
		return err
	}
	if refused := g.notForDevice(s.client, s.Grant.Scopes); len(refused) > 0 {
		return errDenied.Because(diagnosis.ScopeWithdrawn, "scope", strings.Join(refused, " "))
	}
	return g.grantAll(ctx, r)
}

// decided returns the request of a device that its user has allowed.
func (g deviceGrant) decided(ctx context.Context, clientID string, form url.Values) (storage.DeviceCode, error) {
	c, err := g.Devices.Store.DeviceCode(ctx, storage.DeviceCodeID{Digest: g.Devices.Digest(deviceCode, form.Get("device_code"))})
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return c, errGrant.Because(diagnosis.CodeUnknown)
	case err != nil:
		return c, err
	case c.ClientID != clientID:
		return c, errGrant.Because(diagnosis.CodeOfAnother)
	}
	now := g.Clock()
	expired := !now.Before(c.ExpiresAt)
	switch {
	case c.State == storage.DevicePending && !expired:
		if g.polls.tooEarly(c.Digest, now, c.ExpiresAt) {
			return c, errSlow
		}
		return c, errPending
	case c.State == storage.DeviceDenied:
		err = errDenied.Because(diagnosis.UserDenied)
	case expired:
		err = errExpired
	}
	g.polls.forget(c.Digest)
	return c, err
}

// loadAllowed reads the grant that a user has allowed a device.
func (g deviceGrant) loadAllowed(ctx context.Context, c storage.DeviceCode, s *exchange) error {
	found, err := g.Grants.Issued(ctx, storage.AuthorizationCode, c.Digest)
	switch {
	case errors.Is(err, storage.ErrNotFound): // with the account
		return errDenied.Because(diagnosis.UserGone)
	case err != nil:
		return err
	case !found.Token.SpentAt.IsZero():
		return errGrant.Because(diagnosis.CodeUsed)
	case !found.Grant.RevokedAt.IsZero(), found.Grant.CreatedAt.Before(s.client.GrantsSince):
		return errDenied.Because(diagnosis.CodeRevoked)
	}
	s.presented, s.Grant = found, found.Grant
	return s.holds()
}

func (g deviceGrant) PopulateTokenEndpointResponse(ctx context.Context, r fosite.AccessRequester, response fosite.AccessResponder) error {
	if !g.CanHandleTokenEndpointRequest(ctx, r) {
		return nil
	}
	s := r.GetSession().(*exchange)
	if err := g.issueTokens(ctx, r, response, s.client.Refreshes(s.Grant.Scopes)); err != nil {
		return err
	}
	err := g.Grants.Exchange(ctx, s.presented, g.Clock(), s.Issued...)
	switch {
	case errors.Is(err, storage.ErrSpent):
		return errGrant.Because(diagnosis.CodeUsed)
	case errors.Is(err, storage.ErrEnded), errors.Is(err, storage.ErrNotFound):
		return errDenied.Because(diagnosis.CodeRevoked)
	default:
		return err
	}
}

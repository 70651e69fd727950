package engine

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/dpop"
	"github.com/bonafide-id/bonafide/provider/internal/engine/clientauth"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// Devices is how devices get tokens that a user allows in a browser (RFC 8628).
type Devices struct {
	// On reports that there is device authorization.
	On bool

	// Store keeps the requests of devices.
	Store storage.DeviceCodes

	// Digest names a code of a kind. It is keyed: a reader of the database could try all user
	// codes.
	Digest func(kind, code string) storage.Digest

	// VerificationURI is where the user enters the code. Complete adds an address with the
	// code to responses.
	VerificationURI string
	Complete        bool

	// Refuses reports whether no device gets a scope.
	Refuses func(scope string) bool

	// Life is the lifetime of the codes.
	Life time.Duration
}

// The kinds of code.
const (
	deviceCode = "device code"
	userCode   = "user code"
)

// PollInterval is how long a device waits between two polls.
const PollInterval = 5 * time.Second

// DeviceResponse is the response to a request of a device (RFC 8628 section 3.2).
type DeviceResponse struct {
	DeviceCode              string `json:"device_code"`
	UserCode                string `json:"user_code"`
	VerificationURI         string `json:"verification_uri"`
	VerificationURIComplete string `json:"verification_uri_complete,omitempty"`
	ExpiresIn               int64  `json:"expires_in"`
	Interval                int64  `json:"interval"`

	// ClientID is the client of the request, DPoPNonce for the next proof of it, or empty.
	ClientID  string `json:"-"`
	DPoPNonce string `json:"-"`
}

// Device keeps the request of a device for the user's visit, unless mayAsk returns an error for
// the authenticated client.
func (e *Engine) Device(ctx context.Context, r *http.Request, mayAsk func(*registry.Client) error) (response DeviceResponse, err error) {
	form, err := input.ReadForm(r)
	if err != nil {
		return DeviceResponse{}, err
	}
	nonce, err := e.withProof(ctx, r, form, func(proof *dpop.Proof) (err error) {
		response, err = e.device(ctx, r, form, proof, mayAsk)
		return err
	})
	response.DPoPNonce = nonce
	return response, err
}

// device checks and keeps a request whose proof has been read.
func (e *Engine) device(ctx context.Context, r *http.Request, form url.Values, proof *dpop.Proof, mayAsk func(*registry.Client) error) (DeviceResponse, error) {
	if err := e.demandProof(ctx, r, form, proof); err != nil {
		return DeviceResponse{}, err
	}
	authenticated, err := e.fosite.AuthenticateClient(ctx, r, form)
	if err != nil {
		return DeviceResponse{}, refusal(err)
	}
	client := authenticated.(fositeClient).Client
	if err := mayAsk(client); err != nil {
		return DeviceResponse{}, err
	}
	if !e.mayUseDevices(client) {
		return DeviceResponse{}, errDevices
	}
	if client.RequireDPoP && proof == nil {
		return DeviceResponse{}, errProofMissing
	}
	c := storage.DeviceCode{ClientID: client.ID, Address: request.Network(ctx), CreatedAt: e.Clock()}
	c.ExpiresAt = c.CreatedAt.Add(e.Devices.Life)
	if c.Resources, err = e.Resources.Named(form, client); err != nil {
		return DeviceResponse{}, err
	}
	if c.Scopes, err = e.deviceScopes(client, input.ScopeValues(form.Get("scope"))); err != nil {
		return DeviceResponse{}, err
	}
	if proof != nil {
		c.JKT = proof.JKT
	}
	if err := e.spendProof(ctx, proof); err != nil {
		return DeviceResponse{}, protocol.AsError(err)
	}
	return e.keepDevice(ctx, c)
}

var errDevices = protocol.Fail(protocol.UnauthorizedClient, "This application may not use this grant.").Because(diagnosis.GrantNotRegistered)

// mayUseDevices reports whether the devices of an application get tokens: never those of one
// that nobody has registered.
func (e *Engine) mayUseDevices(c *registry.Client) bool {
	return e.Devices.On && c.Dialect.Devices && !c.IsUnknown() && !c.RequireVerified && c.AllowsGrant(protocol.GrantDeviceCode)
}

// deviceScopes returns the scopes that a device asks for, as far as they mean something.
func (e *Engine) deviceScopes(c *registry.Client, asked []string) ([]string, error) {
	scopes := slices.DeleteFunc(slices.Clone(asked), func(s string) bool {
		return !e.requests.Knows(s) || s == protocol.ScopeOfflineAccess && !c.AllowsGrant(protocol.GrantRefreshToken)
	})
	if len(scopes) == 0 {
		return nil, protocol.Refused(protocol.InvalidScope).Because(diagnosis.ScopeUnknown, "scope", strings.Join(asked, " "))
	}
	if refused := e.notForDevice(c, scopes); len(refused) > 0 {
		return nil, protocol.Fail(protocol.InvalidScope, "A device of this application may not ask for this scope.").
			Because(diagnosis.ScopeNotAllowed, "scope", strings.Join(refused, " "), "registered", strings.Join(c.Scopes, " "))
	}
	return scopes, nil
}

// notForDevice returns which of the scopes a device of a client does not get.
func (e *Engine) notForDevice(c *registry.Client, scopes []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool {
		return c.AllowsScopes([]string{s}) && !e.Devices.Refuses(s)
	})
}

// maxCodes is how often a user code is made anew because another has it.
const maxCodes = 5

// keepDevice stores a request under random codes.
func (e *Engine) keepDevice(ctx context.Context, c storage.DeviceCode) (DeviceResponse, error) {
	for range maxCodes {
		device, user := random.Text(32), newUserCode()
		c.Digest, c.UserCode = e.Devices.Digest(deviceCode, device), e.Devices.Digest(userCode, user)
		err := e.Devices.Store.SaveDeviceCode(ctx, c)
		switch {
		case errors.Is(err, storage.ErrConflict):
			continue
		case errors.Is(err, storage.ErrNotFound): // the client was deleted meanwhile
			return DeviceResponse{}, clientauth.ErrRefused.Because(diagnosis.ClientUnknown)
		case err != nil:
			return DeviceResponse{}, protocol.AsError(err)
		}
		request.InFlow(ctx, c.Digest)
		response := DeviceResponse{
			DeviceCode: device, UserCode: ShownCode(user), VerificationURI: e.Devices.VerificationURI,
			ExpiresIn: int64(e.Devices.Life / time.Second), Interval: int64(PollInterval / time.Second), ClientID: c.ClientID,
		}
		if e.Devices.Complete {
			response.VerificationURIComplete = response.VerificationURI + "?user_code=" + response.UserCode
		}
		return response, nil
	}
	return DeviceResponse{}, protocol.Unavailable(storage.ErrConflict)
}

// DeviceRequest returns the pending request with the code that a user has entered, in any
// spelling. storage.ErrNotFound if there is none now.
func (e *Engine) DeviceRequest(ctx context.Context, entered string) (storage.DeviceCode, *registry.Client, error) {
	code, ok := ReadUserCode(entered)
	if !ok || !e.Devices.On {
		return storage.DeviceCode{}, nil, storage.ErrNotFound
	}
	c, err := e.Devices.Store.DeviceCode(ctx, storage.DeviceCodeID{UserCode: e.Devices.Digest(userCode, code)})
	return e.pending(ctx, c, err)
}

// DeviceAgain returns a request that a user has been shown, if it is still pending.
// storage.ErrNotFound if it is not.
func (e *Engine) DeviceAgain(ctx context.Context, digest storage.Digest) (storage.DeviceCode, *registry.Client, error) {
	c, err := e.Devices.Store.DeviceCode(ctx, storage.DeviceCodeID{Digest: digest})
	return e.pending(ctx, c, err)
}

// pending returns a request, as it was read, with its client.
func (e *Engine) pending(ctx context.Context, c storage.DeviceCode, err error) (storage.DeviceCode, *registry.Client, error) {
	if err != nil {
		return c, nil, err
	}
	if c.State != storage.DevicePending || !e.Clock().Before(c.ExpiresAt) {
		return c, nil, storage.ErrNotFound
	}
	client, err := e.Client(ctx, c.ClientID)
	if errors.Is(err, registry.ErrNoClient) || err == nil && (!e.mayUseDevices(client) || len(e.notForDevice(client, c.Scopes)) > 0) {
		return c, nil, storage.ErrNotFound
	}
	return c, client, err
}

// AllowDevice records a user's approval of the request of a device, once. The errors are those of
// storage.DeviceCodes.
func (e *Engine) AllowDevice(ctx context.Context, c storage.DeviceCode, client *registry.Client, a Approval) error {
	now := e.Clock()
	g := storage.Grant{
		ID: random.SortedID(now), Flow: c.Digest, ClientID: c.ClientID, Subject: a.Subject, Scopes: c.Scopes, Resources: c.Resources,
		Attributes: a.Attributes, Groups: a.Groups, AuthTime: a.AuthTime, AMR: a.AMR, Assurance: a.Assurance, EnrolledAt: a.EnrolledAt,
		CreatedAt: now, ExpiresAt: c.ExpiresAt.Add(e.afterCode(client)),
	}
	return e.Devices.Store.AllowDeviceCode(ctx, c.Digest, g, a.Basis, storage.Token{
		Digest: c.Digest, Kind: storage.AuthorizationCode, GrantID: g.ID, JKT: c.JKT, CreatedAt: now, ExpiresAt: c.ExpiresAt,
	})
}

// DenyDevice records that a user has refused the request of a device.
func (e *Engine) DenyDevice(ctx context.Context, c storage.DeviceCode, subject string, session storage.Digest) error {
	return e.Devices.Store.DenyDeviceCode(ctx, c.Digest, subject, session, e.Clock())
}

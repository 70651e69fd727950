package provider

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/clients"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
)

// ErrNoClient means that there is no such application.
var ErrNoClient = clients.ErrNotFound

// Save registers an application or updates its registration. An invalid field is a
// FieldError; ErrChanged if the registration has another Revision. The change takes effect
// in every process within a second. If an application with this ID was deleted, Save waits
// until its data is removed, or ctx ends. A new confidential client without a Secret gets a
// random one, unless it has a key; Clients.Secret returns it.
func (p Clients) Save(ctx context.Context, c Client) error {
	pinned, err := c.pinned(p.cfg)
	if err == nil {
		err = p.validate(pinned)
	}
	if err == nil {
		err = asFieldError(p.clients.Save(ctx, pinned.record(), c.Secret, c.pictures()))
	}
	if errors.Is(err, storage.ErrChanged) {
		return ErrChanged
	}
	if err != nil {
		return fmt.Errorf("provider: save client %q: %w", c.ID, err)
	}
	return nil
}

// Get returns the registration of an application, without its secret. Clients.Save accepts
// it, changed or not, and keeps the secret; the logo is the PNG that is served. ErrNoClient
// if there is none.
func (p Clients) Get(ctx context.Context, id string) (Client, error) {
	c, err := p.store.Client(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || err == nil && c.Deleted {
		return Client{}, ErrNoClient
	}
	if err != nil {
		return Client{}, fmt.Errorf("provider: read client: %w", err)
	}
	registered := asClient(c)
	for _, one := range []struct {
		digest storage.Digest
		to     *[]byte
	}{
		{c.Logo, &registered.Logo}, {c.LogoDark, &registered.LogoDark},
		{c.Wordmark, &registered.Wordmark}, {c.WordmarkDark, &registered.WordmarkDark},
	} {
		if one.digest.IsZero() {
			continue
		}
		picture, err := clients.Images{Store: p.store, Logger: p.cfg.Logger}.Image(ctx, one.digest)
		if err == nil {
			*one.to = picture.Bytes
		} else if !errors.Is(err, storage.ErrNotFound) {
			return Client{}, fmt.Errorf("provider: read logo: %w", err)
		}
	}
	return registered, nil
}

// Listed returns the registration of an application as List does: without secrets and
// pictures, which makes it cheap, and nothing that Save may get. ErrNoClient if there is none.
func (p clientsRoom) Listed(ctx context.Context, id string) (Client, error) {
	c, err := p.store.Client(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || err == nil && c.Deleted {
		return Client{}, ErrNoClient
	}
	if err != nil {
		return Client{}, fmt.Errorf("provider: read client: %w", err)
	}
	return asClient(c), nil
}

// List returns up to limit registrations with IDs after the given one, in byte order of the
// IDs, without secrets and pictures: to change one, read it with Get. A shorter page is the
// last.
func (p Clients) List(ctx context.Context, after string, limit int) ([]Client, error) {
	var clients []Client
	for len(clients) < limit {
		stored, err := p.store.Clients(ctx, storage.ClientFilter{}, after, limit-len(clients))
		if err != nil {
			return nil, fmt.Errorf("provider: list clients: %w", err)
		}
		if len(stored) == 0 {
			break
		}
		for _, c := range stored {
			if after = c.ID; !c.Deleted {
				clients = append(clients, p.listed(ctx, c))
			}
		}
	}
	return clients, nil
}

// listed is a registration in a list. One that is damaged is told of, and stands there by its ID.
func (p Clients) listed(ctx context.Context, c storage.Client) Client {
	if c.Unreadable {
		p.cfg.Logger.ErrorContext(ctx, "the registration of an application is damaged", slog.String("client", c.ID))
	}
	return asClient(c)
}

// OfHost returns up to limit registrations with a redirect URI of this host, without port and
// in any case, and with IDs after the given one, in byte order of the IDs, as List does.
func (p clientsRoom) OfHost(ctx context.Context, host, after string, limit int) (found []Client, err error) {
	stored, err := p.store.Clients(ctx, storage.ClientFilter{Host: host}, after, limit)
	if err != nil {
		return nil, fmt.Errorf("provider: find clients by host: %w", err)
	}
	for _, c := range stored {
		if !c.Deleted {
			found = append(found, p.listed(ctx, c))
		}
	}
	return found, nil
}

// SetDisabled disables or enables an application (Client.Disabled) and changes nothing
// else, so that it works even if the registration would no longer be accepted. It replaces
// the registration with this Revision, zero for any: ErrChanged if it has another,
// ErrNoClient if there is none.
func (p Clients) SetDisabled(ctx context.Context, id string, disabled bool, revision int64) error {
	err := p.clients.SetDisabled(ctx, id, disabled, revision)
	if errors.Is(err, storage.ErrChanged) {
		return ErrChanged
	}
	return asClientError("set client disabled", err)
}

// TakeScopes takes scopes from the registration with this Revision: the application can no
// longer ask for them, and within a second no code and no token of a grant that holds one of
// them is accepted. It returns those that it could ask for. ErrChanged if the registration has
// another Revision, ErrNoClient if there is none, a FieldError if nothing would be left:
// SetDisabled is for that.
func (p clientsRoom) TakeScopes(ctx context.Context, id string, scopes []string, revision int64) (taken []string, err error) {
	c, err := p.Listed(ctx, id)
	if err != nil {
		return nil, err
	}
	if c.Revision != revision {
		return nil, ErrChanged
	}
	held := c.Scopes
	if len(held) == 0 { // it means all
		for _, s := range p.catalogue.Scopes {
			held = append(held, s.Name)
		}
	}
	var left []string
	for _, scope := range held {
		if slices.Contains(scopes, scope) {
			taken = append(taken, scope)
		} else {
			left = append(left, scope)
		}
	}
	switch {
	case len(taken) == 0:
		return nil, nil
	case len(left) == 0:
		return nil, wrongField("Scopes", "would be empty, which means all; disable the application")
	}
	err = p.clients.LimitScopes(ctx, id, left, taken, revision)
	if errors.Is(err, storage.ErrChanged) {
		return nil, ErrChanged
	}
	return taken, asClientError("take scopes", err)
}

// Delete deletes the registration with this Revision, zero for any, with all its grants and
// consents: ErrChanged if it has another. It returns nil if there is none and any would do.
//
// The deletion is one short write, and final: the application is unusable at once in this
// process and within a second in others. Run, in any process, removes grants and consents,
// which takes minutes for a million users and hardly slows other requests. Until then no
// other application can have its ID: Clients.Save continues the removal, and then
// registers.
func (p Clients) Delete(ctx context.Context, id string, revision int64) error {
	err := p.clients.Delete(ctx, id, revision)
	if errors.Is(err, storage.ErrChanged) {
		return ErrChanged
	}
	return asClientError("delete client", err)
}

// Deleting reports whether an application was deleted and Run has yet to remove some of its
// data.
func (p clientsRoom) Deleting(ctx context.Context, id string) (bool, error) {
	c, err := p.store.Client(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("provider: read client: %w", err)
	}
	return c.Deleted, nil
}

// Bearer returns the application that presents an access token, opaque or a JWT, to a
// resource of Config.Resources in this process. The token must be in force now, of an
// application that asked for itself, and for this resource only: any other that accepts it
// could present it here. ErrToken if it is not.
func (p clientsRoom) Bearer(ctx context.Context, resource, token string) (room.Bearer, error) {
	a, err := p.engine.AccessToken(ctx, token)
	var refused *protocol.Error
	if errors.As(err, &refused) && refused.Code == protocol.InvalidToken {
		return room.Bearer{}, room.ErrToken
	}
	if err != nil {
		return room.Bearer{}, fmt.Errorf("provider: read access token: %w", err)
	}
	if a.Grant.Subject != issue.Nobody || a.Own || !slices.Equal(a.Resources, []string{resource}) {
		return room.Bearer{}, room.ErrToken
	}
	return room.Bearer{
		ClientID: a.Client.ID, Scopes: p.engine.Resources.Meaningful(a.Scopes, a.Resources),
		Signs: !a.Client.Public && a.Client.AuthMethod == protocol.AuthPrivateKey,
	}, nil
}

// SecretInfo describes a client secret without revealing it.
type SecretInfo struct {
	// ID identifies the secret within its application. It is not confidential.
	ID string

	// Hint is the last four characters of the secret, for its owner to recognize it; empty
	// if no secret of the provider opens it.
	Hint string

	CreatedAt time.Time

	// ExpiresAt is the end of the overlap after a rotation; zero for never.
	ExpiresAt time.Time

	// LastUsedAt is the last authentication with the secret, up to a minute early; zero for
	// never.
	LastUsedAt time.Time
}

// ErrLastSecret means that the secret to end is the application's only permanent one.
var ErrLastSecret = clients.ErrLastSecret

// ErrTooManySecrets means that an application has ten valid secrets.
var ErrTooManySecrets = clients.ErrTooManySecrets

// Secret returns the newest secret of an application, to show to its owner after a fresh
// sign-in. ErrNoClient if there is none. The audit log records the call.
func (p Clients) Secret(ctx context.Context, id string) (string, error) {
	secret, err := p.clients.Secret(ctx, id)
	return secret, asClientError("read client secret", err)
}

// RotateSecret gives an application a new secret and returns it. Former secrets stay valid
// for overlap, so that the application can switch without an interruption; zero ends them
// at once. ErrNoClient if there is none, ErrTooManySecrets if ten would stay valid.
//
// Of concurrent calls with one Client.Revision, one makes a secret and the others are
// ErrChanged, so that two people who press a button at once do not end each other's secret.
// With revision zero each call makes one.
func (p Clients) RotateSecret(ctx context.Context, id string, overlap time.Duration, revision int64) (string, error) {
	secret, err := p.clients.RotateSecret(ctx, id, overlap, revision)
	if errors.Is(err, storage.ErrChanged) {
		return "", ErrChanged
	}
	return secret, asClientError("rotate client secret", err)
}

// ListSecrets returns an application's valid secrets, the newest first; none for a public
// one. ErrNoClient if there is no such application.
func (p Clients) ListSecrets(ctx context.Context, id string) ([]SecretInfo, error) {
	list, err := p.clients.ListSecrets(ctx, id)
	if err != nil {
		return nil, asClientError("list client secrets", err)
	}
	secrets := make([]SecretInfo, len(list))
	for i, s := range list {
		secrets[i] = SecretInfo(s)
	}
	return secrets, nil
}

// EndSecret ends one secret of an application, by SecretInfo.ID, in every process within a
// second. It returns nil if there is no such secret. ErrNoClient if there is no such
// application; ErrLastSecret if no other permanent secret is left: Clients.RotateSecret
// makes one.
func (p Clients) EndSecret(ctx context.Context, id, secretID string) error {
	return asClientError("end client secret", p.clients.EndSecret(ctx, id, secretID))
}

// asClientError adds the attempted operation to an error that does not name it.
func asClientError(what string, err error) error {
	if err == nil || errors.Is(err, ErrNoClient) || errors.Is(err, ErrLastSecret) || errors.Is(err, ErrTooManySecrets) {
		return err
	}
	return fmt.Errorf("provider: %s: %w", what, err)
}

// validateRequestURIs returns an error for the first address of a request object that may not be registered.
func (c Client) validateRequestURIs(allowPrivate bool) error {
	if len(c.RequestURIs) > 100 {
		return wrongField("RequestURIs", "must be at most 100")
	}
	for i, uri := range c.RequestURIs {
		field := fmt.Sprintf("RequestURIs[%d]", i)
		address, digest, hashed := strings.Cut(uri, "#")
		if err := outbound.ValidateURL(address, allowPrivate); err != nil {
			return wrongField(field, "%q %w", uri, err)
		}
		if sum, err := base64.RawURLEncoding.Strict().DecodeString(digest); hashed && (err != nil || len(sum) != sha256.Size) {
			return wrongField(field, "%q has a fragment that is no SHA-256 in base64url", uri)
		}
	}
	return nil
}

// fetchObject returns what reads a request object at an address of its application, or nil where that is off. Its calls
// have a budget of their own: strangers begin them, and delay no key set and no logout notice.
func (p *Provider) fetchObject() func(ctx context.Context, address string) ([]byte, error) {
	if !p.cfg.RequestURI {
		return nil
	}
	p.objects = outbound.New(outbound.Options{AllowPrivate: p.cfg.AllowPrivateNetworks, MaxCalls: 16, MaxBody: 2 * clientkeys.MaxToken})
	return func(ctx context.Context, address string) ([]byte, error) {
		text, err := p.objects.Get(ctx, address, "application/oauth-authz-req+jwt, application/jwt")
		var status *outbound.StatusError
		if err != nil && !errors.As(err, &status) {
			err = errors.New(outbound.Reason(err))
		}
		return text, err
	}
}

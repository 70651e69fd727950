package provider

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/clients"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/oauth"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
)

// RegisterWith has a Registrar decide about registrations with a token. Without one every token
// is refused.
func (p clientsRoom) RegisterWith(r room.Registrar[Client]) { p.registrar.Store(&r) }

// RevokeRegistrationToken ends the RegistrationAccessToken of an application, in every process
// within a second. It returns nil if there is none.
func (p clientsRoom) RevokeRegistrationToken(ctx context.Context, id string) error {
	return asClientError("revoke registration access token", p.clients.RevokeRegistrationToken(ctx, id))
}

// registrations are the registrations of programs with a token.
type registrations struct{ *rooms }

// registrations returns how programs register applications with a token, or nil if they do not.
func (p *Provider) registrations() oauth.Registrations {
	if p.cfg.UnknownClients.Register == "" {
		return nil
	}
	return registrations{&p.rooms}
}

// Accepts implements oauth.Registrations.
func (p registrations) Accepts(ctx context.Context, token string) (bool, error) {
	registrar := p.registrar.Load()
	if registrar == nil {
		return false, nil
	}
	return (*registrar).Accepts(ctx, token)
}

// Register implements oauth.Registrations.
func (p registrations) Register(ctx context.Context, token string, m registration.Metadata) (registration.Answer, error) {
	registrar := p.registrar.Load()
	if registrar == nil {
		return registration.Answer{}, errInitialToken
	}
	c := asClient(m.Onto(storage.Client{Dialect: Standard}))
	c.RegistrationAccessToken = random.Text(32)
	if hasSecret(c) {
		c.Secret = random.Text(32)
	}
	saved, err := (*registrar).Register(ctx, token, c)
	if errors.Is(err, room.ErrToken) {
		return registration.Answer{}, errInitialToken
	}
	if err != nil {
		return registration.Answer{}, asRegistrationError(err)
	}
	row, err := p.store.Client(ctx, saved.ID)
	if err != nil { // the program gets its secret and token all the same: nobody else has them
		pinned, err := saved.pinned(p.cfg)
		if err != nil {
			return registration.Answer{}, err
		}
		row = pinned.record()
		row.CreatedAt = p.cfg.Clock()
	}
	return registration.AnswerOf(row, c.Secret, c.RegistrationAccessToken, p.registrationURI(row.ID)), nil
}

func hasSecret(c Client) bool {
	return !c.Public && c.TokenEndpointAuthMethod != protocol.AuthPrivateKey
}

func (p registrations) registrationURI(id string) string {
	return p.cfg.BaseURL + oauth.RegistrationPath + "/" + id
}

// Answer implements oauth.Registrations.
func (p registrations) Answer(ctx context.Context, row storage.Client, token string) (registration.Answer, error) {
	secret := ""
	if hasSecret(asClient(row)) {
		var err error
		if secret, err = p.clients.Secret(ctx, row.ID); err != nil {
			return registration.Answer{}, err
		}
	}
	return registration.AnswerOf(row, secret, token, p.registrationURI(row.ID)), nil
}

// Find implements oauth.Registrations. Whatever is wrong with a token, the error is one: nobody
// learns which applications there are.
func (p registrations) Find(ctx context.Context, id, token string) (storage.Client, error) {
	if p.registrar.Load() == nil || !claims.IsName(id) {
		return storage.Client{}, errRegistrationToken
	}
	row, err := p.store.Client(ctx, id)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return row, err
	}
	presented := storage.Digest(sha256.Sum256([]byte(token)))
	if err != nil || row.Deleted || row.RegistrationToken.IsZero() || subtle.ConstantTimeCompare(presented[:], row.RegistrationToken[:]) != 1 {
		return storage.Client{}, errRegistrationToken
	}
	if err := (*p.registrar.Load()).Manages(ctx, id); errors.Is(err, room.ErrToken) {
		return storage.Client{}, errRegistrationToken
	} else if err != nil {
		return storage.Client{}, err
	}
	if row.Disabled {
		return row, asRegistrationError(room.RegistrationRefused("The application is disabled. Its developers can enable it."))
	}
	return row, nil
}

// Replace implements oauth.Registrations. What the metadata cannot say, such as pictures, stays.
func (p registrations) Replace(ctx context.Context, row storage.Client, m registration.Metadata) error {
	if err := p.checkReplacement(row, m); err != nil {
		return err
	}
	now, err := Clients(p).Get(ctx, row.ID)
	if err == nil && now.Revision != row.Version {
		err = ErrChanged
	}
	if err != nil {
		return asRegistrationError(err)
	}
	wanted := asClient(m.Onto(row))
	wanted.Logo, wanted.LogoDark, wanted.Wordmark, wanted.WordmarkDark = now.Logo, now.LogoDark, now.Wordmark, now.WordmarkDark
	return asRegistrationError((*p.registrar.Load()).Replace(ctx, now, wanted))
}

// checkReplacement refuses metadata that cannot replace those of a registration (RFC 7592 section
// 2.2).
func (p registrations) checkReplacement(row storage.Client, m registration.Metadata) error {
	wanted := m.Onto(row)
	switch {
	case m.ClientID != row.ID:
		return protocol.Fail(protocol.InvalidClientMetadata, "client_id must be that of the registration.")
	case wanted.Public != row.Public:
		return protocol.Fail(protocol.InvalidClientMetadata, "token_endpoint_auth_method cannot change between none and the others: register another application.")
	case m.Secret != "" && !p.isSecret(row, m.Secret):
		return protocol.Fail(protocol.InvalidClientMetadata, "client_secret must be the one that is registered, or be left out.")
	}
	return nil
}

// isSecret reports whether a text is one of the secrets of a registration.
func (p registrations) isSecret(row storage.Client, text string) bool {
	for _, s := range row.Secrets {
		plain, err := p.secrets.Open(clients.SealPurpose, s.Sealed)
		if err == nil && subtle.ConstantTimeCompare(plain, []byte(text)) == 1 {
			return true
		}
	}
	return false
}

// Remove implements oauth.Registrations.
func (p registrations) Remove(ctx context.Context, row storage.Client) error {
	return asRegistrationError((*p.registrar.Load()).Remove(ctx, asClient(row)))
}

var (
	errInitialToken      = bearerError("The initial access token is unknown, expired, used up or revoked.")
	errRegistrationToken = bearerError("The registration access token is not good for this registration.")
)

func bearerError(description string) error {
	err := protocol.Fail(protocol.InvalidToken, description)
	err.BearerOnly = true
	return err
}

// asRegistrationError is the error of a Registrar as a program reads it.
func asRegistrationError(err error) error {
	var wrong *FieldError
	var refused room.RegistrationRefused
	switch {
	case err == nil:
		return nil
	case errors.Is(err, room.ErrToken), errors.Is(err, ErrNoClient):
		return errRegistrationToken
	case errors.Is(err, ErrChanged):
		return &protocol.Error{Code: protocol.InvalidRequest, Status: http.StatusConflict, Description: "The registration has changed meanwhile. Read it again."}
	case errors.As(err, &refused):
		return &protocol.Error{Code: protocol.AccessDenied, Status: http.StatusForbidden, Description: string(refused)}
	case errors.As(err, &wrong):
		code, name := protocol.InvalidClientMetadata, memberOf(wrong.Field)
		if strings.HasPrefix(name, "redirect_uris") {
			code = protocol.InvalidRedirectURI
		}
		return protocol.Fail(code, name+" "+wrong.Err.Error()+".")
	}
	return err
}

// memberOf returns the member of the metadata that a field of Client is, with its index.
func memberOf(field string) string {
	name, index, isList := strings.Cut(field, "[")
	f, ok := reflect.TypeFor[Client]().FieldByName(name)
	if !ok {
		return field
	}
	member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "Name":
		member = "client_name"
	case name == "Scopes":
		member = "scope"
	case isList:
		member += "[" + index
	}
	return member
}

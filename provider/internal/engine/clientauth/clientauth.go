package clientauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/engine/signed"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// credentials are those that a request presents. A Basic header has two
// readings: RFC 6749 section 2.3.1 encodes both parts as a form, and widespread
// libraries do not.
type credentials struct {
	method   string
	readings [][2]string
}

// ErrRefused is the answer to whoever does not authenticate.
var ErrRefused = protocol.Fail(protocol.InvalidClient, "The application's credentials are missing or wrong.")

// Authenticator finds out which client sends a request.
type Authenticator struct {
	Clients    registry.Source
	Signatures *signed.Verifier

	// OpenSecret unseals a client secret.
	OpenSecret func(sealed []byte) ([]byte, error)

	// OnSecretUse is called after a client has authenticated itself with the secret that was made
	// at created.
	OnSecretUse func(clientID string, created time.Time)

	Clock func() time.Time
}

// Authenticate returns the client that sends a request, by its key, its secret or, when it
// is public, its name.
func (a *Authenticator) Authenticate(ctx context.Context, r *http.Request, form url.Values) (*registry.Client, error) {
	var client *registry.Client
	var err error
	if form.Has("client_assertion") || form.Has("client_assertion_type") {
		client, err = a.authenticateByKey(ctx, r, form)
	} else {
		client, err = a.BySecret(ctx, r, form)
	}
	if err != nil {
		return nil, err
	}
	if input.IsJSON(r) && !client.Dialect.JSONRequests {
		return nil, protocol.Fail(protocol.InvalidRequest, "Send the parameters as application/x-www-form-urlencoded.").Because(diagnosis.JSONUnavailable)
	}
	return client, nil
}

// BySecret authenticates a client by its secret, or a public client by its name.
func (a *Authenticator) BySecret(ctx context.Context, r *http.Request, form url.Values) (*registry.Client, error) {
	presented, err := readCredentials(r, form)
	if err != nil {
		return nil, err
	}
	refused := ErrRefused.Because(diagnosis.ClientUnknown)
	for _, reading := range presented.readings {
		client, err := a.Clients.Client(ctx, reading[0])
		if errors.Is(err, registry.ErrNoClient) {
			if errors.Is(err, registry.ErrDisabled) {
				refused = ErrRefused.Because(diagnosis.ApplicationDisabled)
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		ok, used, err := a.verifySecret(client, presented.method, reading[1])
		if err != nil {
			return nil, err
		}
		if used != nil && !request.IsTrial(ctx) {
			a.OnSecretUse(client.ID, used.CreatedAt)
		}
		if ok {
			return client, nil
		}
		refused = misfit(client, presented.method)
	}
	return nil, refused
}

// misfit says why a client did not authenticate.
func misfit(c *registry.Client, method string) *protocol.Error {
	switch {
	case c.Public:
		return ErrRefused.Because(diagnosis.PublicWithSecret)
	case method == protocol.AuthNone && c.AuthMethod == protocol.AuthPrivateKey:
		return ErrRefused.Because(diagnosis.AssertionMissing)
	case method == protocol.AuthNone:
		return ErrRefused.Because(diagnosis.SecretMissing)
	case c.AuthMethod != "" && c.AuthMethod != method:
		return ErrRefused.Because(diagnosis.AuthMethodWrong, "method", method, "registered", c.AuthMethods())
	default:
		return ErrRefused.Because(diagnosis.SecretWrong)
	}
}

// verifySecret reports whether the secret, presented by this method, is the client's, and
// which one of several it is; nil for a client that has none.
func (a *Authenticator) verifySecret(c *registry.Client, method, secret string) (ok bool, used *storage.ClientSecret, err error) {
	if c.Public {
		return secret == "", nil, nil
	}
	if method == protocol.AuthNone || c.AuthMethod != "" && c.AuthMethod != method {
		return false, nil, nil
	}
	presented, now := sha256.Sum256([]byte(secret)), a.Clock()
	var unread error
	for i, s := range c.Secrets {
		if !s.ExpiresAt.IsZero() && !now.Before(s.ExpiresAt) {
			continue
		}
		registered, err := c.SecretDigest(i, a.OpenSecret)
		if err != nil { // the other one may do
			unread = fmt.Errorf("open secret of client %s, sealed under neither the current nor a previous secret of the provider: %w", c.ID, err)
			continue
		}
		if subtle.ConstantTimeCompare(registered[:], presented[:]) == 1 {
			used = &c.Secrets[i]
		}
	}
	if used == nil && unread != nil {
		return false, nil, unread
	}
	return used != nil, used, nil
}

func readCredentials(r *http.Request, form url.Values) (credentials, error) {
	id, secret := form.Get("client_id"), form.Get("client_secret")
	header := r.Header["Authorization"]
	switch {
	case len(header) == 0 && form.Has("client_secret"):
		return credentials{protocol.AuthPost, [][2]string{{id, secret}}}, nil
	case len(header) == 0:
		return credentials{protocol.AuthNone, [][2]string{{id, ""}}}, nil
	case len(header) > 1 || secret != "":
		return credentials{}, protocol.Fail(protocol.InvalidRequest, "The application's credentials are given more than once.").Because(diagnosis.CredentialsRepeated)
	}
	readings, err := parseBasic(header[0])
	if err != nil {
		return credentials{}, err
	}
	if id != "" {
		for _, reading := range readings {
			if reading[0] == id {
				return credentials{protocol.AuthBasic, readings}, nil
			}
		}
		return credentials{}, protocol.Fail(protocol.InvalidRequest, "The header and the body name different applications.").Because(diagnosis.CredentialsRepeated)
	}
	return credentials{protocol.AuthBasic, readings}, nil
}

// parseBasic returns the readings of an Authorization header of the scheme Basic
// (RFC 7617), the decoded one first.
func parseBasic(header string) ([][2]string, error) {
	scheme, encoded, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") || len(encoded) > 2*input.MaxValue {
		return nil, ErrRefused.Because(diagnosis.CredentialsMalformed)
	}
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return nil, ErrRefused.Because(diagnosis.CredentialsMalformed)
	}
	id, secret, ok := strings.Cut(string(decoded), ":")
	if !ok {
		return nil, ErrRefused.Because(diagnosis.CredentialsMalformed)
	}
	readings := [][2]string{{id, secret}}
	unescapedID, err1 := url.QueryUnescape(id)
	unescapedSecret, err2 := url.QueryUnescape(secret)
	if err1 == nil && err2 == nil && (unescapedID != id || unescapedSecret != secret) {
		readings = [][2]string{{unescapedID, unescapedSecret}, readings[0]}
	}
	return readings, nil
}

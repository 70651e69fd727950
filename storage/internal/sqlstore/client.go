package sqlstore

import (
	"context"
	"encoding/json"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// clientDocument is how a client is kept. It has names of its own, so that a field
// of storage.Client can be renamed without losing what is stored; every time is
// microseconds since 1970, absent when zero.
type clientDocument struct {
	Name                   string           `json:"name"`
	Dialect                string           `json:"dialect"`
	Public                 bool             `json:"public,omitempty"`
	Secrets                []secretDocument `json:"secrets,omitempty"`
	AuthMethod             string           `json:"auth_method"`
	RedirectURIs           []string         `json:"redirect_uris"`
	PostLogoutRedirectURIs []string         `json:"post_logout_redirect_uris"`
	ResponseTypes          []string         `json:"response_types"`
	GrantTypes             []string         `json:"grant_types"`
	Scopes                 []string         `json:"scopes"`
	Origins                []string         `json:"origins"`
	UserinfoSigned         bool             `json:"userinfo_signed,omitempty"`
	RequireVerified        bool             `json:"require_verified,omitempty"`
	SkipConsent            bool             `json:"skip_consent,omitempty"`
	Disabled               bool             `json:"disabled,omitempty"`
	Logo                   []byte           `json:"logo,omitempty"`
	ButtonColor            string           `json:"button_color,omitempty"`
	PolicyURI              string           `json:"policy_uri,omitempty"`
	TermsURI               string           `json:"terms_uri,omitempty"`
	CreatedAt              *int64           `json:"created_at,omitempty"`
	UpdatedAt              *int64           `json:"updated_at,omitempty"`
}

type secretDocument struct {
	Sealed    []byte `json:"sealed"`
	CreatedAt *int64 `json:"created_at,omitempty"`
	ExpiresAt *int64 `json:"expires_at,omitempty"`
}

// Client implements storage.Clients.
func (s *Store) Client(ctx context.Context, id string) (storage.Client, error) {
	return read(ctx, s, "read client", func(tx *tx) (storage.Client, error) {
		return one(tx, scanClient, `SELECT id, document FROM clients WHERE id = ?1`, id)
	})
}

// SaveClient implements storage.Clients.
func (s *Store) SaveClient(ctx context.Context, c storage.Client) error {
	document, err := json.Marshal(toDocument(c))
	if err != nil {
		return err
	}
	return s.change(ctx, "save client", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO clients (id, document) VALUES (?1, ?2)
			ON CONFLICT (id) DO UPDATE SET document = excluded.document`, c.ID, string(document))
		return err
	})
}

// Clients implements storage.Clients.
func (s *Store) Clients(ctx context.Context, after string, limit int) ([]storage.Client, error) {
	return read(ctx, s, "list clients", func(tx *tx) ([]storage.Client, error) {
		return all(tx, scanClient,
			`SELECT id, document FROM clients WHERE id > ?1 ORDER BY id LIMIT ?2`, after, max(limit, 0))
	})
}

// DeleteClient implements storage.Clients.
func (s *Store) DeleteClient(ctx context.Context, id string) error {
	return s.change(ctx, "delete client", func(tx *tx) error {
		_, err := tx.exec(`DELETE FROM clients WHERE id = ?1`, id) // cascades
		return err
	})
}

func scanClient(row scanner) (storage.Client, error) {
	var id, text string
	if err := row.Scan(&id, &text); err != nil {
		return storage.Client{}, err
	}
	var d clientDocument
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return storage.Client{}, err
	}
	return fromDocument(id, d), nil
}

func toDocument(c storage.Client) clientDocument {
	d := clientDocument{
		Name:                   c.Name,
		Dialect:                c.Dialect,
		Public:                 c.Public,
		AuthMethod:             c.AuthMethod,
		RedirectURIs:           c.RedirectURIs,
		PostLogoutRedirectURIs: c.PostLogoutRedirectURIs,
		ResponseTypes:          c.ResponseTypes,
		GrantTypes:             c.GrantTypes,
		Scopes:                 c.Scopes,
		Origins:                c.Origins,
		UserinfoSigned:         c.UserinfoSigned,
		RequireVerified:        c.RequireVerified,
		SkipConsent:            c.SkipConsent,
		Disabled:               c.Disabled,
		ButtonColor:            c.ButtonColor,
		PolicyURI:              c.PolicyURI,
		TermsURI:               c.TermsURI,
		CreatedAt:              toMicros(c.CreatedAt),
		UpdatedAt:              toMicros(c.UpdatedAt),
	}
	if !c.Logo.IsZero() {
		d.Logo = c.Logo[:]
	}
	for _, secret := range c.Secrets {
		d.Secrets = append(d.Secrets, secretDocument{
			Sealed:    secret.Sealed,
			CreatedAt: toMicros(secret.CreatedAt),
			ExpiresAt: toMicros(secret.ExpiresAt),
		})
	}
	return d
}

func fromDocument(id string, d clientDocument) storage.Client {
	c := storage.Client{
		ID:                     id,
		Name:                   d.Name,
		Dialect:                d.Dialect,
		Public:                 d.Public,
		AuthMethod:             d.AuthMethod,
		RedirectURIs:           d.RedirectURIs,
		PostLogoutRedirectURIs: d.PostLogoutRedirectURIs,
		ResponseTypes:          d.ResponseTypes,
		GrantTypes:             d.GrantTypes,
		Scopes:                 d.Scopes,
		Origins:                d.Origins,
		UserinfoSigned:         d.UserinfoSigned,
		RequireVerified:        d.RequireVerified,
		SkipConsent:            d.SkipConsent,
		Disabled:               d.Disabled,
		ButtonColor:            d.ButtonColor,
		PolicyURI:              d.PolicyURI,
		TermsURI:               d.TermsURI,
		CreatedAt:              fromMicros(d.CreatedAt),
		UpdatedAt:              fromMicros(d.UpdatedAt),
	}
	copy(c.Logo[:], d.Logo)
	for _, secret := range d.Secrets {
		c.Secrets = append(c.Secrets, storage.ClientSecret{
			Sealed:    secret.Sealed,
			CreatedAt: fromMicros(secret.CreatedAt),
			ExpiresAt: fromMicros(secret.ExpiresAt),
		})
	}
	return c
}

func toMicros(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	micros := t.UnixMicro()
	return &micros
}

func fromMicros(micros *int64) time.Time {
	if micros == nil {
		return time.Time{}
	}
	return time.UnixMicro(*micros).UTC()
}

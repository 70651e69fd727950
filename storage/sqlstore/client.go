package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
)

// Client implements storage.Clients.
func (s *Store) Client(ctx context.Context, id string) (storage.Client, error) {
	return read(ctx, s, "read client", func(tx *tx) (storage.Client, error) {
		c, err := one(tx, scanRegistration, `SELECT version, registration FROM main.clients WHERE id = ?1`, id)
		if err == nil {
			c.ID = id
		}
		return c, err
	})
}

// SaveClient implements storage.Clients.
func (s *Store) SaveClient(ctx context.Context, c storage.Client) error {
	document, err := json.Marshal(c)
	if err != nil {
		return err
	}
	version := newVersion()
	return s.change(ctx, "save client", func(tx *tx) error {
		var saved int
		var err error
		if c.Version == 0 {
			if err := refuseDenied(tx, c); err != nil {
				return err
			}
			saved, err = tx.exec(`INSERT INTO main.clients (id, version, registration, origin, expires_at)
				VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO NOTHING`,
				c.ID, version, string(document), c.Origin, micros(c.ExpiresAt))
		} else {
			saved, err = tx.exec(`UPDATE main.clients SET version = ?2, registration = ?3, origin = ?5, expires_at = ?6
				WHERE id = ?1 AND version = ?4`,
				c.ID, version, string(document), c.Version, c.Origin, micros(c.ExpiresAt))
		}
		if err == nil && saved == 0 {
			return storage.ErrChanged
		}
		if err != nil {
			return err
		}
		return saveHosts(tx, c)
	})
}

// Clients implements storage.Clients. Conditions that are those of an index stand in the query as
// in the index.
func (s *Store) Clients(ctx context.Context, match storage.ClientFilter, after string, limit int) ([]storage.Client, error) {
	var filter where
	from, id := `main.clients c`, `c.id`
	if match.Host != "" || match.ListedHost != "" {
		from, id = `main.client_hosts h JOIN main.clients c ON c.id = h.client_id`, `h.client_id`
		filter.and("h.host = ?", cmp.Or(strings.ToLower(match.Host), match.ListedHost))
	}
	if match.ListedHost != "" {
		filter.conditions = append(filter.conditions, "h.listed_at IS NOT NULL")
	}
	if match.Deleted {
		filter.conditions = append(filter.conditions, "c.deleted = 1")
	}
	if match.Registered {
		filter.conditions = append(filter.conditions, "c.origin = ''")
	}
	if match.Origin != "" {
		filter.and("c.origin = ?", match.Origin)
		filter.conditions = append(filter.conditions, "c.origin <> ''")
	}
	if match.ExpiredAt != nil {
		filter.and("c.expires_at <= ?", micros(*match.ExpiredAt))
		filter.conditions = append(filter.conditions, "c.deleted IS NULL")
	}
	filter.and(id+" > ?", after)
	query := `SELECT c.id, c.version, c.registration FROM ` + from + filter.String() + ` ORDER BY ` + id + ` LIMIT ` + filter.param(max(limit, 0))
	return read(ctx, s, "list clients", func(tx *tx) ([]storage.Client, error) {
		return all(tx, scanClient, query, filter.args...)
	})
}

// DeleteClient implements storage.Clients.
func (s *Store) DeleteClient(ctx context.Context, id string, version int64) error {
	return s.change(ctx, "delete client", func(tx *tx) error {
		deleted, err := tx.exec(`DELETE FROM main.clients WHERE id = ?1 AND version = ?2`, id, version) // cascades
		if err == nil && deleted == 0 {
			return storage.ErrChanged
		}
		if err != nil {
			return err
		}
		return haveChecked(tx, `client_id = ?1`, id)
	})
}

func scanRegistration(row scanner) (c storage.Client, err error) {
	var document []byte
	if err := row.Scan(&c.Version, &document); err != nil {
		return storage.Client{}, err
	}
	err = c.UnmarshalJSON(document)
	return c, err
}

// scanClient is for lists: a registration that is damaged keeps no other from them.
func scanClient(row scanner) (c storage.Client, err error) {
	var document []byte
	if err := row.Scan(&c.ID, &c.Version, &document); err != nil {
		return storage.Client{}, err
	}
	if c.UnmarshalJSON(document) != nil { // through json.Unmarshal it is parsed once more
		c = storage.Client{ID: c.ID, Version: c.Version, Disabled: true, Unreadable: true}
	}
	return c, nil
}

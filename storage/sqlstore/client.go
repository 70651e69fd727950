package sqlstore

import (
	"context"
	"encoding/json"
	"time"

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

// Clients implements storage.Clients.
func (s *Store) Clients(ctx context.Context, after string, limit int) ([]storage.Client, error) {
	return read(ctx, s, "list clients", func(tx *tx) ([]storage.Client, error) {
		return all(tx, scanClient,
			`SELECT id, version, registration FROM main.clients WHERE id > ?1 ORDER BY id LIMIT ?2`, after, max(limit, 0))
	})
}

// DeletedClients implements storage.Clients.
func (s *Store) DeletedClients(ctx context.Context, after string, limit int) ([]storage.Client, error) {
	return read(ctx, s, "list deleted clients", func(tx *tx) ([]storage.Client, error) {
		return all(tx, scanClient, `SELECT id, version, registration FROM main.clients
			WHERE deleted = 1 AND id > ?1 ORDER BY id LIMIT ?2`, after, max(limit, 0))
	})
}

// ClientsOfOrigin implements storage.Clients. The conditions on the empty one are those of the
// indexes.
func (s *Store) ClientsOfOrigin(ctx context.Context, origin, after string, limit int) ([]storage.Client, error) {
	return read(ctx, s, "list clients of an origin", func(tx *tx) ([]storage.Client, error) {
		if origin == "" {
			return all(tx, scanClient, `SELECT id, version, registration FROM main.clients
				WHERE origin = '' AND id > ?1 ORDER BY id LIMIT ?2`, after, max(limit, 0))
		}
		return all(tx, scanClient, `SELECT id, version, registration FROM main.clients
			WHERE origin = ?1 AND origin <> '' AND id > ?2 ORDER BY id LIMIT ?3`, origin, after, max(limit, 0))
	})
}

// ExpiredClients implements storage.Clients.
func (s *Store) ExpiredClients(ctx context.Context, now time.Time, after string, limit int) ([]storage.Client, error) {
	return read(ctx, s, "list expired clients", func(tx *tx) ([]storage.Client, error) {
		return all(tx, scanClient, `SELECT id, version, registration FROM main.clients
			WHERE expires_at <= ?1 AND deleted IS NULL AND id > ?2 ORDER BY id LIMIT ?3`, micros(now), after, max(limit, 0))
	})
}

// DeleteClient implements storage.Clients.
func (s *Store) DeleteClient(ctx context.Context, id string, version int64) error {
	return s.change(ctx, "delete client", func(tx *tx) error {
		deleted, err := tx.exec(`DELETE FROM main.clients WHERE id = ?1 AND version = ?2`, id, version) // cascades
		if err == nil && deleted == 0 {
			return storage.ErrChanged
		}
		return err
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

package sqlstore

import (
	"context"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
)

// saveHosts records the hosts of a client in place of those of before.
func saveHosts(tx *tx, c storage.Client) error {
	if _, err := tx.exec(`DELETE FROM main.client_hosts WHERE client_id = ?1`, c.ID); err != nil {
		return err
	}
	hosts, listed := c.Hosts(), c.ListedHosts()
	for _, host := range listed {
		if !slices.Contains(hosts, host) { // that of programs on a device
			hosts = append(hosts, host)
		}
	}
	for _, host := range hosts {
		var at any
		if slices.Contains(listed, host) {
			at = storage.UnixMicro(c.CreatedAt)
		}
		if _, err := tx.exec(`INSERT INTO main.client_hosts (host, client_id, listed_at) VALUES (?1, ?2, ?3)`, host, c.ID, at); err != nil {
			return err
		}
	}
	return nil
}

// ClientsOfHost implements storage.Clients.
func (s *Store) ClientsOfHost(ctx context.Context, host, after string, limit int) ([]storage.Client, error) {
	return read(ctx, s, "list clients of host", func(tx *tx) ([]storage.Client, error) {
		return all(tx, scanClient, `SELECT c.id, c.version, c.registration FROM main.client_hosts h JOIN main.clients c ON c.id = h.client_id
			WHERE h.host = ?1 AND h.client_id > ?2 ORDER BY h.client_id LIMIT ?3`, strings.ToLower(host), after, max(limit, 0))
	})
}

// ClientsOfUnknownHost implements storage.ClientHosts.
func (s *Store) ClientsOfUnknownHost(ctx context.Context, host, after string, limit int) ([]storage.Client, error) {
	return read(ctx, s, "list clients of unknown host", func(tx *tx) ([]storage.Client, error) {
		return all(tx, scanClient, `SELECT c.id, c.version, c.registration FROM main.client_hosts h JOIN main.clients c ON c.id = h.client_id
			WHERE h.host = ?1 AND h.listed_at IS NOT NULL AND h.client_id > ?2 ORDER BY h.client_id LIMIT ?3`, host, after, max(limit, 0))
	})
}

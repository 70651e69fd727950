package sqlstore

import (
	"slices"

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

package sqlstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const denialColumns = `host, reason, denied_by, denied_at`

// DenyHost implements storage.ClientHosts.
func (s *Store) DenyHost(ctx context.Context, d storage.HostDenial) error {
	return s.change(ctx, "deny host", func(tx *tx) error {
		denied, err := tx.exec(`INSERT INTO main.denied_hosts (`+denialColumns+`) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (host) DO NOTHING`,
			d.Host, d.Reason, d.By, storage.UnixMicro(d.At))
		return unlessWritten(denied, err)
	})
}

// AllowHost implements storage.ClientHosts.
func (s *Store) AllowHost(ctx context.Context, host string, deniedAt time.Time) error {
	return s.change(ctx, "allow host", func(tx *tx) error {
		return unlessWritten(tx.exec(`DELETE FROM main.denied_hosts WHERE host = ?1 AND denied_at = ?2`, host, storage.UnixMicro(deniedAt)))
	})
}

// unlessWritten turns a row that was not written into storage.ErrChanged.
func unlessWritten(written int, err error) error {
	if err == nil && written == 0 {
		return storage.ErrChanged
	}
	return err
}

// HostDenial implements storage.ClientHosts.
func (s *Store) HostDenial(ctx context.Context, hosts ...string) (storage.HostDenial, error) {
	return read(ctx, s, "read denial of host", func(tx *tx) (storage.HostDenial, error) { return denialOf(tx, hosts) })
}

// denialOf returns a denial that holds for one of some hosts: of it, or of a host above it.
func denialOf(tx *tx, hosts []string) (storage.HostDenial, error) {
	var w where
	var names []string
	for _, host := range withParents(hosts) {
		names = append(names, w.param(host))
	}
	if len(names) == 0 {
		return storage.HostDenial{}, storage.ErrNotFound
	}
	return one(tx, scanDenial, `SELECT `+denialColumns+` FROM main.denied_hosts WHERE host IN (`+strings.Join(names, ", ")+`)
		ORDER BY host LIMIT 1`, w.args...)
}

// withParents returns hosts and those above them, each once.
func withParents(hosts []string) (all []string) {
	for _, host := range hosts {
		for host != "" {
			all = append(all, host)
			_, host, _ = strings.Cut(host, ".")
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// refuseDenied returns storage.ErrDenied for a client of a denied host that nobody has registered.
func refuseDenied(tx *tx, c storage.Client) error {
	if c.Origin == "" {
		return nil
	}
	_, err := denialOf(tx, c.Hosts())
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil
	case err == nil:
		return storage.ErrDenied
	}
	return err
}

// HostDenials implements storage.ClientHosts.
func (s *Store) HostDenials(ctx context.Context, after string, limit int) ([]storage.HostDenial, error) {
	return read(ctx, s, "list denials of hosts", func(tx *tx) ([]storage.HostDenial, error) {
		return all(tx, scanDenial, `SELECT `+denialColumns+` FROM main.denied_hosts WHERE host > ?1 ORDER BY host LIMIT ?2`, after, max(limit, 0))
	})
}

func scanDenial(row scanner) (d storage.HostDenial, err error) {
	err = row.Scan(&d.Host, &d.Reason, &d.By, (*instant)(&d.At))
	return d, err
}

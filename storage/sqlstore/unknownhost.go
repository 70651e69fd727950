package sqlstore

import (
	"context"
	"errors"

	"github.com/bonafide-id/bonafide/storage"
)

// UnknownHosts implements storage.ClientHosts. Each host is found by the one before it, so that
// many clients of one are not read.
func (s *Store) UnknownHosts(ctx context.Context, after string, limit int, host ...string) ([]storage.UnknownHost, error) {
	return read(ctx, s, "list unknown hosts", func(tx *tx) (found []storage.UnknownHost, err error) {
		for _, one := range host {
			h, err := unknownHost(tx, one)
			return []storage.UnknownHost{h}, err
		}
		for len(found) < limit {
			after, err = one(tx, scanString, `SELECT host FROM main.client_hosts WHERE listed_at IS NOT NULL AND host > ?1 ORDER BY host LIMIT 1`, after)
			if errors.Is(err, storage.ErrNotFound) {
				break
			}
			if err != nil {
				return nil, err
			}
			h, err := unknownHost(tx, after)
			if err != nil {
				return nil, err
			}
			found = append(found, h)
		}
		return found, nil
	})
}

// oldestListed are the clients of a host of which is counted: a flood of new ones hides none that
// is in use.
const oldestListed = `(SELECT client_id, listed_at FROM main.client_hosts WHERE host = ?1 AND listed_at IS NOT NULL
	ORDER BY listed_at, client_id LIMIT ?2)`

// unknownHost counts what there is of a host.
func unknownHost(tx *tx, host string) (storage.UnknownHost, error) {
	h, err := one(tx, func(row scanner) (h storage.UnknownHost, err error) {
		err = row.Scan(&h.Clients, &h.Documents, (*instant)(&h.FirstSeenAt))
		return h, err
	}, `SELECT count(*), CAST(coalesce(sum(CASE c.origin WHEN 'document' THEN 1 ELSE 0 END), 0) AS BIGINT), min(o.listed_at)
		FROM `+oldestListed+` AS o JOIN main.clients c ON c.id = o.client_id`, host, storage.CountedClients)
	if err != nil {
		return h, err
	}
	h.Host = host
	used, err := one(tx, func(row scanner) (used storage.UnknownHost, err error) {
		err = row.Scan(&used.People, (*instant)(&used.LastUsedAt))
		return used, err
	}, `SELECT count(DISTINCT u.subject), max(u.at) FROM (
			SELECT k.subject, coalesce(k.last_used_at, k.decided_at) AS at FROM `+oldestListed+` AS o
			JOIN main.consents k ON k.client_id = o.client_id WHERE k.decided_at IS NOT NULL LIMIT ?3
		) AS u`, host, storage.CountedClients, storage.CountedPeople)
	h.People, h.LastUsedAt = used.People, used.LastUsedAt
	return h, err
}

package sqlstore

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// OpenList implements storage.Credentials. It is called all the time, and mostly finds room, which takes
// no writer.
func (s *Store) OpenList(ctx context.Context, most int, at time.Time) (int64, error) {
	latest, err := s.latestList(ctx)
	if err == nil && latest > 0 {
		var taken int
		taken, err = read(ctx, s, "count places of a list", func(tx *tx) (int, error) {
			return one(tx, scanInt, `SELECT count(*) FROM (SELECT 1 FROM main.credentials WHERE list = ?1 LIMIT ?2) AS open`, latest, max(most, 0))
		})
		if err == nil && taken < most {
			return latest, nil
		}
	}
	if err != nil {
		return 0, err
	}
	return latest + 1, s.change(ctx, "open list", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO main.credential_lists (number, opened_at) VALUES (?1, ?2) ON CONFLICT (number) DO NOTHING`, latest+1, micros(at))
		return err
	})
}

// latestList returns the number of the list that takes new credentials, zero before the first.
func (s *Store) latestList(ctx context.Context) (int64, error) {
	return read(ctx, s, "look for the latest list", func(tx *tx) (int64, error) {
		return one(tx, scanRevision, `SELECT coalesce(max(number), 0) FROM main.credential_lists`)
	})
}

// EndedPlaces implements storage.Credentials.
func (s *Store) EndedPlaces(ctx context.Context, list int64) ([]int, error) {
	places, err := read(ctx, s, "read ended places", func(tx *tx) ([]int, error) {
		return all(tx, scanInt, `SELECT place FROM main.credentials WHERE list = ?1 AND ended_at IS NOT NULL ORDER BY place`, list)
	})
	if err != nil || len(places) > 0 {
		return places, err
	}
	latest, err := s.latestList(ctx)
	switch {
	case err != nil:
		return nil, err
	case list < 1 || list > latest:
		return nil, storage.ErrNotFound
	case list == latest:
		return nil, nil
	}
	left, err := read(ctx, s, "look for places of a list", func(tx *tx) ([]int, error) {
		return all(tx, scanInt, `SELECT 1 FROM main.credentials WHERE list = ?1 LIMIT 1`, list)
	})
	if err == nil && len(left) == 0 {
		err = storage.ErrEnded
	}
	return nil, err
}

// places are the list of some places that have ended, and the times of their credentials.
type places struct {
	list            int64
	issued, expires instant
}

func scanPlaces(row scanner) (p places, err error) {
	err = row.Scan(&p.list, &p.issued, &p.expires)
	return p, err
}

// takeFree takes one to three free places of each list on which some have ended: they look as these
// do, and leave the list together with one of them.
func takeFree(tx *tx, ended []places) error {
	like := map[int64]places{}
	for _, p := range ended {
		like[p.list] = p
	}
	for _, p := range like {
		left := 1 + int(random32()%3)
		for tries := 0; left > 0 && tries < maxTries; tries++ {
			taken, err := tx.exec(`INSERT INTO main.credentials (id, subject, client_id, group_name, list, place, status_revision, issued_at, expires_at, checked_at, ended_at)
				VALUES (?1, '', '', '', ?2, ?3, 0, ?4, ?5, ?4, ?4) ON CONFLICT (list, place) DO NOTHING`,
				"free-"+rand.Text(), p.list, int64(random32()%storage.CredentialPlaces), micros(time.Time(p.issued)), micros(time.Time(p.expires)))
			if err != nil {
				return err
			}
			left -= taken
		}
	}
	return nil
}

// maxTries bounds the search for free places: no list is full.
const maxTries = 16

func random32() uint32 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails: the program stops without randomness
	return binary.BigEndian.Uint32(b[:])
}

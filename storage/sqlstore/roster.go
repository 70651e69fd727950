package sqlstore

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Roster implements storage.Rosters.
func (s *Store) Roster(ctx context.Context, name string) (storage.Roster, error) {
	roster, err := read(ctx, s, "read roster", func(tx *tx) (storage.Roster, error) {
		return one(tx, scanRoster, `SELECT r.name, r.generation, coalesce(g.row_count, 0), r.previous, r.imported_at, r.imported_by
			FROM main.rosters r LEFT JOIN main.roster_generations g ON g.name = r.name AND g.generation = r.generation
			WHERE r.name = ?1`, name)
	})
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Roster{Name: name}, nil
	}
	return roster, err
}

// StageRoster implements storage.Rosters. The row of the generation is locked while rows are
// added: it does not come into force meanwhile.
func (s *Store) StageRoster(ctx context.Context, name string, generation int64, rows []storage.RosterRow, skipped int, at time.Time) error {
	return s.change(ctx, "stage roster", func(tx *tx) error {
		if _, err := tx.exec(`INSERT INTO main.roster_generations (name, generation, row_count, skipped, staged_at, used, removed)
			VALUES (?1, ?2, 0, 0, ?3, 0, 0) ON CONFLICT (name, generation) DO NOTHING`, name, generation, micros(at)); err != nil {
			return err
		}
		number, err := one(tx, scanRevision, `UPDATE main.roster_generations SET staged_at = ?3
			WHERE name = ?1 AND generation = ?2 AND used = 0 AND removed = 0 RETURNING number`, name, generation, micros(at))
		if errors.Is(err, storage.ErrNotFound) {
			return storage.ErrChanged
		}
		if err != nil {
			return err
		}
		added := 0
		for chunk := range slices.Chunk(rows, rosterChunk) {
			n, err := insertRosterRows(tx, number, chunk)
			if err != nil {
				return err
			}
			added += n
		}
		_, err = tx.exec(`UPDATE main.roster_generations SET row_count = row_count + ?2, skipped = skipped + ?3 WHERE number = ?1`, number, added, skipped)
		return err
	})
}

// rosterChunk is how many rows a statement inserts. Fewer go one by one, so that there are
// two statements and not one for each length.
const rosterChunk = 50

func insertRosterRows(tx *tx, generation int64, rows []storage.RosterRow) (added int, err error) {
	if len(rows) == rosterChunk {
		return insertRosterChunk(tx, generation, rows)
	}
	for i := range rows {
		n, err := insertRosterChunk(tx, generation, rows[i:i+1])
		if err != nil {
			return 0, err
		}
		added += n
	}
	return added, nil
}

func insertRosterChunk(tx *tx, generation int64, rows []storage.RosterRow) (int, error) {
	args, values := []any{generation}, make([]string, len(rows))
	for i, row := range rows {
		args = append(args, row.Digest[:], bytesOrNull(row.Content))
		values[i] = `(?1, ?` + strconv.Itoa(len(args)-1) + `, ?` + strconv.Itoa(len(args)) + `)`
	}
	return tx.exec(`INSERT INTO main.roster_rows (generation, digest, content) VALUES `+strings.Join(values, ", ")+
		` ON CONFLICT (generation, digest) DO NOTHING`, args...)
}

// numberOfGeneration is that of a roster and one of its generations that is still whole.
const numberOfGeneration = `SELECT number FROM main.roster_generations WHERE name = ?1 AND generation = ?2 AND removed = 0`

// rowsInForce are the rows of the roster in the first parameter.
const rowsInForce = `main.rosters o JOIN main.roster_generations g ON g.name = o.name AND g.generation = o.generation
	JOIN main.roster_rows r ON r.generation = g.number`

// CompareRoster implements storage.Rosters.
func (s *Store) CompareRoster(ctx context.Context, name string, staged int64) (storage.RosterChange, error) {
	return read(ctx, s, "compare roster", func(tx *tx) (storage.RosterChange, error) {
		return one(tx, scanRosterChange, `SELECT g.row_count, g.skipped,
				(SELECT count(*) FROM main.roster_rows r WHERE r.generation = g.number AND NOT EXISTS (
					SELECT 1 FROM main.roster_rows old WHERE old.generation = f.number AND old.digest = r.digest)),
				(SELECT count(*) FROM main.roster_rows old WHERE old.generation = f.number AND NOT EXISTS (
					SELECT 1 FROM main.roster_rows r WHERE r.generation = g.number AND r.digest = old.digest))
			FROM main.roster_generations g
			LEFT JOIN main.rosters o ON o.name = g.name
			LEFT JOIN main.roster_generations f ON f.name = o.name AND f.generation = o.generation
			WHERE g.name = ?1 AND g.generation = ?2 AND g.removed = 0`, name, staged)
	})
}

// SwapRoster implements storage.Rosters. The row of the generation is locked first: a step
// that removes its rows has begun, or finds it in force.
func (s *Store) SwapRoster(ctx context.Context, r storage.Roster, replaced int64) error {
	return s.change(ctx, "swap roster", func(tx *tx) error {
		if r.Generation != 0 {
			_, err := one(tx, scanRevision, numberOfGeneration+` `+tx.store.dialect.ForUpdate, r.Name, r.Generation)
			if errors.Is(err, storage.ErrNotFound) {
				return storage.ErrChanged
			}
			if err != nil {
				return err
			}
		}
		swapped, err := tx.exec(`UPDATE main.rosters SET generation = ?2, previous = generation, imported_at = ?4, imported_by = ?5
			WHERE name = ?1 AND generation = ?3 AND generation <> ?2`, r.Name, r.Generation, replaced, micros(r.ImportedAt), r.ImportedBy)
		if err == nil && swapped == 0 && replaced == 0 {
			swapped, err = tx.exec(`INSERT INTO main.rosters (name, generation, previous, imported_at, imported_by) VALUES (?1, ?2, 0, ?3, ?4)
				ON CONFLICT (name) DO NOTHING`, r.Name, r.Generation, micros(r.ImportedAt), r.ImportedBy)
		}
		if err == nil && swapped == 0 {
			err = storage.ErrChanged
		}
		if err != nil {
			return err
		}
		_, err = tx.exec(`UPDATE main.roster_generations SET used = 1 WHERE name = ?1 AND generation = ?2`, r.Name, r.Generation)
		return err
	})
}

// unusedGeneration is true for a generation, g, that is not wanted any more.
const unusedGeneration = `g.removed = 0 AND g.staged_at < ?1 AND NOT EXISTS (
	SELECT 1 FROM main.rosters o WHERE o.name = g.name AND (o.generation = g.generation OR o.previous = g.generation))`

// trimRosters removes them. A generation is marked before its first row
// goes: it never comes into force with a part of them.
func (s *Store) trimRosters(ctx context.Context, t storage.Trim, limit int) (int, error) {
	err := s.change(ctx, "begin the removal of rosters", func(tx *tx) error {
		// Who waited for a swap looks once more.
		if _, err := all(tx, scanRevision, `SELECT g.number FROM main.roster_generations g WHERE `+unusedGeneration+
			` ORDER BY g.number `+tx.store.dialect.ForUpdate, micros(t.Before)); err != nil {
			return err
		}
		_, err := tx.exec(`UPDATE main.roster_generations AS g SET removed = 1 WHERE `+unusedGeneration, micros(t.Before))
		return err
	})
	if err != nil {
		return 0, err
	}
	return s.removeEach(ctx, "remove rows of rosters", limit,
		removeDeleted(`DELETE FROM main.roster_rows WHERE (generation, digest) IN (
			SELECT r.generation, r.digest FROM main.roster_generations g JOIN main.roster_rows r ON r.generation = g.number
			WHERE g.removed = 1 ORDER BY r.generation, r.digest LIMIT ?1)`),
		removeDeleted(`DELETE FROM main.roster_generations WHERE number IN (
			SELECT g.number FROM main.roster_generations g WHERE g.removed = 1
				AND NOT EXISTS (SELECT 1 FROM main.roster_rows r WHERE r.generation = g.number) ORDER BY g.number LIMIT ?1)`),
	)
}

// MatchRoster implements storage.Rosters.
func (s *Store) MatchRoster(ctx context.Context, name string, digests []storage.Digest) (storage.RosterRow, error) {
	var filter where
	roster, wanted := filter.param(name), []string{"NULL"}
	for _, d := range digests {
		wanted = append(wanted, filter.param(d[:]))
	}
	query := `SELECT r.digest, r.content FROM ` + rowsInForce + ` WHERE o.name = ` + roster + ` AND r.digest IN (` + strings.Join(wanted, ", ") + `)`
	found, err := read(ctx, s, "match roster", func(tx *tx) ([]storage.RosterRow, error) {
		return all(tx, scanRosterRow, query, filter.args...)
	})
	if err != nil {
		return storage.RosterRow{}, err
	}
	for _, d := range digests { // the first of theirs, whatever the order of the rows
		for _, row := range found {
			if row.Digest == d {
				return row, nil
			}
		}
	}
	return storage.RosterRow{}, storage.ErrNotFound
}

func scanRoster(row scanner) (r storage.Roster, err error) {
	err = row.Scan(&r.Name, &r.Generation, &r.Rows, &r.Previous, (*instant)(&r.ImportedAt), &r.ImportedBy)
	return r, err
}

func scanRosterChange(row scanner) (c storage.RosterChange, err error) {
	err = row.Scan(&c.Rows, &c.Skipped, &c.Added, &c.Vanished)
	return c, err
}

func scanRosterRow(row scanner) (r storage.RosterRow, err error) {
	err = row.Scan((*digest)(&r.Digest), &r.Content)
	return r, err
}

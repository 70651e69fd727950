package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// applicationKey identifies an application for callers; its lines have its number instead.
type applicationKey struct{ environment, clientID string }

// numberOf selects the number of the application in the first two parameters.
const numberOf = `(SELECT number FROM main.applications WHERE environment = ?1 AND client_id = ?2)`

// AppendLog implements storage.RequestLog.
func (s *Store) AppendLog(ctx context.Context, entries []storage.LogEntry) error {
	if len(entries) == 0 {
		return nil
	}
	return s.change(ctx, "append log", func(tx *tx) error {
		numbers, err := lockApplications(tx, entries)
		if err != nil {
			return err
		}
		for _, e := range entries {
			number, found := numbers[applicationKey{e.Environment, e.ClientID}]
			if !found || e.OnlyCounted {
				continue
			}
			if err := insertLogEntry(tx, number, e); err != nil {
				return err
			}
		}
		return countLogEntries(tx, numbers, entries)
	})
}

// lockApplications returns the numbers of the applications that lines belong to. The
// locks let one step at a time write lines of an application, so that nobody who reads
// them sees a later one before an earlier one; all steps take them in the same order.
func lockApplications(tx *tx, entries []storage.LogEntry) (map[applicationKey]int, error) {
	numbers := make(map[applicationKey]int)
	for _, key := range applicationsOf(entries) {
		number, err := one(tx, scanInt, `SELECT number FROM main.applications
			WHERE environment = ?1 AND client_id = ?2 `+tx.store.dialect.ForUpdate, key.environment, key.clientID)
		switch {
		case err == nil:
			numbers[key] = number
		case !errors.Is(err, storage.ErrNotFound):
			return nil, err
		}
	}
	return numbers, nil
}

func applicationsOf(entries []storage.LogEntry) []applicationKey {
	keys := make([]applicationKey, len(entries))
	for i, e := range entries {
		keys[i] = applicationKey{e.Environment, e.ClientID}
	}
	slices.SortFunc(keys, func(a, b applicationKey) int {
		return cmp.Or(cmp.Compare(a.environment, b.environment), cmp.Compare(a.clientID, b.clientID))
	})
	return slices.Compact(keys)
}

func insertLogEntry(tx *tx, application int, e storage.LogEntry) error {
	details, err := jsonOrNull(e.Details, len(e.Details))
	if err != nil {
		return err
	}
	_, err = tx.exec(`INSERT INTO main.request_log
			(application, at, event, outcome, error, cause, details, request_id, flow, pseudonym, address, requests)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`,
		application, micros(e.At), e.Event, e.Outcome, e.Error, e.Cause, details, e.RequestID, e.Flow, e.User, e.Address, e.Requests)
	return err
}

// logCounter is the key by which lines of a day are counted together.
type logCounter struct {
	application           int
	day                   time.Time
	event, outcome, error string
}

func countLogEntries(tx *tx, numbers map[applicationKey]int, entries []storage.LogEntry) error {
	counts := make(map[logCounter]int)
	for _, e := range entries {
		if number, found := numbers[applicationKey{e.Environment, e.ClientID}]; found {
			counts[logCounter{number, dayOf(e.At), e.Event, e.Outcome, e.Error}] += max(1, e.Requests)
		}
	}
	for counter, n := range counts {
		_, err := tx.exec(`INSERT INTO main.log_days (application, day, event, outcome, error, lines)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6)
			ON CONFLICT (application, day, event, outcome, error) DO UPDATE SET lines = log_days.lines + excluded.lines`,
			counter.application, storage.UnixMicro(counter.day), counter.event, counter.outcome, counter.error, n)
		if err != nil {
			return err
		}
	}
	return nil
}

// dayOf returns the first moment of the day of a time.
func dayOf(t time.Time) time.Time {
	year, month, day := t.UTC().Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// Log implements storage.RequestLog.
func (s *Store) Log(ctx context.Context, match storage.LogFilter) ([]storage.LogEntry, error) {
	if match.Environment == "" && match.ClientID == "" {
		return s.logOfRequest(ctx, match)
	}
	var filter where
	filter.andLog(match)
	order := "DESC"
	if match.OldestFirst {
		order = "ASC"
	}
	query := `SELECT id, at, event, outcome, error, cause, details, request_id, flow, pseudonym, address, requests FROM main.request_log` +
		filter.String() + ` ORDER BY id ` + order + ` LIMIT ` + filter.param(page(match.Limit))
	scan := func(row scanner) (storage.LogEntry, error) {
		e, err := scanLogEntry(row)
		e.Environment, e.ClientID = match.Environment, match.ClientID
		return e, err
	}
	return read(ctx, s, "read log", func(tx *tx) ([]storage.LogEntry, error) {
		return all(tx, scan, query, filter.args...)
	})
}

// andLog adds the conditions of a filter of lines. What went wrong has indexes of its own,
// whose conditions stand in the query as well: of a parameter no database knows that it
// implies them. The event hides from the planner then, which would look for it among all
// that went well, too, and where the lines of one sign-in or user are looked for.
func (w *where) andLog(match storage.LogFilter) {
	w.args = append(w.args, match.Environment, match.ClientID)
	w.conditions = append(w.conditions, "application = "+numberOf)
	event := "event = ?"
	if match.Flow != "" || match.User != "" {
		event = "coalesce(event, '') = ?"
	}
	if match.Outcome != "" {
		w.and("outcome = ?", match.Outcome)
		if match.Outcome != "ok" {
			w.conditions = append(w.conditions, "outcome <> 'ok'")
			event = "coalesce(event, '') = ?"
		}
	}
	if match.Error != "" {
		w.and("error = ?", match.Error)
		w.conditions = append(w.conditions, "error <> ''")
		event = "coalesce(event, '') = ?"
	}
	if match.Event != "" {
		w.and(event, match.Event)
	}
	if match.RequestID != "" {
		w.and("request_id = ?", match.RequestID)
	}
	if match.Flow != "" {
		w.conditions = append(w.conditions, "flow <> ''")
		w.and("flow = ?", match.Flow)
	}
	if match.User != "" {
		w.conditions = append(w.conditions, "pseudonym <> ''")
		w.and("pseudonym = ?", match.User)
	}
	if !match.From.IsZero() {
		w.and("at >= ?", storage.UnixMicro(match.From))
	}
	if !match.To.IsZero() {
		w.and("at < ?", storage.UnixMicro(match.To))
	}
	if match.BeforeID != 0 {
		w.and("id < ?", match.BeforeID)
	}
	if match.AfterID != 0 {
		w.and("id > ?", match.AfterID)
	}
}

// logOfRequest finds the few lines of a request by the index by time.
func (s *Store) logOfRequest(ctx context.Context, match storage.LogFilter) ([]storage.LogEntry, error) {
	scan := func(row scanner) (storage.LogEntry, error) {
		var environment, clientID string
		e, err := scanLogEntry(beside{row, []any{&environment, &clientID}})
		e.Environment, e.ClientID = environment, clientID
		return e, err
	}
	return read(ctx, s, "read log of request", func(tx *tx) ([]storage.LogEntry, error) {
		return all(tx, scan, `SELECT l.id, l.at, l.event, l.outcome, l.error, l.cause, l.details, l.request_id, l.flow, l.pseudonym, l.address, l.requests,
				a.environment, a.client_id
			FROM main.request_log l JOIN main.applications a ON a.number = l.application
			WHERE l.at >= ?1 AND l.at < ?2 AND l.request_id = ?3 ORDER BY l.at, l.id LIMIT ?4`,
			storage.UnixMicro(match.From), storage.UnixMicro(match.To), match.RequestID, page(match.Limit))
	})
}

// beside scans further columns after those of a row.
type beside struct {
	scanner
	more []any
}

// Scan implements scanner.
func (b beside) Scan(into ...any) error { return b.scanner.Scan(append(into, b.more...)...) }

// LogDays implements storage.RequestLog.
func (s *Store) LogDays(ctx context.Context, environment, clientID string, from time.Time) ([]storage.LogDay, error) {
	return read(ctx, s, "read days of log", func(tx *tx) ([]storage.LogDay, error) {
		return all(tx, scanLogDay, `SELECT day, event, outcome, error, lines FROM main.log_days
			WHERE application = `+numberOf+` AND day >= ?3 ORDER BY day, event, outcome, error`,
			environment, clientID, storage.UnixMicro(dayOf(from)))
	})
}

// trimSurplusLog removes them.
func (s *Store) trimSurplusLog(ctx context.Context, t storage.Trim, limit int) (int, error) {
	beyond := func(outcomes string, keep int) func(*tx, int) (int, error) {
		return func(tx *tx, n int) (int, error) {
			return tx.exec(`DELETE FROM main.request_log WHERE id IN (
				SELECT id FROM main.request_log WHERE application = `+numberOf+` AND `+outcomes+` ORDER BY id DESC LIMIT ?3 OFFSET ?4)`,
				t.Environment, t.ClientID, n, keep)
		}
	}
	return s.removeEach(ctx, "trim log", limit, beyond("outcome = 'ok'", t.Successes), beyond("outcome <> 'ok'", t.Failures))
}

// trimOldLog removes them.
func (s *Store) trimOldLog(ctx context.Context, t storage.Trim, limit int) (int, error) {
	return s.removeEach(ctx, "remove log", limit,
		func(tx *tx, n int) (int, error) {
			return tx.exec(`DELETE FROM main.request_log WHERE id IN (
				SELECT id FROM main.request_log WHERE at < ?1 ORDER BY at, id LIMIT ?2)`, storage.UnixMicro(t.Before), n)
		},
		func(tx *tx, n int) (int, error) {
			return tx.exec(`DELETE FROM main.log_days WHERE (application, day, event, outcome, error) IN (
				SELECT application, day, event, outcome, error FROM main.log_days WHERE day < ?1 ORDER BY day LIMIT ?2)`,
				storage.UnixMicro(dayOf(t.DaysBefore)), n)
		},
		removeDeleted(`DELETE FROM main.request_log WHERE id IN (
			SELECT l.id FROM main.applications a JOIN main.request_log l ON l.application = a.number
			WHERE a.organization_id = '`+deletedOrganization+`' LIMIT ?1)`),
		removeDeleted(`DELETE FROM main.log_days WHERE (application, day, event, outcome, error) IN (
			SELECT l.application, l.day, l.event, l.outcome, l.error FROM main.applications a JOIN main.log_days l ON l.application = a.number
			WHERE a.organization_id = '`+deletedOrganization+`' LIMIT ?1)`),
		removeDeleted(`DELETE FROM main.applications WHERE number IN (
			SELECT number FROM main.applications a WHERE a.organization_id = '`+deletedOrganization+`'
				AND NOT EXISTS (SELECT 1 FROM main.request_log l WHERE l.application = a.number)
				AND NOT EXISTS (SELECT 1 FROM main.log_days l WHERE l.application = a.number)
			LIMIT ?1)`),
	)
}

func removeDeleted(query string) func(*tx, int) (int, error) {
	return func(tx *tx, n int) (int, error) { return tx.exec(query, n) }
}

// removeEach removes rows of each kind in chunks until the time of a step is over, one
// chunk of each in any case: zero says that there is nothing left.
func (s *Store) removeEach(ctx context.Context, what string, limit int, kinds ...func(tx *tx, n int) (int, error)) (int, error) {
	return write(ctx, s, what, func(tx *tx) (total int, err error) {
		begin := time.Now()
		for _, remove := range kinds {
			removed, n := 0, 0
			for again := limit > 0; again; again = n > 0 && removed < limit && time.Since(begin) < sweepTime {
				if n, err = remove(tx, min(limit-removed, s.dialect.sweepChunk())); err != nil {
					return 0, err
				}
				removed += n
			}
			total += removed
		}
		return total, nil
	})
}

func scanLogEntry(row scanner) (e storage.LogEntry, err error) {
	var details []byte
	err = row.Scan(&e.ID, (*instant)(&e.At), &e.Event, &e.Outcome, &e.Error, &e.Cause, &details,
		&e.RequestID, &e.Flow, &e.User, &e.Address, &e.Requests)
	if err == nil && details != nil {
		err = json.Unmarshal(details, &e.Details)
	}
	return e, err
}

func scanLogDay(row scanner) (d storage.LogDay, err error) {
	err = row.Scan((*instant)(&d.Day), &d.Event, &d.Outcome, &d.Error, &d.Count)
	return d, err
}

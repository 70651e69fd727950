package sqlstore

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/storage"
)

// Elapse implements storage.Store. NULL stays NULL, by the arithmetic of SQL.
func (s *Store) Elapse(ctx context.Context, e storage.Elapsed) error {
	by := e.By.Microseconds()
	return s.change(ctx, "elapse", func(tx *tx) error {
		if len(e.ClientIDs) > 0 {
			if err := elapseClients(tx, e.ClientIDs, by); err != nil {
				return err
			}
		}
		if e.UserPrefix == "" {
			return nil
		}
		return elapseUsers(tx, e.UserPrefix, by)
	})
}

func elapseClients(tx *tx, ids []string, by int64) error {
	var filter where
	filter.param(by) // ?1
	params := make([]string, len(ids))
	for i, id := range ids {
		params[i] = filter.param(id)
	}
	ofClients := ` client_id IN (` + strings.Join(params, ", ") + `)`
	for _, update := range []string{
		`UPDATE main.tokens SET ` + elapse("created_at", "expires_at", "spent_at") +
			` WHERE grant_id IN (SELECT id FROM main.grants WHERE` + ofClients + `)`,
		`UPDATE main.grants SET ` + elapse("auth_time", "created_at", "expires_at", "revoked_at", "kept_until") + ` WHERE` + ofClients,
		`UPDATE main.consents SET ` + elapse("created_at", "decided_at", "last_used_at") + ` WHERE` + ofClients,
		`UPDATE main.former_recipients SET ` + elapse("since", "until") + ` WHERE` + ofClients,
		`UPDATE main.device_codes SET ` + elapse("created_at", "expires_at") + ` WHERE` + ofClients,
		`UPDATE main.client_sessions SET ` + elapse("created_at", "expires_at", "next_at") + ` WHERE` + ofClients,
		`UPDATE main.credentials SET ` + elapse("issued_at", "expires_at", "checked_at", "accepted_at", "ended_at") + ` WHERE` + ofClients,
	} {
		if _, err := tx.exec(update, filter.args...); err != nil {
			return err
		}
	}
	return nil
}

// elapseUsers begins with the accounts, as everywhere, and has the cases before the statuses.
// A status with changed times gets another revision, because its readers hold the old ones,
// and so does a case, which knows the revision of its status.
func elapseUsers(tx *tx, prefix string, by int64) error {
	begins := func(column string) string { return ` WHERE substr(` + column + `, 1, ?3) = ?2` }
	ofCases := ` WHERE case_id IN (SELECT id FROM main.cases` + begins("subject") + `)`
	for _, update := range []string{
		`UPDATE main.accounts SET ` + elapse("password_changed_at", "created_at", "delete_at") + begins("id"),
		`UPDATE main.email_returns SET ` + elapse("expires_at", "changed_at") + begins("account_id"),
		`UPDATE main.passkeys SET ` + elapse("created_at", "last_used_at") + begins("account_id"),
		`UPDATE main.links SET ` + elapse("created_at", "last_used_at") + begins("account_id"),
		`UPDATE main.totp SET ` + elapse("created_at", "last_used_at") + begins("account_id"),
		`UPDATE main.recovery_code_sets SET ` + elapse("created_at") + begins("account_id"),
		`UPDATE main.trusted_devices SET ` + elapse("created_at", "expires_at") + begins("account_id"),
		`UPDATE main.recoveries SET ` + elapse("started_at", "ready_at", "ends_at", "approved_at") + begins("account_id"),
		`UPDATE main.sessions SET ` + elapse("auth_time", "created_at", "last_seen_at", "expires_at", "idle_until") + begins("account_id"),
		`UPDATE main.cases SET version = version + 1, status_revision = CASE WHEN status_revision = 0 THEN 0 ELSE status_revision + 1 END, ` +
			elapse("taken_until", "created_at", "due_at", "next_at", "ended_at") + begins("subject"),
		`UPDATE main.case_decisions SET ` + elapse("at") + ofCases,
		`UPDATE main.evidence SET ` + elapse("added_at", "shred_at", "shredded_at", "held_until") + ofCases,
		`UPDATE main.fingerprints SET ` + elapse("free_at") + begins("subject"),
		`UPDATE main.statuses SET revision = revision + 1, ended_told = CASE WHEN expires_at - ?1 > expires_at THEN 0 ELSE ended_told END, ` + elapse("verified_at", "expires_at") + begins("subject"),
	} {
		if _, err := tx.exec(update, by, prefix, utf8.RuneCountInString(prefix)); err != nil {
			return err
		}
	}
	_, err := tx.exec(`UPDATE main.credentials SET status_revision = status_revision + 1
		WHERE status_revision <> 0 AND substr(subject, 1, ?2) = ?1`, prefix, utf8.RuneCountInString(prefix))
	if err != nil {
		return err
	}
	return elapseFactors(tx, prefix, by)
}

// elapseFactors makes the factors of sessions older, which SQL cannot read.
func elapseFactors(tx *tx, prefix string, by int64) error {
	sessions, err := all(tx, scanSession, `SELECT s.digest, `+sessionColumns+` FROM main.sessions s
		WHERE substr(s.account_id, 1, ?2) = ?1 AND s.factors IS NOT NULL ORDER BY s.digest`, prefix, utf8.RuneCountInString(prefix))
	if err != nil {
		return err
	}
	earlier := func(t time.Time) time.Time {
		if t.IsZero() {
			return t
		}
		return t.Add(time.Duration(-by) * time.Microsecond)
	}
	for _, n := range sessions {
		for i, f := range n.Factors {
			n.Factors[i].At, n.Factors[i].Since = earlier(f.At), earlier(f.Since)
		}
		given, err := factorsText(n.Factors)
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE main.sessions SET factors = ?2 WHERE digest = ?1`, n.Digest[:], given); err != nil {
			return err
		}
	}
	return nil
}

// elapse assigns to columns their values less the first parameter.
func elapse(columns ...string) string {
	assignments := make([]string, len(columns))
	for i, column := range columns {
		assignments[i] = column + " = " + column + " - ?1"
	}
	return strings.Join(assignments, ", ")
}

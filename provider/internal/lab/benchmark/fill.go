package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// maxGrants bounds what a run writes to the disk: some eight gigabytes.
const maxGrants = 10_000_000

// sizes are the numbers of grants of a small and of a large database.
type sizes struct{ small, large int }

// String implements flag.Value.
func (s *sizes) String() string { return fmt.Sprintf("%d,%d", s.small, s.large) }

// Set implements flag.Value.
func (s *sizes) Set(text string) error {
	small, large, _ := strings.Cut(text, ",")
	var err error
	if s.small, err = strconv.Atoi(small); err == nil {
		s.large, err = strconv.Atoi(large)
	}
	if err != nil || s.small < 1 || s.large <= s.small || s.large > maxGrants {
		return fmt.Errorf("must be two numbers from 1 to %d, the small one first", maxGrants)
	}
	return nil
}

// fillingClient is the application of all grants that were filled in.
const fillingClient = "filled"

// month is the life of a grant.
const month = 30 * 24 * time.Hour

// fill makes the database that a server will open, with grants that were made evenly
// over a month which ended at a moment, five by each user, who has a consent. Each has a
// code that was redeemed and a refresh token, and lasts a month.
func fill(ctx context.Context, dir string, grants int, ended time.Time) error {
	path := filepath.Join(dir, databaseFile)
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	err = store.SaveClient(ctx, storage.Client{ID: fillingClient, Dialect: "standard"})
	if err == nil { // as if a server had run until now, so that the next one sweeps at once
		err = storagetest.AgreeOnTime(ctx, store, time.Now())
	}
	if err := store.Close(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	// Nothing has to survive here, so the journal is left out.
	db, err := sql.Open("sqlite3", "file:"+path+"?_journal_mode=OFF&_synchronous=OFF&_cache_size=-500000&_foreign_keys=off")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	begin := ended.Add(-month)
	for _, statement := range []string{
		`WITH RECURSIVE n(i, at) AS (
			SELECT 1, ?1 UNION ALL SELECT i + 1, ?1 + i * ?3 / ?2 FROM n WHERE i < ?2)
		INSERT INTO grants (id, flow, client_id, subject, scopes, redirect_uri, redirect_sent, response_type,
			nonce, eid, code_challenge, auth_time, amr, created_at, expires_at)
		SELECT CAST(unhex(printf('%012x', at / 1000)) || randomblob(10) AS BLOB),
			CAST(unhex(printf('%08x', at / 60000000)) || randomblob(28) AS BLOB),
			'` + fillingClient + `', printf('filled-%d', i % max(?2 / 5, 1)), '["openid","military"]', '` + redirectURI + `', 1, 'code',
			'', '', hex(randomblob(21)), at, '["pwd"]', at, at + ?3
		FROM n`,
		`INSERT INTO tokens (digest, kind, grant_id, created_at, expires_at, spent_at)
		SELECT CAST(unhex(printf('%08x', created_at / 60000000)) || randomblob(28) AS BLOB),
			1, id, created_at, created_at + 60000000, created_at + 1000000
		FROM grants ORDER BY id LIMIT ?2`,
		`INSERT INTO tokens (digest, kind, grant_id, created_at, expires_at)
		SELECT CAST(unhex(printf('%08x', created_at / 60000000)) || randomblob(28) AS BLOB),
			3, id, created_at, expires_at
		FROM grants ORDER BY id LIMIT ?2`,
		`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?2 / 5)
		INSERT INTO accounts (id, email, email_digest, email_verified, password_hash, disabled, created_at)
		SELECT printf('filled-%d', i), '', hex(randomblob(32)), 0, '', 0, ?1 + i * (?3 / ?2) FROM n`,
		`INSERT INTO consents (subject, client_id, client_name, created_at, decided_at)
		SELECT id, '` + fillingClient + `', 'Filled', created_at, created_at FROM accounts WHERE email = ''`,
	} {
		if _, err := db.ExecContext(ctx, statement, begin.UnixMicro(), grants, month.Microseconds()); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
	}
	return os.Chmod(path, 0o600)
}

// tableRows counts rows while a server runs.
type tableRows struct{ db *sql.DB }

func openTableRows(dir string) (tableRows, error) {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, databaseFile)+"?mode=ro&_busy_timeout=5000")
	return tableRows{db}, err
}

func (t tableRows) count(ctx context.Context, query string, args ...any) (n int, err error) {
	err = t.db.QueryRowContext(ctx, query, args...).Scan(&n)
	return n, err
}

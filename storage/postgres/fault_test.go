package postgres

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// TestFaults tests that a database that cannot serve never looks like one that has
// no such record.
func TestFaults(t *testing.T) {
	server := pgtest.Start(t)
	isUnavailable := func(t *testing.T, err error) {
		t.Helper()
		if !errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrNotFound) {
			t.Errorf("err = %v, want %v", err, storage.ErrUnavailable)
		}
	}
	t.Run("NoServer", func(t *testing.T) {
		_, err := Open(t.Context(), "postgres://user:s3cret@127.0.0.1:1/db")
		isUnavailable(t, err)
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error tells the password: %v", err)
		}
	})
	t.Run("NoSuchDatabase", func(t *testing.T) {
		_, err := Open(t.Context(), server.Schema(t)+"&dbname=missing")
		isUnavailable(t, err)
	})
	t.Run("BrokenURL", func(t *testing.T) {
		_, err := Open(t.Context(), "postgres://user:s3cret@host:port/db")
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("err = %v, want one without the password", err)
		}
	})
	t.Run("LostConnection", func(t *testing.T) {
		url := server.Schema(t)
		proxy := pgtest.NewProxy(t, url)
		store := openTest(t, proxy.URL)
		ok(t, store.SaveClient(t.Context(), client("client")))
		proxy.Cut()
		_, err := store.Client(t.Context(), "client")
		isUnavailable(t, err)
		isUnavailable(t, store.SaveClient(t.Context(), client("other")))
		isUnavailable(t, store.Ping(t.Context()))

		proxy.Restore(t)
		if _, err := store.Client(t.Context(), "client"); err != nil {
			t.Errorf("after the connection came back: %v", err)
		}
	})
	t.Run("AnswerToACommitIsLost", func(t *testing.T) {
		proxy := pgtest.NewProxy(t, server.Schema(t))
		store := openTest(t, proxy.URL)
		proxy.CutAfterCommit(1)
		isUnavailable(t, store.SaveClient(t.Context(), client("client")))
		if !proxy.HasCut() {
			t.Error("there was no commit")
		}
		if _, err := store.Client(t.Context(), "client"); err != nil {
			t.Errorf("what was committed: %v", err)
		}
	})
	t.Run("KilledConnections", func(t *testing.T) {
		url := server.Schema(t)
		store := openTest(t, url+"&application_name=victim")
		ok(t, store.SaveClient(t.Context(), client("client")))
		exec(t, url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'`)
		// Nothing was committed on them: the step is tried on a new one.
		if _, err := store.Client(t.Context(), "client"); err != nil {
			t.Errorf("read: %v", err)
		}
		exec(t, url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'`)
		if err := store.SaveClient(t.Context(), client("second")); err != nil {
			isUnavailable(t, err) // they were changed less than a second ago
		}
		if err := store.SaveClient(t.Context(), client("third")); err != nil {
			t.Errorf("the store did not connect anew: %v", err)
		}
	})
	t.Run("ReadOnlyServer", func(t *testing.T) {
		url := server.Schema(t)
		ok(t, openTest(t, url).SaveClient(t.Context(), client("client")))
		store := openTest(t, url+"&default_transaction_read_only=on")
		if _, err := store.Client(t.Context(), "client"); err != nil {
			t.Errorf("read: %v", err)
		}
		isUnavailable(t, store.SaveClient(t.Context(), client("other")))
	})
	t.Run("LockedRow", func(t *testing.T) {
		url := server.Schema(t)
		ok(t, openTest(t, url).SaveClient(t.Context(), client("client")))
		saved := must(openTest(t, url).Client(t.Context(), "client"))(t)
		lockRow(t, url)
		isUnavailable(t, openTest(t, url+"&lock_timeout=20").SaveClient(t.Context(), saved))
		isUnavailable(t, openTest(t, url+"&statement_timeout=500").SaveClient(t.Context(), saved))

		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		err := openTest(t, url).SaveClient(ctx, saved)
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("err = %v, want %v alone", err, context.DeadlineExceeded)
		}
	})
}

// lockRow holds the locks of all clients until the end of the test.
func lockRow(t *testing.T, url string) {
	t.Helper()
	db := must(sql.Open("pgx", url))(t)
	t.Cleanup(func() { db.Close() })
	tx := must(db.Begin())(t)
	t.Cleanup(func() { _ = tx.Rollback() })
	if _, err := tx.ExecContext(t.Context(), `SELECT 1 FROM clients FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
}

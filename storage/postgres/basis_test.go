package postgres

import (
	"database/sql"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// TestGrantLocksItsBasis stops a grant at its last statement: until it commits nobody may lock or
// delete the account, revoke the decision or end the session.
func TestGrantLocksItsBasis(t *testing.T) {
	t.Parallel()
	url := pgtest.Shared(t).Schema(t)
	store := openTest(t, url+"&default_query_exec_mode=exec") // a statement is prepared where it stands
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	now := time.Unix(1_000_000, 0)
	ok(store.SaveClient(t.Context(), client("client")))
	ok(store.CreateAccount(t.Context(), storage.Account{ID: "ann", EmailKey: "ann", CreatedAt: now}))
	session := storage.Digest{1}
	ok(store.CreateSession(t.Context(), storage.Session{
		Digest: session, AccountID: "ann", CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(time.Hour), IdleUntil: now.Add(time.Hour),
	}, storage.Proof{}, storage.Digest{}))
	decision := storage.Consent{
		Subject: "ann", ClientID: "client", Scopes: []string{"openid"}, Decision: storage.Digest{2}, CreatedAt: now, DecidedAt: now, LastUsedAt: now,
	}
	ok(store.SaveConsent(t.Context(), decision, storage.ConsentBasis{Session: session}))
	db, err := sql.Open("pgx", url)
	ok(err)
	defer db.Close()
	count := func(query string) (n int) {
		t.Helper()
		ok(db.QueryRowContext(t.Context(), `SELECT count(*) FROM (`+query+`) AS found`).Scan(&n))
		return n
	}

	for name, at := range map[string]time.Time{"Fresh": now, "Stale": now.Add(time.Hour)} { // the last use, which a grant renews
		t.Run(name, func(t *testing.T) {
			held, err := db.BeginTx(t.Context(), nil)
			ok(err)
			_, err = held.ExecContext(t.Context(), `LOCK TABLE client_sessions IN SHARE MODE`)
			ok(err)
			granted := make(chan error, 1)
			go func() {
				id := [16]byte{byte(at.Minute()), byte(at.Unix() >> 8)}
				granted <- store.CreateGrant(t.Context(), storage.Grant{
					ID: id, Flow: storage.Digest{id[1]}, ClientID: "client", Subject: "ann", CreatedAt: at, ExpiresAt: at.Add(time.Hour),
				}, storage.Basis{Session: session, Consent: decision, Notice: storage.Notice{ID: storage.Digest{3}}})
			}()
			for count(`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'client_sessions'::regclass`) == 0 {
				<-time.After(time.Millisecond)
			}
			for _, table := range []string{"accounts", "consents", "sessions"} {
				if count(`SELECT 1 FROM `+table+` FOR NO KEY UPDATE SKIP LOCKED`) > 0 {
					t.Errorf("%s: the row may be changed", table)
				}
			}
			ok(held.Rollback())
			ok(<-granted)
		})
	}
}

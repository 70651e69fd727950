package postgres

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// basisTest is a store whose grants have a basis, with a connection beside it.
type basisTest struct {
	*testing.T
	store *Store
	db    *sql.DB
	now   time.Time
}

func newBasisTest(t *testing.T) *basisTest {
	t.Helper()
	url := pgtest.Shared(t).Schema(t)
	db := must(sql.Open("pgx", url))(t)
	t.Cleanup(func() { db.Close() })
	store := openTest(t, url+"&default_query_exec_mode=exec") // a statement is prepared where it stands
	ok(t, store.SaveClient(t.Context(), client("client")))
	return &basisTest{t, store, db, time.Unix(1_000_000, 0)}
}

// basis is a new account with a session and a decision.
func (b *basisTest) basis(t *testing.T, id string) storage.Basis {
	t.Helper()
	ok(t, b.store.CreateAccount(t.Context(), storage.Account{ID: id, EmailKey: id, CreatedAt: b.now}))
	session := storage.Digest{1, id[0]}
	ok(t, b.store.CreateSession(t.Context(), storage.Session{
		Digest: session, AccountID: id, CreatedAt: b.now, LastSeenAt: b.now, ExpiresAt: b.now.Add(time.Hour), IdleUntil: b.now.Add(time.Hour),
	}, storage.Proof{}, storage.Digest{}))
	decision := storage.Consent{
		Subject: id, ClientID: "client", Scopes: []string{"openid"}, Decision: storage.Digest{2, id[0]}, CreatedAt: b.now, DecidedAt: b.now, LastUsedAt: b.now,
	}
	ok(t, b.store.SaveConsent(t.Context(), decision, storage.ConsentBasis{Session: session}))
	return storage.Basis{Session: session, Consent: decision, Notice: storage.Notice{ID: storage.Digest{3, id[0]}}}
}

// grant begins to record a grant, which the digest names.
func (b *basisTest) grant(t *testing.T, flow storage.Digest, on storage.Basis, at time.Time) <-chan error {
	granted := make(chan error, 1)
	go func() {
		granted <- b.store.CreateGrant(t.Context(), storage.Grant{
			ID: storage.GrantID(flow[:16]), Flow: flow, ClientID: "client", Subject: on.Consent.Subject, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
		}, on)
	}()
	return granted
}

func (b *basisTest) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	ok(t, b.db.QueryRowContext(t.Context(), `SELECT count(*) FROM (`+query+`) AS found`, args...).Scan(&n))
	return n
}

// ages are when a grant is made: the last use of the decision is fresh, or stale, which a grant renews.
func (b *basisTest) ages() map[string]time.Time {
	return map[string]time.Time{"Fresh": b.now, "Stale": b.now.Add(time.Hour)}
}

// TestGrantLocksItsBasis stops a grant at its last statement: until it commits nobody may lock or
// delete the account, revoke the decision or end the session.
func TestGrantLocksItsBasis(t *testing.T) {
	t.Parallel()
	b := newBasisTest(t)
	on := b.basis(t, "ann")
	for name, at := range b.ages() {
		t.Run(name, func(t *testing.T) {
			held := must(b.db.BeginTx(t.Context(), nil))(t)
			must(held.ExecContext(t.Context(), `LOCK TABLE client_sessions IN SHARE MODE`))(t)
			granted := b.grant(t, storage.Digest{name[0]}, on, at)
			for b.count(t, `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'client_sessions'::regclass`) == 0 {
				<-time.After(time.Millisecond)
			}
			for _, table := range []string{"accounts", "consents", "sessions"} {
				if b.count(t, `SELECT 1 FROM `+table+` FOR NO KEY UPDATE SKIP LOCKED`) > 0 {
					t.Errorf("%s: the row may be changed", table)
				}
			}
			ok(t, held.Rollback())
			ok(t, <-granted)
		})
	}
}

// TestGrantWaitsForItsBasis has a grant wait for a step that ends a part of its basis: it finds the
// part as that step leaves it, though its own statement has begun before.
func TestGrantWaitsForItsBasis(t *testing.T) {
	t.Parallel()
	b := newBasisTest(t)
	id := byte('a')
	for name, end := range map[string]string{
		"Account":  `UPDATE accounts SET disabled = 1 WHERE id = $1`,
		"Session":  `DELETE FROM sessions WHERE account_id = $1`,
		"Decision": `UPDATE consents SET decision = NULL WHERE subject = $1`,
	} {
		for age, at := range b.ages() {
			on := b.basis(t, string(id))
			flow := storage.Digest{id}
			id++
			t.Run(name+age, func(t *testing.T) {
				ending := must(b.db.BeginTx(t.Context(), nil))(t)
				must(ending.ExecContext(t.Context(), end, on.Consent.Subject))(t)
				var pid int
				ok(t, ending.QueryRowContext(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid))
				granted := b.grant(t, flow, on, at)
				for b.count(t, `SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))`, pid) == 0 && len(granted) == 0 {
					<-time.After(time.Millisecond)
				}
				ok(t, ending.Commit())
				if err := <-granted; !errors.Is(err, storage.ErrEnded) {
					t.Errorf("err = %v, want %v", err, storage.ErrEnded)
				}
			})
		}
	}
}

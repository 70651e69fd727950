package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// TestPoolerLosesItsServer tests that a step of which nothing was committed runs again
// when the server of a pooler is gone, whose own connections stand.
func TestPoolerLosesItsServer(t *testing.T) {
	server := pgtest.Start(t)
	url := server.Schema(t)
	e := must(openEngine(t.Context(), server.Pooler(t)(url)+"&default_query_exec_mode=exec"))(t)
	defer e.Close()
	exec(t, url, `CREATE TABLE written (n BIGINT)`)
	for _, end := range []func(){
		func() { terminate(t, url) },
		func() { server.Stop(t); server.Resume(t) },
	} {
		exec(t, url, `TRUNCATE written`)
		attempts := 0
		err := e.Write(t.Context(), func(ctx context.Context, db sqlstore.Conn) error {
			attempts++
			for n := range 2 {
				if n == 1 && attempts == 1 {
					end()
				}
				if _, err := db.ExecContext(ctx, `INSERT INTO `+e.schema+`.written VALUES ($1)`, n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || attempts != 2 {
			t.Errorf("%d attempts, then %v", attempts, err)
		}
		exec(t, url, `DO $$ BEGIN ASSERT (SELECT count(*) FROM written) = 2; END $$`)
		<-time.After(leaveInterval)
	}
}

// terminate ends all other sessions.
func terminate(t *testing.T, url string) {
	t.Helper()
	exec(t, url, `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
}

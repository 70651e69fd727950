package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Pooler puts PgBouncer in transaction mode before the server for the length of the
// test, and returns a function that makes the URL of a database lead through it. Its
// sessions share few connections, and it knows no parameter of a session. Where
// PgBouncer is not installed (Debian: apt install pgbouncer) it skips the test, and
// under CI=true the test fails.
func (s *Server) Pooler(t *testing.T) (through func(databaseURL string) string) {
	t.Helper()
	if s.stop == nil {
		t.Skip("there is no pooler before the server of BONAFIDE_TEST_POSTGRES")
	}
	binary, err := exec.LookPath("pgbouncer")
	if err != nil {
		binary = "/usr/sbin/pgbouncer" // not in everybody's path
		if _, err := os.Stat(binary); err != nil {
			missing(t, "no PgBouncer: install it")
		}
	}
	dir := socketDir(t)
	config, users := filepath.Join(dir, "pgbouncer.ini"), filepath.Join(dir, "users.txt")
	write(t, users, `"postgres" ""`)
	write(t, config, fmt.Sprintf(`[databases]
* = host=%s
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = %s
auth_type = trust
auth_file = %s
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`, s.dir, dir, users))
	pooler := exec.Command(binary, config)
	unprivileged(t, pooler, dir)
	stop, _ := run(t, pooler, "process up")
	t.Cleanup(stop)
	return func(databaseURL string) string {
		return withParam(withParam(databaseURL, "host", dir), "port", "6432")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

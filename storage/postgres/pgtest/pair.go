package pgtest

import (
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// StartPair starts two servers for the length of the test: a primary, whose commits
// wait for the standby, and that. There are none in BONAFIDE_TEST_POSTGRES; otherwise
// it skips and fails as Start does.
func StartPair(t *testing.T) (primary, standby *Server) {
	t.Helper()
	primary = start(t, installed(t), "synchronous_commit=on")
	dir := socketDir(t)
	backup := exec.Command(filepath.Join(primary.bin, "pg_basebackup"), "--dbname", primary.url,
		"--pgdata", filepath.Join(dir, "data"), "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
	unprivileged(t, backup, dir)
	if out, err := backup.CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %v\n%s", err, out)
	}
	standby = &Server{url: urlOf(dir), bin: primary.bin, dir: dir, settings: primary.settings}
	standby.serve(t)
	primary.Set(t, "synchronous_standby_names", "'*'")
	primary.exec(t, `DO $$ BEGIN
		FOR n IN 1 .. 1000 LOOP
			PERFORM pg_stat_clear_snapshot();
			IF EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync') THEN RETURN; END IF;
			PERFORM pg_sleep(0.01);
		END LOOP;
		RAISE 'commits do not wait for the standby';
	END $$`)
	return primary, standby
}

// Kill ends the server by SIGKILL, and returns when none of its processes is left.
func (s *Server) Kill(t *testing.T) {
	t.Helper()
	s.kill()
	t.Cleanup(func() {
		// Only a server that starts and stops removes the shared memory of this one.
		single := exec.Command(filepath.Join(s.bin, "postgres"), "--single", "-D", filepath.Join(s.dir, "data"), "postgres")
		unprivileged(t, single, s.dir)
		if out, err := single.CombinedOutput(); err != nil {
			t.Logf("postgres --single: %v\n%s", err, out)
		}
	})
}

// Promote makes a standby a primary, and returns when it takes writes.
func (s *Server) Promote(t *testing.T) {
	t.Helper()
	promote := exec.Command(filepath.Join(s.bin, "pg_ctl"), "promote", "--pgdata", filepath.Join(s.dir, "data"))
	unprivileged(t, promote, s.dir)
	if out, err := promote.CombinedOutput(); err != nil {
		t.Fatalf("pg_ctl: %v\n%s", err, out)
	}
}

// At returns a URL of another server as the URL of the same database here.
func (s *Server) At(databaseURL string) string {
	return withParam(databaseURL, "host", s.dir)
}

// Either returns the URL of a database on several servers, which leads to the one that
// takes writes.
func Either(t *testing.T, databaseURLs ...string) string {
	t.Helper()
	var hosts, ports []string
	for _, databaseURL := range databaseURLs {
		config, err := pgx.ParseConfig(databaseURL)
		if err != nil {
			t.Fatal(err)
		}
		hosts, ports = append(hosts, config.Host), append(ports, strconv.Itoa(int(config.Port)))
	}
	config, err := pgx.ParseConfig(databaseURLs[0])
	if err != nil {
		t.Fatal(err)
	}
	return "postgres:///?" + url.Values{
		"host": {strings.Join(hosts, ",")}, "port": {strings.Join(ports, ",")},
		"user": {config.User}, "dbname": {config.Database}, "search_path": {config.RuntimeParams["search_path"]},
		"sslmode": {"disable"}, "target_session_attrs": {"read-write"},
	}.Encode()
}

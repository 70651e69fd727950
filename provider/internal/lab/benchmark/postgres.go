//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var errNoPostgres = errors.New("no PostgreSQL: install it or name a database with -postgres")

func postgresAvailable() error {
	if os.Getenv(postgresEnv) == "" {
		return errNoPostgres
	}
	return nil
}

// providePostgres tells the servers which PostgreSQL to use: the one named, or a
// new one. Where there is neither, it does nothing.
func providePostgres(named string) (stop func(), err error) {
	if named != "" {
		return func() {}, os.Setenv(postgresEnv, named)
	}
	p, err := newCluster()
	if errors.Is(err, errNoPostgres) {
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	return p.stop, os.Setenv(postgresEnv, p.url)
}

// cluster is a PostgreSQL server from the binaries of the system, with its own settings, which are
// the durable ones.
type cluster struct {
	*exec.Cmd
	dir, url string
}

func newCluster() (*cluster, error) {
	bin := postgresBinaries()
	if bin == "" {
		return nil, errNoPostgres
	}
	// Not below -dir: the name of a socket has at most 107 bytes.
	dir, err := os.MkdirTemp("", "benchmark")
	if err != nil {
		return nil, err
	}
	server, err := startPostgres(bin, dir)
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return &cluster{server, dir, "postgres:///postgres?user=postgres&host=" + url.QueryEscape(dir)}, nil
}

func (p *cluster) stop() {
	_ = p.Process.Signal(syscall.SIGINT) // "fast shutdown"
	_ = p.Wait()
	_ = os.RemoveAll(p.dir)
}

// away returns its address by way of a distance.
func (p *cluster) away(late time.Duration) (url string, end func() error, err error) {
	d, err := newDistance("unix", filepath.Join(p.dir, ".s.PGSQL.5432"), late)
	if err != nil {
		return "", nil, err
	}
	return "postgres://postgres@" + d.Addr().String() + "/postgres?sslmode=disable", d.Close, nil
}

func postgresBinaries() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1])
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

func startPostgres(bin, dir string) (*exec.Cmd, error) {
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "--pgdata", data,
		"--username", "postgres", "--auth", "trust", "--encoding", "UTF8")
	server := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-k", dir,
		"-c", "listen_addresses=", "-c", "max_connections=200")
	for _, c := range []*exec.Cmd{initdb, server} {
		if err := unprivileged(c, dir); err != nil {
			return nil, err
		}
	}
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	log, err := server.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	ready := make(chan bool, 1)
	go func() {
		defer close(ready)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if strings.Contains(lines.Text(), "ready to accept connections") {
				ready <- true
			}
		}
	}()
	if !<-ready {
		_ = server.Wait()
		return nil, errors.New("the server ended before it was ready")
	}
	return server, nil
}

// unprivileged makes a command run in a folder that its user owns. PostgreSQL
// refuses to run as root, as in a container.
func unprivileged(command *exec.Cmd, dir string) error {
	command.Dir = dir
	if os.Geteuid() != 0 {
		return nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		if account, err = user.Lookup("nobody"); err != nil {
			return err
		}
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return err
	}
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return os.Chown(dir, int(uid), int(gid))
}

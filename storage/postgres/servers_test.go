package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"os"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// scripted is a server that answers a connection by an error, or takes it.
type scripted struct {
	driver.Connector
	name  string
	err   error
	asked *[]string
}

func (s *scripted) Connect(context.Context) (driver.Conn, error) {
	*s.asked = append(*s.asked, s.name)
	return nil, s.err
}

func TestServers(t *testing.T) {
	var asked []string
	primary, standby := &scripted{name: "primary", asked: &asked}, &scripted{name: "standby", asked: &asked, err: errReadOnly}
	s := &servers{order: []*server{{primary}, {standby}}}
	asks := func(what string, want ...string) {
		t.Helper()
		asked = nil
		_, err := s.Connect(t.Context())
		if !slices.Equal(asked, want) || err != nil {
			t.Errorf("%s: asks %v, %v; want %v", what, asked, err, want)
		}
	}
	asks("at first", "primary")
	primary.err = errors.New("refused")
	s.leave()
	standby.err = nil
	asks("after it was left", "standby")
	asks("from then on", "standby")

	standby.err = silent(t)
	primary.err = nil
	asks("one that says nothing", "standby", "primary")
	asks("from then on", "primary")
}

// silent is the error of a server that says nothing.
func silent(t *testing.T) error {
	t.Helper()
	config, err := pgx.ParseConfig("postgres://u@192.0.2.1/d?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	config.DialFunc = func(context.Context, string, string) (conn net.Conn, err error) { return nil, os.ErrDeadlineExceeded }
	_, err = pgconn.ConnectConfig(t.Context(), &config.Config)
	if !pgconn.Timeout(err) {
		t.Fatal(err)
	}
	return err
}

// TestServersOfURL divides a URL with several ways to each server.
func TestServersOfURL(t *testing.T) {
	for url, want := range map[string]int{
		"postgres://u@one/d?sslmode=disable": 1, "postgres://u@one/d?sslmode=prefer": 1,
		"postgres://u@one,two/d?sslmode=prefer": 2, "postgres://u@one:1,one:2,two:1/d": 3,
	} {
		config, err := pgx.ParseConfig(url)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(newServers(config).order); got != want || hosts(config) != want {
			t.Errorf("%s: %d servers, %d hosts, want %d", url, got, hosts(config), want)
		}
	}
}

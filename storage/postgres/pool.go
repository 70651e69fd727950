package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// lifetime is the maximum age of a connection. A demoted server that still answers
	// reads, while its address leads to another server, is left after this time at the
	// latest.
	lifetime = 15 * time.Minute

	// silence is how long each of several hosts may say nothing, unless the URL sets
	// connect_timeout: one that is silently gone must not use up the time of a request.
	silence = 2 * time.Second

	// noTables is a path in which nobody else can put tables, functions or operators.
	// Statements name the tables of the store with their schema.
	noTables = "pg_catalog, pg_temp"
)

// openEngine makes a pool, and finds the schema of its tables.
func openEngine(ctx context.Context, url string) (*engine, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	connections := 4 * runtime.GOMAXPROCS(0)
	if text, ok := take(config, "pool_max_conns"); ok {
		if connections, err = strconv.Atoi(text); err != nil || connections < 1 {
			return nil, fmt.Errorf("pool_max_conns is %q, not a number of connections", text)
		}
	}
	var path *string
	if text, ok := take(config, "search_path"); ok {
		path = &text
	}
	if hosts(config) > 1 {
		config.ConnectTimeout = cmp.Or(config.ConnectTimeout, silence)
		config.DialFunc = dialer(config.ConnectTimeout)
	}
	e := &engine{slots: make(chan struct{}, connections)}
	if e.schema, err = findSchema(ctx, config, path); err != nil {
		return nil, mapError(ctx, err)
	}
	if err := e.connect(ctx, config, connections); err != nil {
		return nil, mapError(ctx, err)
	}
	return e, nil
}

// take removes a parameter that is not for the server, or not yet.
func take(config *pgx.ConnConfig, name string) (value string, ok bool) {
	value, ok = config.RuntimeParams[name]
	delete(config.RuntimeParams, name)
	return value, ok
}

// hosts counts the servers of a URL; one may be tried with and without TLS.
func hosts(config *pgx.ConnConfig) int {
	different := map[string]bool{address(config.Host, config.Port): true}
	for _, other := range config.Fallbacks {
		different[address(other.Host, other.Port)] = true
	}
	return len(different)
}

func address(host string, port uint16) string {
	_, address := pgconn.NetworkAddress(host, port)
	return address
}

// connect makes the pool. Its connections begin with an empty path; a pooler that refuses to
// set one (PgBouncer) leaves them that of the role.
func (e *engine) connect(ctx context.Context, config *pgx.ConnConfig, connections int) error {
	config.RuntimeParams["search_path"] = noTables
	conn, err := pgx.ConnectConfig(ctx, config)
	switch {
	case sqlState(err) == protocolViolation:
		delete(config.RuntimeParams, "search_path")
	case err != nil:
		return err
	default:
		conn.Close(ctx)
	}
	e.servers = newServers(config, stdlib.OptionAfterConnect(stamp), stdlib.OptionResetSession(e.checkAge))
	e.db = sql.OpenDB(e.servers)
	e.db.SetMaxOpenConns(connections)
	e.db.SetMaxIdleConns(connections)
	e.db.SetConnMaxLifetime(lifetime)
	return nil
}

// leaveInterval is the minimum time between two changes of all connections. What new ones meet
// as well is the current state of the database.
const leaveInterval = time.Second

// leave ends the use of all connections from before a step that met a broken one, or a server
// without writes, began. It reports whether the step has yet to try a newer one.
func (e *engine) leave(begin time.Time) bool {
	e.leaving.Lock()
	defer e.leaving.Unlock()
	if e.left.After(begin) { // another step has been faster
		return true
	}
	if time.Since(e.left) < leaveInterval {
		return false
	}
	e.left = time.Now()
	e.servers.leave()
	return true
}

// connectedAt is the key of a connection's time of birth.
const connectedAt = "bonafide.connected"

func stamp(_ context.Context, conn *pgx.Conn) error {
	conn.PgConn().CustomData()[connectedAt] = time.Now()
	return nil
}

// checkAge is called before a connection is used again.
func (e *engine) checkAge(_ context.Context, conn *pgx.Conn) error {
	connected, _ := conn.PgConn().CustomData()[connectedAt].(time.Time)
	e.leaving.Lock()
	defer e.leaving.Unlock()
	if connected.Before(e.left) {
		return driver.ErrBadConn
	}
	return nil
}

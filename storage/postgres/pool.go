package postgres

import (
	"context"
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
	// lifetime is how old a connection gets. A server that was demoted and goes on
	// answering reads, behind an address that leads to another one by now, is left
	// after this time at the latest.
	lifetime = 15 * time.Minute

	// connectTimeout is how long each of several hosts has to take a connection: one
	// that is gone without a word must not use up the time of a request.
	connectTimeout = 3 * time.Second

	// noTables is a path in which nobody else can put anything, neither tables nor
	// functions and operators. The tables of the store are named with their schema.
	noTables = "pg_catalog, pg_temp"
)

// openEngine makes a pool, and finds the schema that its tables are in.
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
	if config.ConnectTimeout == 0 && hosts(config) > 1 {
		config.ConnectTimeout = connectTimeout
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

// take removes a parameter that is not the server's, or not yet.
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

// connect makes the pool. Its connections begin with a path of no use; a pooler that
// refuses to set one (PgBouncer) leaves them with that of the role.
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
	e.db = stdlib.OpenDB(*config, stdlib.OptionAfterConnect(stamp), stdlib.OptionResetSession(e.checkAge))
	e.db.SetMaxOpenConns(connections)
	e.db.SetMaxIdleConns(connections)
	e.db.SetConnMaxLifetime(lifetime)
	return nil
}

// leaveInterval is the least time between two changes of all connections. What a new
// one meets as well is the state of the database, for the time being.
const leaveInterval = time.Second

// leave makes the pool use no connection again that it had when a step began which
// met a server that is no good. It reports whether the step has not tried a newer one
// yet.
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
	return true
}

// connectedAt is where a connection keeps the time from which it is.
const connectedAt = "bonafide.connected"

func stamp(_ context.Context, conn *pgx.Conn) error {
	conn.PgConn().CustomData()[connectedAt] = time.Now()
	return nil
}

// checkAge is asked before a connection is used again.
func (e *engine) checkAge(_ context.Context, conn *pgx.Conn) error {
	connected, _ := conn.PgConn().CustomData()[connectedAt].(time.Time)
	e.leaving.Lock()
	defer e.leaving.Unlock()
	if connected.Before(e.left) {
		return driver.ErrBadConn
	}
	return nil
}

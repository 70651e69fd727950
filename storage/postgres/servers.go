package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// servers are those of a URL, in the order in which they are asked for a connection. One that
// said nothing, or whose connections were left, comes last from then on: nobody else waits for it.
type servers struct {
	driver.Connector // of the first in the URL, for its driver

	mu    sync.Mutex
	order []*server
	used  *server // has given the newest connection
}

type server struct{ driver.Connector }

// newServers divides a configuration into one for each server.
func newServers(config *pgx.ConnConfig, options ...stdlib.OptionOpenDB) *servers {
	ways := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	s := &servers{}
	for len(ways) > 0 {
		first, others := ways[0], 1 // to the same server, with and without TLS
		for others < len(ways) && address(ways[others].Host, ways[others].Port) == address(first.Host, first.Port) {
			others++
		}
		one := config.Copy()
		one.Host, one.Port, one.TLSConfig, one.Fallbacks = first.Host, first.Port, first.TLSConfig, ways[1:others]
		s.order = append(s.order, &server{stdlib.GetConnector(*one, options...)})
		ways = ways[others:]
	}
	s.Connector = s.order[0]
	return s
}

// Connect implements driver.Connector.
func (s *servers) Connect(ctx context.Context) (driver.Conn, error) {
	s.mu.Lock()
	order := slices.Clone(s.order)
	s.mu.Unlock()
	var failed error
	for _, one := range order {
		conn, err := one.Connect(ctx)
		if err == nil {
			s.use(one)
			return conn, nil
		}
		failed = errors.Join(failed, err)
		if ctx.Err() != nil {
			break
		}
		if pgconn.Timeout(err) {
			s.last(one)
		}
	}
	return nil, failed
}

func (s *servers) use(one *server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = one
}

// leave makes the server of the newest connection the last one.
func (s *servers) leave() {
	s.mu.Lock()
	used := s.used
	s.mu.Unlock()
	s.last(used)
}

func (s *servers) last(one *server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.order, one); i >= 0 {
		s.order = append(slices.Delete(slices.Clone(s.order), i, i+1), one)
	}
}

// dialer makes connections that break when the other end acknowledges nothing for so long, be it
// what was sent or, while nothing is, that it is there.
func dialer(silence time.Duration) pgconn.DialFunc {
	d := &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 2, Interval: silence / 2, Count: 2},
		Control:         limitSilence(silence),
	}
	return d.DialContext
}

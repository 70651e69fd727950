package pgtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Proxy stands between a store and its server and does what networks do.
type Proxy struct {
	// URL is that of the database, by way of the proxy.
	URL string

	address string // where it listens

	mu              sync.Mutex
	network, server string // where new connections lead
	listener        net.Listener
	conns           map[net.Conn]bool
	delay           time.Duration
	changed         chan struct{} // closed when delay changes
	commits         int           // until the one whose answer is lost; 0 for none

	trips, statements, conflicts atomic.Int64
}

// NewProxy starts a proxy for the database of a URL; it ends with the test.
func NewProxy(t *testing.T, databaseURL string) *Proxy {
	t.Helper()
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{address: "127.0.0.1:0", conns: map[net.Conn]bool{}, changed: make(chan struct{})}
	p.Move(t, databaseURL)
	p.Restore(t)
	t.Cleanup(p.Cut)
	query := url.Values{"sslmode": {"disable"}, "search_path": {config.RuntimeParams["search_path"]}}
	p.URL = (&url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password),
		Host: p.address, Path: "/" + config.Database, RawQuery: query.Encode(),
	}).String()
	return p
}

// Move makes new connections lead to the server of another URL, as an address does
// that moves from one machine to the next. Those that there are stay where they are.
func (p *Proxy) Move(t *testing.T, databaseURL string) {
	t.Helper()
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.network, p.server = pgconn.NetworkAddress(config.Host, config.Port)
}

// Cut ends all connections and accepts no more.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener.Close()
	for conn := range p.conns {
		conn.Close()
	}
	clear(p.conns)
}

// Restore accepts connections again.
func (p *Proxy) Restore(t *testing.T) {
	t.Helper()
	var plain net.ListenConfig
	plain.SetMultipathTCP(false) // Silence reaches no other socket
	listener, err := plain.Listen(t.Context(), "tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener, p.address = listener, listener.Addr().String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
}

// Delay holds back every answer of the server for a while; zero lets those go that
// are held back.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
	close(p.changed)
	p.changed = make(chan struct{})
}

// CutAfterCommit cuts the connection of the n-th COMMIT from now when the server has
// carried it out, before its client hears of that. Zero does not.
func (p *Proxy) CutAfterCommit(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commits = n
}

// HasCut reports whether the COMMIT that CutAfterCommit waits for has come.
func (p *Proxy) HasCut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.commits == 0
}

// RoundTrips returns how often clients have waited for the server up to now: what is sent before
// the server has answered is one trip, however much it is.
func (p *Proxy) RoundTrips() int { return int(p.trips.Load()) }

// Statements returns how many statements clients have sent up to now.
func (p *Proxy) Statements() int { return int(p.statements.Load()) }

// Conflicts returns how many statements failed up to now in favour of another transaction.
func (p *Proxy) Conflicts() int { return int(p.conflicts.Load()) }

// serve connects a client with the server until either leaves.
func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	p.mu.Lock()
	network, address := p.network, p.server
	p.mu.Unlock()
	server, err := net.Dial(network, address)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.conns[client], p.conns[server] = true, true
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, client)
		delete(p.conns, server)
	}()
	var lost, waiting atomic.Bool // the next answer; for one
	go func() {
		defer server.Close()
		forward(server, client, func(sent []byte) bool {
			if !waiting.Swap(true) {
				p.trips.Add(1)
			}
			p.statements.Add(int64(bytes.Count(sent, execute)))
			if p.isLast(sent) {
				lost.Store(true)
			}
			return true
		})
	}()
	forward(client, server, func(answer []byte) bool {
		p.conflicts.Add(int64(bytes.Count(answer, conflict)))
		p.hold()
		waiting.Store(false)
		return !lost.Load()
	})
}

// forward copies what comes until it ends or pass says no.
func forward(to, from net.Conn, pass func([]byte) bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || !pass(buffer[:n]) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// commit is part of the message that ends a transaction: a Bind of the statement as which pgx
// prepares it, in no portal of a name.
var commit = func() []byte {
	digest := sha256.Sum256([]byte("commit"))
	return []byte("\x00stmtcache_" + hex.EncodeToString(digest[:24]) + "\x00")
}()

// execute is the message that has a statement carried out, to the end of its rows.
var execute = []byte("E\x00\x00\x00\x09\x00\x00\x00\x00\x00")

// conflict is the field of an error with the code of a serialization failure.
var conflict = []byte("C40001\x00")

// isLast counts commits and reports whether this is the one to be cut off.
func (p *Proxy) isLast(sent []byte) bool {
	if !bytes.Contains(sent, commit) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.commits == 0 {
		return false
	}
	p.commits--
	return p.commits == 0
}

// hold waits as long as answers are held back.
func (p *Proxy) hold() {
	p.mu.Lock()
	delay, changed := p.delay, p.changed
	p.mu.Unlock()
	if delay == 0 {
		return
	}
	select {
	case <-time.After(delay):
	case <-changed:
	}
}

package faults

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// childVariable names the environment variable that makes this test binary the
// program under test; its value is a setup in JSON.
const childVariable = "BONAFIDE_FAULTS_CHILD"

func TestMain(m *testing.M) {
	productionCost := password.Cheapen()
	encoded, ok := os.LookupEnv(childVariable)
	if !ok {
		if !long { // they wait more than they work
			_ = flag.Set("test.parallel", "4")
		}
		os.Exit(m.Run())
	}
	var s setup
	if err := json.Unmarshal([]byte(encoded), &s); err != nil {
		panic(err)
	}
	if s.DearPasswords {
		productionCost()
	}
	go func() { // The test keeps the other end open for as long as it lives.
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	work := map[string]func() error{"": s.serve, "write": s.write, "seal": s.seal}
	if err := work[s.Work](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// setup is what all processes of one test have in common.
type setup struct {
	// Database is the path of a SQLite file or the URL of a PostgreSQL database.
	Database string

	// Grace is how long a refresh token can be used again; negative for never, zero
	// for the provider's default.
	Grace time.Duration

	// DearPasswords makes a password take as much memory and time as in production.
	DearPasswords bool

	// Work is what the process does: "" serves, "write" and "seal" work on the audit log.
	Work string

	// Ahead is how far its clock is ahead.
	Ahead time.Duration

	// Account is whom "write" locks and unlocks; Disabled what it does first.
	Account  string
	Disabled bool

	// Gate is the file for which "write" and "seal" wait before they begin.
	Gate string
}

// baseURL is where the provider believes it is. The processes listen elsewhere, each
// at a port of its own, as behind a load balancer.
const baseURL = "http://127.0.0.1"

func (s setup) open(ctx context.Context) (storage.Store, error) {
	if strings.HasPrefix(s.Database, "postgres:") {
		return postgres.Open(ctx, s.Database)
	}
	return sqlite.Open(ctx, s.Database)
}

// provider opens the database and returns a provider on it.
func (s setup) provider(ctx context.Context, mailer provider.Mailer) (*provider.Provider, error) {
	store, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	secret, err := base64.StdEncoding.DecodeString("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6oGiAyQwXkTjM=")
	if err != nil {
		return nil, err
	}
	return provider.New(ctx, provider.Config{
		BaseURL: baseURL, Secret: secret, Store: store, Mailer: mailer,
		Clock:     func() time.Time { return time.Now().Add(s.Ahead) },
		Lifetimes: provider.Lifetimes{RefreshGrace: s.Grace},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		// Each user comes from an address of its own.
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
}

// serve is the program under test. It prints the address that it listens at and
// serves until SIGTERM: then it answers what it has begun to and stops.
func (s setup) serve() error {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	mails := &outbox{sent: map[string]string{}}
	p, err := s.provider(ctx, mails)
	if err != nil {
		return err
	}
	go func() { _ = p.Run(ctx) }()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", p)
	mux.Handle("/outbox", mails)
	mux.Handle("/health/", http.StripPrefix("/health", p.Health()))
	server := &http.Server{Handler: mux}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	_, _ = fmt.Fprintln(os.Stdout, listener.Addr())
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	// Requests end long before this; a connection that was made and never used
	// would be waited for.
	ctx, cancel = context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		server.Close()
	}
	return p.Close()
}

// outbox is a provider.Mailer that shows the last mail to an address at /outbox?to=.
type outbox struct {
	mu   sync.Mutex
	sent map[string]string
}

func (o *outbox) Send(_ context.Context, m provider.Mail) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent[m.To] = m.Text
	return nil
}

func (o *outbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = io.WriteString(w, o.sent[r.FormValue("to")])
}

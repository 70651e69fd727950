package provider_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	probe := func(path string) int {
		recorder := httptest.NewRecorder()
		w.Health().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		return recorder.Code
	}
	if got := [2]int{probe("/live"), probe("/ready")}; got != [2]int{200, 200} {
		t.Errorf("while the store answers: %v", got)
	}
	testkit.OK(t, w.Store.Close())
	if got := [2]int{probe("/live"), probe("/ready")}; got != [2]int{200, 503} {
		t.Errorf("while it does not: %v", got)
	}
	for _, path := range []string{"/live", "/ready", "/health", "/metrics", "/debug/pprof/"} {
		if p := w.NewBrowser().Get(path); p.StatusCode != http.StatusNotFound {
			t.Errorf("%s is a route of the provider: %s", path, p.Status)
		}
	}
}

// migrated is a store whose database a newer version has migrated.
type migrated struct{ storage.Store }

func (migrated) Ping(context.Context) error {
	return fmt.Errorf("%w: %w", storage.ErrUnavailable, storage.ErrNewerSchema)
}

func (migrated) Sweep(context.Context, time.Time, int) (int, error) { panic("the newer version's") }

func TestANewerSchemaIsToldOnceAndLeftAlone(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := lab.New(t, func(c *provider.Config) {
		c.Store = migrated{c.Store}
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	w.Maintain(t.Context())
	w.Maintain(t.Context())
	if n := strings.Count(log.String(), storage.ErrNewerSchema.Error()); n != 1 {
		t.Errorf("it is told %d times:\n%s", n, &log)
	}
	recorder := httptest.NewRecorder()
	w.Health().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/ready", nil))
	if recorder.Code != http.StatusServiceUnavailable {
		t.Errorf("/ready answers %d", recorder.Code)
	}
}

// lingering is a store that takes its time to close, and answers meanwhile.
type lingering struct {
	storage.Store
	closing  func()
	released chan struct{}
}

func (s lingering) Close() error {
	s.closing()
	<-s.released
	return s.Store.Close()
}

func TestReadyEndsBeforeTheStoreIsClosed(t *testing.T) {
	t.Parallel()
	closing := make(chan struct{})
	store := lingering{closing: sync.OnceFunc(func() { close(closing) }), released: make(chan struct{})}
	w := lab.New(t, func(c *provider.Config) {
		store.Store = c.Store
		c.Store = store
	})
	ready := func() int {
		recorder := httptest.NewRecorder()
		w.Health().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/ready", nil))
		return recorder.Code
	}
	if got := ready(); got != http.StatusOK {
		t.Errorf("before: %d", got)
	}
	closed := make(chan error, 1)
	go func() { closed <- w.Provider.Close() }()
	<-closing
	testkit.OK(t, store.Ping(t.Context()))
	if got := ready(); got != http.StatusServiceUnavailable {
		t.Errorf("while the provider closes: %d", got)
	}
	close(store.released)
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// A goroutine that was started for it may come to it only when all is over.
func TestRunAfterCloseHasNothingToDo(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	testkit.OK(t, w.Provider.Close())
	if err := w.Run(t.Context()); err != nil {
		t.Errorf("Run: %v", err)
	}
	if log := w.Log.String(); strings.Contains(log, "level=ERROR") {
		t.Errorf("it logs\n%s", log)
	}
}

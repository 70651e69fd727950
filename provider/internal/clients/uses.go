package clients

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	// noteEvery is how often the use of one secret is recorded by one process.
	noteEvery = time.Minute

	// maxNoted limits the number of secrets that are cached as recorded, and maxNoting the
	// number of concurrent writes: with a slow database, the next minute will do.
	maxNoted  = 4096
	maxNoting = 4
)

// Uses records the last uses of secrets, outside of the requests.
type Uses struct {
	store interface {
		RecordSecretUse(ctx context.Context, clientID string, created, at time.Time) error
	}
	clock  func() time.Time
	logger *slog.Logger

	noted  *cache.Cache[use, struct{}]
	places chan struct{}
	closed sync.Once
}

// use identifies a secret.
type use struct {
	clientID string
	created  int64
}

// NewUses returns a recorder of uses in a store.
func NewUses(store storage.Clients, clock func() time.Time, logger *slog.Logger) *Uses {
	return &Uses{
		store: store, clock: clock, logger: logger,
		noted: cache.New[use, struct{}](noteEvery, maxNoted, clock), places: make(chan struct{}, maxNoting),
	}
}

// Note records a use now of the client secret that was made at created, at most once a minute.
func (u *Uses) Note(clientID string, created time.Time) {
	_, _ = u.noted.Get(use{clientID, storage.UnixMicro(created)}, func() (struct{}, error) {
		select {
		case u.places <- struct{}{}:
			go u.record(clientID, created, u.clock())
		default:
		}
		return struct{}{}, nil
	})
}

func (u *Uses) record(clientID string, created, at time.Time) {
	defer func() { <-u.places }()
	ctx, cancel := audit.Outlasting(context.Background())
	defer cancel()
	err := u.store.RecordSecretUse(ctx, clientID, created, at)
	if err != nil && !errors.Is(err, storage.ErrNotFound) { // the client may have been deleted
		u.logger.WarnContext(ctx, "use of a client secret could not be recorded", slog.String("client", clientID), slog.Any("error", err))
	}
}

// Close waits for the running writes; later uses are not recorded.
func (u *Uses) Close() {
	u.closed.Do(func() {
		for range cap(u.places) {
			u.places <- struct{}{}
		}
	})
}

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

	// maxNoted bounds how many secrets are remembered as recorded, and maxNoting how
	// many are being recorded: where the database is slow, the next minute will do.
	maxNoted  = 4096
	maxNoting = 4
)

// Uses records when secrets were last used, out of the way of the answers.
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

// use names a secret.
type use struct {
	clientID string
	created  int64
}

// NewUses returns what records the uses of secrets in a store.
func NewUses(store storage.Clients, clock func() time.Time, logger *slog.Logger) *Uses {
	return &Uses{
		store: store, clock: clock, logger: logger,
		noted: cache.New[use, struct{}](noteEvery, maxNoted, clock), places: make(chan struct{}, maxNoting),
	}
}

// Note records that the secret of a client that was made at created has been used now,
// unless it has been recorded less than a minute ago.
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
	if err != nil && !errors.Is(err, storage.ErrNotFound) { // not one that was deleted a moment ago
		u.logger.WarnContext(ctx, "use of a client secret could not be recorded", slog.String("client", clientID), slog.Any("error", err))
	}
}

// Close waits for what is being recorded; nothing is recorded after it.
func (u *Uses) Close() {
	u.closed.Do(func() {
		for range cap(u.places) {
			u.places <- struct{}{}
		}
	})
}

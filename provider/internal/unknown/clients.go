package unknown

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	// maxKept is the number of documents in memory, of some kilobytes each.
	maxKept = 1024

	// pause is the minimum time between two fetches from an address.
	pause = 5 * time.Second

	// tolerated is how long a row serves beyond the time of its document while nobody answers
	// at its address.
	tolerated = 24 * time.Hour

	// unconsented is how long a row stays that nobody has allowed anything.
	unconsented = 24 * time.Hour
)

// Options are what Clients work with. All fields are required.
type Options struct {
	Policy *Policy

	// Rows are the clients that are in the database.
	Rows registry.Source

	Store interface {
		Client(ctx context.Context, id string) (storage.Client, error)
		SaveClient(ctx context.Context, c storage.Client) error
		Clients(ctx context.Context, match storage.ClientFilter, after string, limit int) ([]storage.Client, error)
	}

	// HTTP reads documents, within the bounds of this package.
	HTTP *http.Client

	// Seal encrypts the secret of a client.
	Seal func(secret string) []byte

	// Names returns the names that no unknown client may call itself.
	Names func(ctx context.Context) ([]string, error)

	// Delete removes a client if it is still as it was read.
	Delete func(ctx context.Context, c storage.Client) error

	// Used is how long what a user allows may last.
	Used time.Duration

	Limits audit.Limits
	Clock  func() time.Time
}

// Clients finds and keeps the clients that nobody registered. It may be used by any number of
// goroutines.
type Clients struct {
	Options
	asking singleflight.Group

	mu   sync.Mutex
	kept map[string]kept

	looked, over batch.Cursor[string] // of Look and RemoveUnused
}

// kept is what is in memory of an address.
type kept struct {
	client  *registry.Client // nil after a failure
	until   time.Time
	triedAt time.Time
	failed  error
}

// New returns the clients of these options.
func New(o Options) *Clients { return &Clients{Options: o, kept: map[string]kept{}} }

// Resolve returns the enabled client of an authorization request: that of the database, or
// else of the document at its address, which is read again when it is no longer fresh.
// registry.ErrNoClient, without a reason, if there is none.
func (s *Clients) Resolve(ctx context.Context, id string) (*registry.Client, error) {
	row, err := s.Rows.Client(ctx, id)
	switch {
	case err == nil && (row.Origin != storage.OriginDocument || s.isFresh(row)):
		return row, nil
	case err != nil && (!errors.Is(err, registry.ErrNoClient) || errors.Is(err, registry.ErrDisabled) || !s.Policy.IsAddress(id)):
		return nil, err
	}
	if err != nil {
		row = nil
		if found := s.recent(id); found != nil {
			return found, s.Policy.refuseDenied(ctx, found.Hosts()...)
		}
	}
	found, err := s.read(ctx, id, row)
	if err == nil || !errors.Is(err, errUnanswered) {
		return found, err
	}
	if row != nil && clock.Within(s.Clock(), row.Document.FetchedAt, tolerated) {
		return row, nil
	}
	return nil, registry.ErrNoClient
}

// errUnanswered says that nobody has answered at an address, or has been asked. It is an
// ErrNoClient.
var errUnanswered = fmt.Errorf("%w: its document cannot be read now", registry.ErrNoClient)

// isFresh reports whether the document of a row may be used without another look.
func (s *Clients) isFresh(row *registry.Client) bool {
	return clock.InForce(s.Clock(), row.Document.FetchedAt, row.Document.FreshUntil)
}

// recent returns a client that is in memory and fresh, or nil.
func (s *Clients) recent(id string) *registry.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.kept[id]
	if found.client == nil || !clock.InForce(s.Clock(), found.triedAt, found.until) {
		return nil
	}
	return found.client
}

// read fetches a document, once for all who ask at the same time, and makes the row follow it if
// there is one.
func (s *Clients) read(ctx context.Context, id string, row *registry.Client) (*registry.Client, error) {
	if err := s.Policy.validateAddress(id); err != nil {
		s.refused(ctx, "the address "+err.Error())
		return nil, registry.ErrNoClient
	}
	if err := s.Policy.refuseDenied(ctx, hostOf(id)); err != nil {
		return nil, err
	}
	s.mu.Lock()
	last, known := s.kept[id]
	s.mu.Unlock()
	if known && last.client == nil && clock.Within(s.Clock(), last.triedAt, pause) {
		return nil, last.failed
	}
	wait, err := s.Limits.Allow(ctx, ratelimit.Document, ratelimit.Key{Account: hostOf(id)})
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		return nil, errUnanswered
	}
	answer := s.asking.DoChan(id, func() (any, error) {
		ctx, cancel := request.Outlasting(ctx) // who asks first may leave, others wait
		defer cancel()
		return s.fetchNow(ctx, id, row)
	})
	select {
	case got := <-answer:
		if got.Err != nil {
			return nil, got.Err
		}
		return got.Val.(*registry.Client), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fetchNow fetches a document and puts its client, or that there is none, in memory.
func (s *Clients) fetchNow(ctx context.Context, id string, row *registry.Client) (*registry.Client, error) {
	record, err := s.look(ctx, id)
	now := s.Clock()
	if err != nil {
		s.refused(ctx, hostOf(id)+": "+err.Error())
		failed := registry.ErrNoClient
		if errors.Is(err, errUnanswered) {
			failed = errUnanswered
		}
		s.keep(id, kept{triedAt: now, failed: failed})
		return nil, failed
	}
	if err := s.nameIt(ctx, &record); err != nil {
		return nil, err
	}
	if row != nil {
		if record, err = s.follow(ctx, row.ID, record, now); err != nil {
			return nil, err
		}
	}
	client, err := registry.Enabled(record)
	if err == nil {
		err = s.Policy.Admit(ctx, client)
	}
	if err != nil {
		return nil, err
	}
	s.keep(id, kept{client: client, until: record.Document.FreshUntil, triedAt: now})
	return client, nil
}

// look returns the registration at an address as it is now, with any name. The error is errUnanswered for one
// that another attempt may mend.
func (s *Clients) look(ctx context.Context, id string) (storage.Client, error) {
	found, err := fetch(ctx, s.HTTP, id)
	switch {
	case errors.Is(err, errGone):
		return storage.Client{}, err
	case err != nil:
		return storage.Client{}, unanswered{err}
	}
	now := s.Clock()
	record, err := s.Policy.read(id, found.text, now)
	if err != nil {
		return storage.Client{}, err
	}
	record.Document.FreshUntil = now.Add(found.life)
	return record, nil
}

// nameIt leaves a client the name of its document only if that may be shown. Its error is of the
// database, and says nothing of the document.
func (s *Clients) nameIt(ctx context.Context, record *storage.Client) error {
	names, err := s.Names(ctx)
	if err != nil {
		return err
	}
	record.Document.Name = shownName(record.Document.Name, names)
	return nil
}

// unanswered is an errUnanswered with its reason.
type unanswered struct{ reason error }

func (e unanswered) Error() string { return e.reason.Error() }

func (e unanswered) Unwrap() error { return errUnanswered }

// keep puts what is known of an address in memory. Any other makes place for it.
func (s *Clients) keep(id string, k kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.kept[id]; !there && len(s.kept) >= maxKept {
		for other := range s.kept {
			delete(s.kept, other)
			break
		}
	}
	s.kept[id] = k
}

// refused records why a client was refused, for the operator only: who asks must not find out
// what answers at an address.
func (s *Clients) refused(ctx context.Context, reason string) {
	s.Limits.Log.RecordOnce(ctx, storage.Event{Name: event.DocumentRefused, Detail: reason})
}

// Keep makes a client of a document a row, because somebody decides about it. It returns nil
// when there is one, and registry.ErrDisabled if one of its hosts is denied.
func (s *Clients) Keep(ctx context.Context, c *registry.Client) error {
	if c.Origin != storage.OriginDocument || c.Version != 0 {
		return nil
	}
	record, now := c.Client, s.Clock()
	record.CreatedAt, record.UpdatedAt, record.ExpiresAt = now, now, now.Add(unconsented)
	err := s.Limits.Log.Step(ctx, func(ctx context.Context) error { return s.Store.SaveClient(ctx, record) },
		storage.Event{Name: event.ClientCreated, ClientID: record.ID, Detail: "document"})
	switch {
	case errors.Is(err, storage.ErrChanged): // another request was faster
		return nil
	case errors.Is(err, storage.ErrDenied):
		return registry.ErrDisabled
	}
	return err
}

// follow makes a row that of a document as it is now, and returns it.
func (s *Clients) follow(ctx context.Context, id string, read storage.Client, now time.Time) (storage.Client, error) {
	for {
		row, err := s.Store.Client(ctx, id)
		if errors.Is(err, storage.ErrNotFound) {
			return read, nil // removed meanwhile
		}
		if err != nil {
			return row, err
		}
		if row.Origin != storage.OriginDocument || row.Document.FetchedAt.After(read.Document.FetchedAt) {
			return row, nil
		}
		record, changed := followed(row, read, now)
		var events []storage.Event
		if changed {
			events = []storage.Event{{Name: event.ClientChanged, ClientID: id, Detail: "document"}}
		}
		err = s.Limits.Log.Step(ctx, func(ctx context.Context) error { return s.Store.SaveClient(ctx, record) }, events...)
		if errors.Is(err, storage.ErrChanged) {
			continue
		}
		if err != nil {
			return row, err
		}
		return s.Store.Client(ctx, id)
	}
}

// followed returns a row as its document is now, and whether that has another text. Who no longer
// signs could be anybody: what was allowed a client with a key ends when it has none.
func followed(row, read storage.Client, now time.Time) (record storage.Client, changed bool) {
	record = read
	document := *read.Document
	record.Document = &document
	record.CreatedAt, record.UpdatedAt, record.Version = row.CreatedAt, row.UpdatedAt, row.Version
	record.Disabled, record.Deleted, record.GrantsSince, record.ExpiresAt = row.Disabled, row.Deleted, row.GrantsSince, row.ExpiresAt
	document.ChangedAt, document.Previous = row.Document.ChangedAt, row.Document.Previous
	if changed = row.Document.Digest != document.Digest; changed {
		record.UpdatedAt, document.ChangedAt, document.Previous = now, now, row.Document.Text
	}
	if !row.Public && read.Public {
		record.GrantsSince = now
	}
	return record, changed
}

// Use records that a user's decision about a client has led to a grant: the row stays for as
// long as that may last, and 90 days more.
func (s *Clients) Use(ctx context.Context, c *registry.Client) error {
	if !c.IsUnknown() {
		return nil
	}
	for {
		now := s.Clock()
		until := now.Add(s.Used + unused)
		row, err := s.Store.Client(ctx, c.ID)
		if err != nil || row.Disabled || until.Sub(row.ExpiresAt) < day {
			return err
		}
		row.ExpiresAt = until
		if err := s.Store.SaveClient(ctx, row); !errors.Is(err, storage.ErrChanged) {
			return err
		}
	}
}

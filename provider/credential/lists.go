package credential

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	// listFull is how many places of a list are given away: random places of a list that is half
	// empty tell nothing, and a free one is soon found.
	listFull = storage.CredentialPlaces / 2

	// checkLists is how old what a process knows of a list may get. With checkBases it makes up the
	// half minute in which what has ended is on its list.
	checkLists = 10 * time.Second

	// signAgain is how old a copy of a list may get in which nothing has changed: some verifiers count
	// its age from when it was signed, and not from when they fetched it.
	signAgain = listAge / 2
)

// lists are the status lists. They are safe for concurrent use.
type lists struct {
	store storage.Credentials
	keys  *keys
	url   string
	clock func() time.Time

	drawing sync.Mutex
	open    int64 // the list that takes new credentials, as of looked
	looked  time.Time

	// mu is not held while the store is asked: copies are given out meanwhile.
	mu     sync.Mutex
	copies map[int64]*listCopy
}

// listCopy is a signed list.
type listCopy struct {
	mu       sync.Mutex
	ended    []int
	checked  time.Time // the store
	signed   time.Time
	document *web.Document
}

func newLists(store storage.Credentials, keys *keys, url string, clock func() time.Time) *lists {
	return &lists{store: store, keys: keys, url: url, clock: clock, copies: map[int64]*listCopy{}}
}

// address is where a list is.
func (l *lists) address(list int64) string { return fmt.Sprintf("%s/status/%d", l.url, list) }

// draw returns a random place of the open list. It may be taken.
func (l *lists) draw(ctx context.Context) (list int64, place int, uri string, err error) {
	l.drawing.Lock()
	defer l.drawing.Unlock()
	if now := l.clock(); l.open == 0 || !within(now, l.looked, checkLists) {
		if l.open, err = l.store.OpenList(ctx, listFull, now); err != nil {
			return 0, 0, "", err
		}
		l.looked = now
	}
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails: the program stops without randomness
	return l.open, int(binary.BigEndian.Uint32(b[:]) % storage.CredentialPlaces), l.address(l.open), nil
}

// within reports whether it is less than a while since a moment, which is not ahead.
func within(now, since time.Time, while time.Duration) bool {
	age := now.Sub(since)
	return 0 <= age && age < while
}

// listHeaders are the headers of a list. What caches keep for half a minute verifiers keep for
// longer.
var listHeaders = http.Header{"Content-Type": {"application/statuslist+jwt"}, "Cache-Control": {"public, max-age=30"}}

// serveStatus serves a status list (Token Status List section 8).
func (s *Service) serveStatus(w http.ResponseWriter, r *http.Request) {
	document, err := s.lists.document(r.Context(), r.PathValue("list"))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		err = errNoList
	case errors.Is(err, storage.ErrEnded):
		err = errListOver
	case err == nil && r.URL.Query().Has("time"):
		err = errListTime
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Del("Pragma")
	document.ServeHTTP(w, r)
}

// document returns a list of this name. While the store is away, the last copy is as good as one that a
// verifier has fetched.
func (l *lists) document(ctx context.Context, name string) (*web.Document, error) {
	list, err := strconv.ParseInt(name, 10, 64)
	if err != nil || strconv.FormatInt(list, 10) != name {
		return nil, storage.ErrNotFound
	}
	l.mu.Lock()
	known := l.copies[list]
	l.mu.Unlock()
	if known == nil {
		known = &listCopy{}
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	now := l.clock()
	isGood := within(now, known.signed, listAge)
	if isGood && within(now, known.checked, checkLists) {
		return known.document, nil
	}
	ended, err := l.store.EndedPlaces(ctx, list)
	switch {
	case errors.Is(err, storage.ErrUnavailable) && isGood:
		known.checked = now // of all who ask, one waits for the store
		return known.document, nil
	case err != nil:
		return nil, err
	}
	if known.document == nil || !within(now, known.signed, signAgain) || !slices.Equal(ended, known.ended) {
		if err := l.sign(ctx, known, list, ended, now); err != nil {
			return nil, err
		}
	}
	known.checked = now
	return known.document, nil
}

// sign replaces a copy, and remembers it: only of lists that there are.
func (l *lists) sign(ctx context.Context, known *listCopy, list int64, ended []int, now time.Time) error {
	claims, err := statusListOf(l.address(list), ended, now)
	if err != nil {
		return err
	}
	signed, err := l.keys.sign(ctx, keyring.TypeStatusList, claims)
	if err != nil {
		return fmt.Errorf("sign status list: %w", err)
	}
	known.ended, known.signed, known.document = ended, now, web.NewDocument([]byte(signed), listHeaders)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.copies[list] = known
	return nil
}

var (
	errNoList = &refusal{code: "invalid_request", status: http.StatusNotFound,
		description: "There is no such status list."}
	errListOver = &refusal{code: "invalid_request", status: http.StatusGone,
		description: "All credentials of this status list have expired."}
	errListTime = &refusal{code: "invalid_request", status: http.StatusNotImplemented,
		description: "Status lists of earlier times are not kept."}
)

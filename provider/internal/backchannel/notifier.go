// Package backchannel tells applications that a session has ended (OpenID Connect
// Back-Channel Logout 1.0). What has to be told is in the store, so that a sign-out neither
// waits for an application nor fails with it, and no process is needed to remember it.
package backchannel

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// Notifier tells applications. Any number of them may share a store.
type Notifier struct {
	Options
	wake chan struct{}

	mu    sync.Mutex
	calls map[string]int // how many are under way, by client
	all   int
	rests map[string]time.Time // until when a client is left alone
}

// Options are what a Notifier works with.
type Options struct {
	Store  storage.ClientSessions
	Issuer string

	// Client returns a registration; engine.ErrNoClient when there is none.
	Client func(ctx context.Context, id string) (*registry.Client, error)

	// Sign returns claims as a JWT with this typ, Refresh sees to the key being current.
	Sign    func(typ string, claims []byte) (string, error)
	Refresh func(ctx context.Context)

	// Post sends a form and returns the status of the answer.
	Post func(ctx context.Context, address string, form url.Values) (status int, err error)

	Activity *activity.Log
	Clock    func() time.Time
	Logger   *slog.Logger
}

// New returns a notifier, which does nothing until Run.
func New(o Options) *Notifier {
	return &Notifier{Options: o, wake: make(chan struct{}, 1), calls: map[string]int{}, rests: map[string]time.Time{}}
}

const (
	// pollEvery is how often the store is asked what is due: sessions may have been ended
	// by another process.
	pollEvery = time.Second

	// maxCalls bounds the calls under way, and maxClientCalls those to one client, so
	// that a slow one leaves room for others.
	maxCalls       = 32
	maxClientCalls = 4

	// rest is how long a client is left alone that could not be told: whoever registers an
	// address chooses whom we call, and ends as many sessions as he likes. The calls of its
	// other sessions would be more of the same, and keep those to others waiting.
	rest = 10 * time.Second

	// turnLife is how long what was taken is left to this process: longer than a call
	// takes, and what a process takes with it that dies is not late by more.
	turnLife = 30 * time.Second
)

// Wake has Run look at once.
func (n *Notifier) Wake() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// Run tells applications until ctx ends. Calls that are under way then are given up, and
// made again by whoever is next.
func (n *Notifier) Run(ctx context.Context) {
	var calls sync.WaitGroup
	defer calls.Wait()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	failing := false
	for ctx.Err() == nil {
		taken, err := n.take(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			n.Logger.ErrorContext(ctx, "due logout tokens could not be read", slog.Any("error", err))
		}
		failing = err != nil
		for _, c := range taken {
			n.count(c.ClientID, 1)
			calls.Go(func() {
				defer n.Wake() // there may be more than had room
				defer n.count(c.ClientID, -1)
				n.tell(ctx, c)
			})
		}
		select {
		case <-ctx.Done():
		case <-n.wake:
		case <-tick.C:
		}
	}
}

// take returns what is due and has room.
func (n *Notifier) take(ctx context.Context) ([]storage.ClientSession, error) {
	now := n.Clock()
	turn := storage.Turn{Now: now, Until: now.Add(turnLife), PerClient: maxClientCalls}
	n.mu.Lock()
	turn.Limit = maxCalls - n.all
	for id := range n.calls {
		turn.Except = append(turn.Except, id)
	}
	for id, until := range n.rests {
		if left := until.Sub(now); left <= 0 || left > rest { // or the clock was set back
			delete(n.rests, id)
		} else if n.calls[id] == 0 {
			turn.Except = append(turn.Except, id)
		}
	}
	n.mu.Unlock()
	if turn.Limit <= 0 {
		return nil, nil
	}
	return n.Store.TakeClientSessions(ctx, turn)
}

// count notes that calls to a client have begun or ended.
func (n *Notifier) count(clientID string, calls int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all += calls
	if n.calls[clientID] += calls; n.calls[clientID] == 0 {
		delete(n.calls, clientID)
	}
}

// leaveAlone notes that a client could not be told.
func (n *Notifier) leaveAlone(clientID string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rests[clientID] = n.Clock().Add(rest)
}

// Package backchannel tells applications that a session has ended (OpenID Connect Back-Channel
// Logout 1.0). The store keeps the pending notices, so that a sign-out neither waits for an
// application nor fails with it, and no notice is lost with a process.
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
	running sync.WaitGroup

	mu    sync.Mutex
	calls map[string]int // the running calls by client
	all   int
	rests map[string]time.Time // until when a client is left alone
}

// Options are the dependencies of a Notifier.
type Options struct {
	Store  storage.ClientSessions
	Issuer string

	// Client returns a registration; engine.ErrNoClient if there is none.
	Client func(ctx context.Context, id string) (*registry.Client, error)

	// Sign returns claims as a JWT with this typ, signed with an algorithm; Refresh updates the
	// key.
	Sign    func(typ, alg string, claims []byte) (string, error)
	Refresh func(ctx context.Context)

	// Post sends a form and returns the status of the answer.
	Post func(ctx context.Context, address string, form url.Values) (status int, err error)

	// Ring has Begin called again soon.
	Ring func()

	Activity *activity.Log
	Clock    func() time.Time

	// AgreedTime is when a turn is over and the next attempt due. One process whose clock is
	// ahead would use up all attempts at once, or put the next one off for as long.
	AgreedTime func() time.Time

	Logger *slog.Logger
}

// New returns a notifier, which does nothing until Begin.
func New(o Options) *Notifier {
	return &Notifier{Options: o, calls: map[string]int{}, rests: map[string]time.Time{}}
}

const (
	// maxCalls limits concurrent calls, and maxClientCalls those to one client, so that a
	// slow one leaves room for others.
	maxCalls       = 32
	maxClientCalls = 4

	// rest is the pause after a failed call to a client. Whoever registers an address
	// chooses the target of the calls, and can end any number of sessions. Further calls
	// would probably fail, too, and delay those to others.
	rest = 10 * time.Second

	// turnLife is how long a taken notice belongs to this process: longer than a call. If
	// the process dies, the notice is late by as much.
	turnLife = 30 * time.Second
)

// Begin begins to tell applications for which a notice is due. When ctx ends the calls are aborted, and
// repeated later.
func (n *Notifier) Begin(ctx context.Context) (more bool, err error) {
	taken, err := n.take(ctx)
	for _, c := range taken {
		n.count(c.ClientID, 1)
		n.running.Go(func() {
			defer n.Ring() // more may be due
			defer n.count(c.ClientID, -1)
			n.tell(ctx, c)
		})
	}
	return false, err
}

// Wait waits for the calls that have begun.
func (n *Notifier) Wait() { n.running.Wait() }

// take takes due notices, as many as have room.
func (n *Notifier) take(ctx context.Context) ([]storage.ClientSession, error) {
	agreed := n.AgreedTime()
	turn := storage.Turn{Now: agreed, Until: agreed.Add(turnLife), PerClient: maxClientCalls}
	n.mu.Lock()
	now := n.Clock() // not before the last rest has begun, which would look like a clock that was set back
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

// count adds to the number of running calls to a client.
func (n *Notifier) count(clientID string, calls int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all += calls
	if n.calls[clientID] += calls; n.calls[clientID] == 0 {
		delete(n.calls, clientID)
	}
}

// leaveAlone begins the pause of a client after a failed call.
func (n *Notifier) leaveAlone(clientID string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rests[clientID] = n.Clock().Add(rest)
}

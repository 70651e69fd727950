package signals

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// Hub is what one provider has for its receivers. It does nothing until a Loop runs its Sources.
type Hub struct {
	Options
	Bell

	// All rings at every event, the hub itself only where somebody may have to be told.
	All Bell

	// Streams are nil where there are none.
	Streams *Streams

	followers atomic.Int32

	holder string        // of the mark
	room   chan struct{} // an element for each receiver in its turn

	mu     sync.Mutex
	held   *storage.Mark // while this process reads
	turns  sync.WaitGroup
	owners []owners
}

// Options are the dependencies of a Hub.
type Options struct {
	// Config says who may be told.
	Config signals.Config

	Store storage.Signals
	Vault *vault.Vault
	Audit *audit.Log

	// Sandbox lets applications have inboxes.
	Sandbox bool

	// Outbound posts messages.
	Outbound *outbound.Client

	// CheckAddress returns an error for an address to which no message may be sent.
	CheckAddress func(address string) error

	// PublicError turns the error of a field into that of the API.
	PublicError func(error) error

	Clock func() time.Time

	// AgreedTime is when a turn is over and the next attempt due, whatever the clock of this machine says.
	AgreedTime func() time.Time

	Logger *slog.Logger
}

// Message is a delivery in its turn.
type Message struct {
	ID   string
	Body []byte
}

// Outcome is what has become of an attempt.
type Outcome struct {
	Result Result

	// Answer is what the receiver has said, for who looks after it.
	Answer string

	// Wait is how long the receiver wants to be left alone.
	Wait time.Duration
}

// Result is how an attempt ended.
type Result int

// The results: of the message, of which Refused is tried again at once and Dead is not; or of the
// receiver, which is tried again later, or is Gone.
const (
	Done Result = iota
	Refused
	Dead
	Unreached
	Gone
)

const (
	// tick is how often the store is looked at: another process may have written.
	tick = time.Second

	// markLife is how long a mark belongs to this process, and turnLife a receiver. If the process
	// dies, messages are late by as much. A call takes at most callTime, and none begins in a turn
	// after lastCall.
	markLife = 10 * time.Second
	turnLife = 30 * time.Second
	callTime = 20 * time.Second
	lastCall = turnLife - callTime - 2*time.Second

	// maxTurns limits the receivers that are in their turn, at most takeAtOnce of which begin
	// together.
	maxTurns   = 128
	takeAtOnce = 32
)

// CallTime is the time for a call, MaxCalls how many there are at once, and MaxIdle how many connections
// to one host are kept, for the client of a Hub.
const (
	CallTime = callTime
	MaxCalls = maxTurns * lanesAtOnce
	MaxIdle  = lanesAtOnce
)

// New returns a hub.
func New(o Options) *Hub {
	return &Hub{Options: o, holder: random.Text(12), room: make(chan struct{}, maxTurns)}
}

// IsOn reports whether anybody may be told.
func (h *Hub) IsOn() bool {
	return h != nil && (h.Config.Webhooks || h.Config.SharedSignals || len(h.Config.Endpoints) > 0)
}

// Sources are the work of the hub in a Loop. When ctx ends Wait must be called: running calls are
// aborted, and repeated later.
func (h *Hub) Sources() []Source {
	synced := false
	return []Source{
		{"put messages beside receivers of signals", func(ctx context.Context) (more bool, err error) {
			if !synced {
				if err := h.sync(ctx); err != nil {
					return false, err
				}
				synced = true
			}
			return h.fan(ctx)
		}},
		{"send messages to receivers of signals", func(ctx context.Context) (bool, error) { return false, h.send(ctx) }},
	}
}

// Wait waits for the turns that have begun.
func (h *Hub) Wait() { h.turns.Wait() }

// IsHeard reports whether anybody listens to events as they happen.
func (h *Hub) IsHeard() bool { return h.IsOn() || h.followers.Load() > 0 }

// often are the events of which there are so many that nobody is woken by them.
var often = map[string]bool{
	event.SignedIn: true, event.SignInFailed: true, event.SignedUp: true, event.Consent: true, event.Denied: true, event.Throttled: true, event.Exchanged: true,
}

// Recorded wakes who waits for an event with this name.
func (h *Hub) Recorded(name string) {
	h.All.Ring()
	if !often[name] {
		h.Ring()
	}
}

// outcome is what an answer means.
func (h *Hub) outcome(a outbound.Answer, err error) Outcome {
	if err != nil {
		return Outcome{Result: Unreached, Answer: outbound.Reason(err)}
	}
	return Outcome{Result: resultOf(a.Status), Answer: answerOf(a), Wait: retryAfter(a.Header, h.Clock())}
}

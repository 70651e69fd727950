package storage

import (
	"context"
	"time"
)

// Signals stores who is told of what has changed, and what is still to be told. Like [Developers]
// it is not a part of [Store], and one database has both: events are read after a [Mark], and one
// step moves the mark and puts deliveries beside their receivers, so that nothing is told twice
// under two names, and nothing is left out.
type Signals interface {
	// EventsAfter returns up to limit events behind a mark, in an order in which none appears
	// later in front of one that was returned: an event waits for each that was begun before it and is not
	// committed yet. next is the mark behind them. ErrEnded if events behind the mark were removed;
	// next is then behind all that there are.
	EventsAfter(ctx context.Context, m Mark, limit int) (events []Event, next Mark, err error)

	// TakeMark returns the mark of a reader, which belongs to the holder until then. A new one is
	// behind the events that there are, but for those that still wait. ErrConflict if another has it until later than now.
	TakeMark(ctx context.Context, reader, holder string, now, until time.Time) (Mark, error)

	// MoveMark moves a mark, which its holder keeps until to.Until, and adds deliveries, in one
	// step. Those with a number that a receiver has already, and those of receivers that are gone,
	// are left out. Waiting ones make their receivers due. ErrChanged if the mark is not where from
	// is, or another holds it.
	MoveMark(ctx context.Context, from, to Mark, deliveries []Delivery) error

	// Marks returns all marks, in the order of their readers.
	Marks(ctx context.Context) ([]Mark, error)

	// Listeners returns what these subjects have allowed clients, ended since the given time or
	// not at all: one for each client and set of groups.
	Listeners(ctx context.Context, subjects []string, since time.Time) ([]Listener, error)

	// Receivers returns the matching receivers, in the order of their IDs.
	Receivers(ctx context.Context, match ReceiverFilter) ([]Receiver, error)

	// SaveReceiver replaces the one with this Revision; Revision zero creates it. An enabled one
	// begins anew: without attempts, and due if something waits. ErrChanged if there is another
	// revision, ErrConflict if the ID of a new one exists, ErrNotFound if its client does not exist,
	// ErrLimit if the client, or the host, has most others of its kind.
	SaveReceiver(ctx context.Context, r Receiver, most int) error

	// RemoveReceiver disables a receiver with this Revision, any if that is zero, which stays the same,
	// and removes up to limit of its deliveries, and itself with the last. It returns their number altogether;
	// the caller repeats until zero. ErrChanged if there is another revision.
	RemoveReceiver(ctx context.Context, id string, revision int64, limit int) (removed int, err error)

	// TakeReceivers returns up to limit receivers that are due, the longest first, each to only
	// one of any number of callers. One that is not settled is due again at the end of the turn.
	TakeReceivers(ctx context.Context, now, until time.Time, limit int) ([]Receiver, error)

	// Deliveries returns the matching deliveries.
	Deliveries(ctx context.Context, match DeliveryFilter) ([]Delivery, error)

	// Settle records how the deliveries of a turn ended (State, Answer and EndedAt), or the Answer to
	// those that still wait, and Attempts
	// and FailingSince of the receiver. Its NextAt is when it is due if something waits. An enabled
	// one gets the State of r. ErrChanged if the receiver was taken again since, settled or saved, or is gone.
	Settle(ctx context.Context, r Receiver, ended []Delivery) error

	// Acknowledge ends waiting deliveries of a receiver that fetches them, by their message IDs,
	// as done or, with a nonempty answer, as dead, and returns their number. Unknown ones are left out.
	Acknowledge(ctx context.Context, receiverID string, messageIDs []string, answer string, at time.Time) (int, error)

	// Replay makes up to limit ended deliveries of a receiver wait again, and returns their number.
	Replay(ctx context.Context, match DeliveryFilter) (int, error)
}

// Mark is how far a reader of the events has got: behind an event.
type Mark struct {
	Reader string

	// Turn and ID are of the store. They are the place of the event in the order of EventsAfter.
	Turn, ID int64

	// Holder is who reads, until Until.
	Holder string
	Until  time.Time

	// Unread is the time of the first event behind it, whether it can be read yet or not; zero for
	// none. Only Marks has it.
	Unread time.Time
}

// Listener is a client that a subject has allowed something.
type Listener struct {
	Subject, ClientID string

	// Groups are those that it covers.
	Groups []string

	// EndedAt is when that has ended; zero while it is in force.
	EndedAt time.Time
}

// ReceiverKind is how a receiver gets its messages.
type ReceiverKind string

// The kinds of receivers.
const (
	WebhookReceiver ReceiverKind = "webhook" // Standard Webhooks 1.0
	PushReceiver    ReceiverKind = "push"    // RFC 8935
	PollReceiver    ReceiverKind = "poll"    // RFC 8936
	InboxReceiver   ReceiverKind = "inbox"   // kept, to be looked at
)

// ReceiverState says whether a receiver gets messages.
type ReceiverState string

// The states of a receiver. To one that is unverified only pings are sent, and what waited before waits
// on; what happens while it is paused waits; what happens while it is disabled is not kept for it.
const (
	ReceiverUnverified ReceiverState = "unverified"
	ReceiverEnabled    ReceiverState = "enabled"
	ReceiverPaused     ReceiverState = "paused"
	ReceiverDisabled   ReceiverState = "disabled"
)

// Receiver is who is told: an endpoint of an application, or of the host.
type Receiver struct {
	ID string

	// ClientID is the application's; empty for the host's own.
	ClientID string

	Kind  ReceiverKind
	State ReceiverState

	// Record has all that nobody searches by, encrypted.
	Record []byte

	CreatedAt time.Time

	// Revision is unique to each saved value; the store assigns it.
	Revision int64

	// Attempts is how often in a row it was not reached, FailingSince since when; zero for a
	// receiver that answers.
	Attempts     int
	FailingSince time.Time

	// NextAt is when it is due; zero if nothing waits. That of one that was taken is the end of
	// the turn.
	NextAt time.Time

	// Taken counts its turns, by which Settle knows its own.
	Taken int64

	// Waiting and Dead count its deliveries, up to MaxCounted, and Oldest is the time of the
	// first that waits. Only Receivers with Counted has them.
	Waiting, Dead int
	Oldest        time.Time
}

// MaxCounted is up to how many deliveries of a receiver are counted.
const MaxCounted = 10_000

// ReceiverFilter selects receivers. All nonzero fields must match.
type ReceiverFilter struct {
	ID       string
	ClientID string

	// ClientIDs selects those of any of these clients.
	ClientIDs []string

	// OfHost selects the host's own.
	OfHost bool

	// AfterID selects those with a higher ID: the next page.
	AfterID string
	// Limit is the maximum number; 100 if zero.
	Limit int

	// Counted fills Waiting, Dead and Oldest.
	Counted bool
}

// DeliveryState is what has become of a delivery.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryWaiting DeliveryState = "waiting"
	DeliveryDone    DeliveryState = "done"
	DeliveryDead    DeliveryState = "dead"
)

// Delivery is a message to one receiver.
type Delivery struct {
	ReceiverID string

	// Number is the ID of its event, or negative for a message of another cause: in its order
	// messages are sent.
	Number int64

	// MessageID is the same at each attempt, and unlike that of any other delivery of the receiver.
	MessageID string

	// Name is that of its signal, or Ping.
	Name string

	// Lane is the same for all messages of a receiver about one subject, which are sent one after
	// the other.
	Lane int

	// Body is encrypted; of at most MaxDelivery bytes.
	Body []byte

	State DeliveryState

	// Answer is what the receiver has answered last, of at most MaxAnswer bytes.
	Answer string

	// At is when it was caused, EndedAt when it was done or dead; zero while it waits.
	At, EndedAt time.Time
}

// Ping is the name of the deliveries that test a receiver.
const Ping = "ping"

// The bounds of a delivery in bytes.
const (
	MaxDelivery = 4 << 10
	MaxAnswer   = 300
)

// DeliveryFilter selects deliveries of one receiver.
type DeliveryFilter struct {
	ReceiverID string // required

	// State selects those in this state: waiting ones in the order of their numbers. Those of any other filter
	// come the latest first.
	State DeliveryState

	// Name selects those of this name.
	Name string

	// Numbers selects those with one of these numbers.
	Numbers []int64

	// Since selects those that were caused at Since or later.
	Since time.Time

	// After selects those behind this number in the order of the filter: the next page.
	After *int64

	// Limit is the maximum number; 50 if zero.
	Limit int
}

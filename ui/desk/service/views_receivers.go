package service

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// ReceiverKind is how a receiver is told of changes.
type ReceiverKind string

// The kinds of receivers.
const (
	KindWebhook ReceiverKind = "webhook"
	KindInbox   ReceiverKind = "inbox"
	KindPush    ReceiverKind = "push"
	KindPoll    ReceiverKind = "poll"
)

// ReceiverState is whether a receiver is told.
type ReceiverState string

// The states of receivers. One that is stopped was disabled by the staff.
const (
	ReceiverUnverified ReceiverState = "unverified"
	ReceiverEnabled    ReceiverState = "enabled"
	ReceiverPaused     ReceiverState = "paused"
	ReceiverDisabled   ReceiverState = "disabled"
	ReceiverStopped    ReceiverState = "stopped"
)

func (s ReceiverState) class() string {
	switch s {
	case ReceiverEnabled:
		return "good"
	case ReceiverUnverified, ReceiverPaused:
		return "warn"
	}
	return "bad"
}

// MessageState is what has become of a message.
type MessageState string

// The states of messages.
const (
	MessageWaiting MessageState = "waiting"
	MessageDone    MessageState = "done"
	MessageDead    MessageState = "dead"
)

var messageClasses = map[MessageState]string{MessageWaiting: "warn", MessageDone: "good", MessageDead: "bad"}

func (s MessageState) class() string { return messageClasses[s] }

// ReceiversView lists who is told of changes.
type ReceiversView struct {
	Page
	// SearchURL takes [FieldSearch], the ID of an application; Search is what was sought.
	SearchURL, Search string
	// Unread is since when changes wait to be passed on; zero if none is late.
	Unread  time.Time
	Rows    []ReceiverRow
	MoreURL string
}

// ReceiverRow is a receiver in a list.
type ReceiverRow struct {
	ID, URL string
	// Application is the ID of the one that is told; empty for the host's own.
	Application       string
	Kind              ReceiverKind
	State             ReceiverState
	Host, Description string
	// Waiting and Dead are numbers of messages, with a plus where counting has stopped; Oldest is the
	// time of the first that waits.
	Waiting, Dead string
	Oldest        time.Time
}

// ReceiverView is one receiver.
type ReceiverView struct {
	Page
	ReceiverRow
	ListURL, ApplicationURL string
	// Failing is since when it takes nothing, and Next when it is tried again.
	Failing, Next time.Time
	Acts          []Act
	Messages      []Message
	MoreURL       string
}

// Message is one to a receiver.
type Message struct {
	ID, Name, Answer string
	State            MessageState
	At               time.Time
	// AgainURL leads to the form that sends it again; empty for none.
	AgainURL string
}

// receiverName is what a receiver is called: its host, or how it is told.
func receiverName(l *ui.Locale, r ReceiverRow) string {
	if r.Host != "" {
		return r.Host
	}
	return l.Plain(textOf(l).Receivers.Kinds[r.Kind])
}

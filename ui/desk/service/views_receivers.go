package service

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

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
	Kind              ui.ReceiverKind
	State             ui.ReceiverState
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
	State            ui.MessageState
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

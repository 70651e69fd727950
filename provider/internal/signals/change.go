// Package signals tells receivers what has changed: it reads the events behind a mark, puts a message
// beside each receiver that may hear of one, and sends what waits. A process that ends in between leaves
// all of it to the next; a message may come twice, under the same ID.
package signals

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// Change is an event as receivers hear of it.
type Change struct {
	// Signal is its name (package provider/signals).
	Signal string

	Event storage.Event

	// Group is that of a status.
	Group string
}

// signalOf has the events that are heard; the ones of a key or a consent have conditions in ChangeOf.
var signalOf = map[string]string{
	event.StatusChanged: signals.StatusChanged, event.StatusEnded: signals.StatusChanged,
	event.SessionEnded: signals.SessionsEnded, event.SignedOut: signals.SessionsEnded, event.Recovered: signals.SessionsEnded,
	event.PasswordChanged: signals.CredentialChanged, event.PasswordRemoved: signals.CredentialChanged,
	event.PasskeyAdded: signals.CredentialChanged, event.PasskeyRemoved: signals.CredentialChanged,
	event.TOTPAdded: signals.CredentialChanged, event.TOTPRemoved: signals.CredentialChanged,
	event.AuthenticatorsReset: signals.CredentialChanged, event.EmailReturned: signals.CredentialChanged,
	event.AccountDisabled: signals.AccountDisabled, event.AccountEnabled: signals.AccountEnabled,
	event.Reuse: signals.SessionsEnded, event.EmailChanged: signals.SessionsEnded, event.DeletionRequested: signals.SessionsEnded,
	event.Revoked: signals.ConsentWithdrawn, event.ClientStopped: signals.ApplicationStopped,
	event.KeyRotated: signals.KeysRotated, event.KeysRevoked: signals.KeysRotated,
}

// ChangeOf returns what receivers hear of an event. That of a deletion is none: who it was is told in
// the step of it (Hub.Deleting), since nobody is known by the event.
func ChangeOf(e storage.Event) (Change, bool) {
	c := Change{Signal: signalOf[e.Name], Event: e}
	switch c.Signal {
	case "":
		return c, false
	case signals.StatusChanged:
		c.Group = e.Detail
	case signals.KeysRotated:
		return c, !strings.HasPrefix(e.Detail, "data key") // which encrypts
	case signals.SessionsEnded:
		return c, e.Name != event.EmailChanged || e.Detail != "by the host" // by Accounts.Save, which ends nothing
	case signals.ConsentWithdrawn:
		if e.Subject != "" && e.ClientID == "" { // by People.Revoke and RevokeIssuedBefore, which leave decisions as they are
			c.Signal = signals.SessionsEnded
			return c, true
		}
		return c, e.Subject != "" && strings.HasPrefix(e.Detail, "by the ") // and not of one token
	}
	return c, true
}

// isOfAll reports whether everybody hears of it, and isOfClient whether only its application.
func (c Change) isOfAll() bool { return c.Signal == signals.KeysRotated }

func (c Change) isOfClient() bool {
	return c.Signal == signals.ConsentWithdrawn || c.Signal == signals.ApplicationStopped || c.Event.Name == event.Reuse
}

// justNow is how long before an event a grant may have ended for its application to hear of it: the
// event itself has ended it.
const justNow = time.Minute

// concerns reports whether a client hears of it that has been allowed something.
func (c Change) concerns(l storage.Listener) bool {
	return l.Subject == c.Event.Subject && (l.EndedAt.IsZero() || !l.EndedAt.Before(c.Event.At.Add(-justNow))) &&
		(c.Group == "" || slices.Contains(l.Groups, c.Group))
}

// clients are those that hear of it, each once, unless it is of all: its own, or those that its
// subject has allowed something.
func (c Change) clients(allowed map[string][]storage.Listener) (ids []string) {
	if c.isOfClient() {
		return []string{c.Event.ClientID}
	}
	for _, l := range allowed[c.Event.Subject] {
		if c.concerns(l) && !slices.Contains(ids, l.ClientID) {
			ids = append(ids, l.ClientID)
		}
	}
	return ids
}

// message is the body of a webhook. It names who and what, and neither why nor a value.
type message struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      data      `json:"data"`
}

type data struct {
	Subject  string `json:"sub,omitempty"`
	Group    string `json:"group,omitempty"`
	ClientID string `json:"client_id,omitempty"`
}

// webhook returns the body of a message to an application, or to the host, who is told which
// application it is about.
func (c Change) webhook(ofHost bool) []byte {
	d := data{Subject: c.Event.Subject, Group: c.Group}
	if ofHost || c.Signal == signals.ApplicationStopped {
		d.ClientID = c.Event.ClientID
	}
	body, _ := json.Marshal(message{c.Signal, c.Event.At.UTC().Truncate(time.Microsecond), d}) // of texts and a time
	return body
}

// lane is the same for all messages about one subject; zero for those about none.
func lane(subject string) int {
	if subject == "" {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(subject))
	return int(h.Sum32()>>1) + 1
}

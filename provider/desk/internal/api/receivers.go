package api

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	events "github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// receiver is who is told of changes.
type receiver struct {
	ID           string    `json:"id"`
	ClientID     string    `json:"client_id,omitempty" doc:"The application; missing for an endpoint of the host's own."`
	Kind         string    `json:"kind" enum:"webhook,push,poll,inbox"`
	State        string    `json:"state" enum:"unverified,enabled,paused,disabled"`
	Stopped      bool      `json:"stopped" doc:"Whether the staff has disabled it: the application cannot enable it."`
	Host         string    `json:"host,omitempty" doc:"The host of its address."`
	Description  string    `json:"description,omitempty"`
	Waiting      int       `json:"waiting" doc:"How many messages wait, 10,000 at most."`
	Dead         int       `json:"dead" doc:"How many will not be sent again by themselves, 10,000 at most."`
	OldestAt     time.Time `json:"oldest_at,omitzero" doc:"The time of the change of which the first message waits."`
	FailingSince time.Time `json:"failing_since,omitzero" doc:"Since when it takes nothing."`
	NextAt       time.Time `json:"next_at,omitzero" doc:"When it is tried again."`
	CreatedAt    time.Time `json:"created_at"`
}

// message is one to a receiver. Of whom it is stays with the receiver.
type message struct {
	ID      string    `json:"id" doc:"The same at each attempt."`
	Number  string    `json:"number" doc:"What to send it again by."`
	Name    string    `json:"name" doc:"What has changed, such as status.changed."`
	State   string    `json:"state" enum:"waiting,done,dead"`
	Answer  string    `json:"answer,omitempty" doc:"What the receiver has answered last."`
	At      time.Time `json:"at"`
	EndedAt time.Time `json:"ended_at,omitzero"`
}

func asReceiver(of signals.Receiver) receiver {
	return receiver{
		ID: of.ID, ClientID: of.ClientID, Kind: of.Kind, State: of.State, Stopped: of.Stopped, Host: of.Host(), Description: of.Description,
		Waiting: of.Waiting, Dead: of.Dead, OldestAt: of.Oldest, FailingSince: of.FailingSince, NextAt: of.NextAt, CreatedAt: of.CreatedAt,
	}
}

func (a *API) receiverRows() []operation {
	if !a.Provider.Rooms().Installation().Signals {
		return nil
	}
	return []operation{
		{
			Method: http.MethodGet, Path: "/receivers", ID: "listReceivers", Title: "List who is told of changes", Scope: ScopeApplicationsRead, Spend: reads,
			Query: []parameter{{name: "client_id", doc: "The application."}}, Paged: true, Out: rows[receiver]{}, serve: listReceivers,
		},
		{
			Method: http.MethodGet, Path: "/receivers/{receiver}", ID: "getReceiver", Title: "Read a receiver", Scope: ScopeApplicationsRead, Spend: reads,
			Out: receiver{}, serve: getReceiver,
		},
		{
			Method: http.MethodGet, Path: "/receivers/{receiver}/messages", ID: "listMessages", Title: "List the messages to a receiver, the latest first", Scope: ScopeApplicationsRead, Spend: reads,
			Text: "Those that have ended are kept for a week, others for a month.", Paged: true, Out: rows[message]{}, serve: listMessages,
		},
	}
}

func listReceivers(c *call) (response, error) {
	return pageOf(c, func(limit int, after string) ([]signals.Receiver, error) {
		return c.api.Provider.Signals().List(c.Context(), storage.ReceiverFilter{ClientID: c.URL.Query().Get("client_id"), AfterID: after, Limit: limit, Counted: true})
	}, asReceiver, func(last receiver) string { return last.ID })
}

// receiver reads the one in the path.
func (c *call) receiver() (signals.Receiver, error) {
	of, err := storage.One(c.api.Provider.Signals().List(c.Context(), storage.ReceiverFilter{ID: c.PathValue("receiver"), Counted: true}))
	if errors.Is(err, storage.ErrNotFound) {
		return of, notFound
	}
	return of, err
}

func getReceiver(c *call) (response, error) {
	of, err := c.receiver()
	return ok(asReceiver(of)), err
}

func listMessages(c *call) (response, error) {
	return pageOf(c, func(limit int, after string) ([]signals.Delivery, error) {
		of, err := c.receiver()
		if err == nil {
			err = c.looks("", provider.Event{Name: events.StaffLooked, ClientID: of.ClientID, Detail: "receiver " + of.ID})
		}
		if err != nil {
			return nil, err
		}
		match := storage.DeliveryFilter{ReceiverID: of.ID, Limit: limit}
		if number, err := strconv.ParseInt(after, 10, 64); err == nil {
			match.After = &number
		}
		return c.api.Provider.Signals().Deliveries(c.Context(), match)
	}, func(d signals.Delivery) message {
		return message{ID: d.MessageID, Number: strconv.FormatInt(d.Number, 10), Name: d.Name, State: d.State, Answer: d.Answer, At: d.At, EndedAt: d.EndedAt}
	}, func(last message) string { return last.Number })
}

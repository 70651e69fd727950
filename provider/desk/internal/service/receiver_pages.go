package service

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// unreadLate is how old a change is that waits to be passed on, before that is said.
const unreadLate = time.Minute

// showReceivers lists who is told of changes: all, or those of an application.
func (r *Room) showReceivers(q *frame.Request) error {
	page, err := q.Page(desk.SectionReceivers)
	if err != nil {
		return err
	}
	v := screens.ReceiversView{Page: page, SearchURL: q.Path("receivers"), Search: strings.TrimSpace(q.Query(screens.FieldSearch))}
	at, err := q.After("receivers", v.Search)
	if err != nil {
		return err
	}
	unread, err := r.Provider.Signals().Unread(q.Context())
	if err != nil {
		return err
	}
	if q.Frame.Now().Sub(unread) > unreadLate && !unread.IsZero() {
		v.Unread = unread
	}
	found, err := r.Provider.Signals().List(q.Context(), storage.ReceiverFilter{ClientID: v.Search, AfterID: at, Limit: frame.Many + 1, Counted: true})
	if err != nil {
		return err
	}
	if len(found) > frame.Many {
		found = found[:frame.Many]
		v.MoreURL = q.NextURL(found[frame.Many-1].ID, "receivers", v.Search)
	}
	for _, of := range found {
		v.Rows = append(v.Rows, receiverRow(q, of))
	}
	q.Render(http.StatusOK, screens.Receivers(v))
	return nil
}

// receiverRow shows a receiver in a list.
func receiverRow(q *frame.Request, of signals.Receiver) screens.ReceiverRow {
	row := screens.ReceiverRow{
		ID: of.ID, URL: q.Path("receivers", of.ID), Application: of.ClientID, Kind: ui.ReceiverKind(of.Kind), State: ui.ReceiverState(of.State),
		Host: of.Host(), Description: of.Description, Waiting: atMost(of.Waiting), Dead: atMost(of.Dead), Oldest: of.Oldest,
	}
	if of.Stopped {
		row.State = ui.ReceiverStopped
	}
	return row
}

// showReceiver shows a receiver with its messages, but not of whom they are.
func (r *Room) showReceiver(q *frame.Request) error {
	of, err := r.receiver(q.Context(), q.Value("id"))
	if errors.Is(err, action.ErrNoTarget) {
		return frame.NotFound
	}
	if err != nil {
		return err
	}
	if err := q.Looked("", provider.Event{Name: event.StaffLooked, ClientID: of.ClientID, Detail: "receiver " + of.ID}); err != nil {
		return err
	}
	page, err := q.Page(desk.SectionReceivers)
	if err != nil {
		return err
	}
	match := storage.DeliveryFilter{ReceiverID: of.ID, Limit: frame.Many + 1}
	at, err := q.After("messages", of.ID)
	if err != nil {
		return err
	}
	if number, err := strconv.ParseInt(at, 10, 64); err == nil {
		match.After = &number
	}
	sent, err := r.Provider.Signals().Deliveries(q.Context(), match)
	if err != nil {
		return err
	}
	v := screens.ReceiverView{Page: page, ReceiverRow: receiverRow(q, of), ListURL: q.Path("receivers"), Failing: of.FailingSince, Next: of.NextAt, Acts: r.receiverActs(q, of)}
	if of.ClientID != "" {
		v.ApplicationURL = q.Path("applications", of.ClientID)
	}
	if len(sent) > frame.Many {
		sent = sent[:frame.Many]
		v.MoreURL = q.NextURL(strconv.FormatInt(sent[frame.Many-1].Number, 10), "messages", of.ID)
	}
	sends := of.State != string(storage.ReceiverDisabled) && of.Kind != string(storage.InboxReceiver)
	for _, d := range sent {
		m := screens.Message{ID: d.MessageID, Name: d.Name, State: ui.MessageState(d.State), Answer: d.Answer, At: d.At}
		if sends && d.State != string(storage.DeliveryWaiting) {
			m.AgainURL = q.Path("receivers", of.ID, "do", action.SendAgain) + "?" + action.FieldMessage + "=" + strconv.FormatInt(d.Number, 10)
		}
		v.Messages = append(v.Messages, m)
	}
	q.Render(http.StatusOK, screens.ReceiverScreen(v))
	return nil
}

// receiverActs leave out what there is nothing of to do.
func (r *Room) receiverActs(q *frame.Request, of signals.Receiver) []screens.Act {
	off := of.State == string(storage.ReceiverDisabled)
	return slices.DeleteFunc(acts(q, r.onReceivers(), "receivers", of.ID), func(a screens.Act) bool {
		switch a.Name {
		case action.SendAgain:
			return off || of.Dead == 0
		case action.SwitchOff:
			return of.Stopped
		default:
			return !off
		}
	})
}

package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// maxAgain is how many messages are sent again together.
const maxAgain = 1000

// The reasons for which there is nothing to do to a receiver, and the facts of effects.
const (
	voidOff     = "receiver_off"
	voidOn      = "receiver_on"
	voidMessage = "no_message"

	factApplication = "application"
	factHost        = "client_host"
	factWaiting     = "waiting"
	factMessages    = "messages"
	factMessage     = "message"
)

// tells reports whether anybody can be told of changes.
func (r *Room) tells() bool { return r.Provider.Rooms().Installation().Signals }

func (r *Room) onReceivers() []action.Action {
	off := r.switching(action.SwitchOff, true)
	off.InParts = true // a stream is told first
	return []action.Action{
		receiving(action.SendAgain, r.again, func(ctx context.Context, match storage.DeliveryFilter) error {
			_, err := r.Provider.Signals().Replay(ctx, match) // that they have ended is a condition of the write
			return err
		}),
		off, r.switching(action.SwitchOn, false),
	}
}

// receiving is an action of what a look at a receiver finds, if a second look finds the same.
func receiving[T any](name string, look func(context.Context, action.Order) (T, action.Effect, error), do func(context.Context, T) error) action.Action {
	return named(name, func(ctx context.Context, o action.Order) (action.Effect, error) {
		_, e, err := look(ctx, o)
		return e, err
	}, func(ctx context.Context, o action.Order, revision string) (action.Result, error) {
		found, e, err := look(ctx, o)
		if err == nil && (e.Revision != revision || e.Void != "") {
			err = provider.ErrChanged
		}
		if err == nil {
			err = do(ctx, found)
		}
		return action.Result{}, err
	})
}

// receiver reads one. action.ErrNoTarget if there is none.
func (r *Room) receiver(ctx context.Context, id string) (signals.Receiver, error) {
	of, err := storage.One(r.Provider.Signals().List(ctx, storage.ReceiverFilter{ID: id, Counted: true}))
	if errors.Is(err, storage.ErrNotFound) {
		err = action.ErrNoTarget
	}
	return of, err
}

// receiverEffect returns what an order would do to a receiver.
func receiverEffect(of signals.Receiver, void string, more ...action.Fact) action.Effect {
	facts := append([]action.Fact{{Name: factApplication, Value: of.ClientID}, {Name: factHost, Value: of.Host()}}, more...)
	return action.Effect{
		Revision: of.State + " " + strconv.FormatBool(of.Stopped), Void: void, // how messages arrive changes all the time
		Facts: slices.DeleteFunc(facts, func(f action.Fact) bool { return f.Value == "" }),
	}
}

// atMost is a number of messages, which are counted up to a bound.
func atMost(n int) string { return frame.AtMost(n, storage.MaxCounted) }

// switching stops a receiver, so that nobody but the staff can switch it on, or switches it on.
func (r *Room) switching(name string, stop bool) action.Action {
	return receiving(name, func(ctx context.Context, o action.Order) (signals.Receiver, action.Effect, error) {
		of, err := r.receiver(ctx, o.Target)
		void := ""
		switch {
		case stop && of.Stopped:
			void = voidOff
		case !stop && of.State != string(storage.ReceiverDisabled):
			void = voidOn
		}
		return of, receiverEffect(of, void, action.Fact{Name: factWaiting, Value: atMost(of.Waiting)}), err
	}, func(ctx context.Context, of signals.Receiver) error {
		of.Stopped, of.State = stop, string(storage.ReceiverEnabled)
		if stop {
			of.State = string(storage.ReceiverDisabled)
		}
		_, _, err := r.Provider.Signals().Save(ctx, of)
		return err
	})
}

// again returns which messages an order sends again, and what it would do: the one that it names, or
// all that are dead.
func (r *Room) again(ctx context.Context, o action.Order) (match storage.DeliveryFilter, e action.Effect, err error) {
	of, err := r.receiver(ctx, o.Target)
	if err != nil {
		return match, e, err
	}
	match = storage.DeliveryFilter{ReceiverID: of.ID, State: storage.DeliveryDead, Limit: maxAgain}
	e = receiverEffect(of, "", action.Fact{Name: factMessages, Value: strconv.Itoa(min(of.Dead, maxAgain))})
	none := of.Dead == 0
	if named := strings.TrimSpace(o.Values[action.FieldMessage]); named != "" {
		number, err := strconv.ParseInt(named, 10, 64)
		if err != nil {
			return match, e, &provider.FieldError{Field: action.FieldMessage, Err: errors.New("is not the number of a message")}
		}
		match = storage.DeliveryFilter{ReceiverID: of.ID, Numbers: []int64{number}}
		d, err := storage.One(r.Provider.Signals().Deliveries(ctx, match))
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return match, e, err
		}
		e = receiverEffect(of, "", action.Fact{Name: factMessage, Value: d.Name})
		e.Revision += fmt.Sprint(" ", d.EndedAt.UnixMicro())
		none = d.State == "" || d.State == string(storage.DeliveryWaiting)
	}
	switch {
	case none || of.Kind == string(storage.InboxReceiver): // which sends nothing
		e.Void = voidMessage
	case of.State == string(storage.ReceiverDisabled):
		e.Void = voidOff
	}
	return match, e, nil
}

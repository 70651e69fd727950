package storagetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// SignalStore is a store that keeps who is told of what, beside all that there is to tell.
type SignalStore = storage.Roles

// RunSignals tests everything that the comments of storage.Signals promise, as [Run] does for
// storage.Store.
func RunSignals(t *testing.T, newDatabase func(t *testing.T) (open func() SignalStore)) {
	suite := &signalSuite{newDatabase}
	t.Run("Marks", suite.marks)
	t.Run("Listeners", suite.listeners)
	t.Run("Receivers", suite.receivers)
	t.Run("Turns", suite.turns)
	t.Run("Deliveries", suite.deliveries)
	t.Run("Races", suite.races)
	t.Run("Availability", suite.availability)
}

type signalSuite struct{ databases[SignalStore] }

// turnEnd is the end of a turn that begins at t0.
var turnEnd = t0.Add(30 * time.Second)

// receiver is a webhook of a client.
func receiver(id, client string) storage.Receiver {
	return storage.Receiver{
		ID: id, ClientID: client, Kind: storage.WebhookReceiver, State: storage.ReceiverEnabled,
		Record: []byte("sealed record of " + id), CreatedAt: t0,
	}
}

// delivery waits for a receiver.
func delivery(receiver string, number int64) storage.Delivery {
	return storage.Delivery{
		ReceiverID: receiver, Number: number, MessageID: fmt.Sprint("msg_", number), Name: "status.changed", Lane: int(number), Body: []byte("sealed body"),
		State: storage.DeliveryWaiting, At: t0,
	}
}

// ended is a delivery of which a turn has become this.
func ended(d storage.Delivery, state storage.DeliveryState, answer string) storage.Delivery {
	d.State, d.Answer, d.EndedAt = state, answer, t0.Add(time.Second)
	return d
}

// hearing returns a store with a client, receivers of it, and a mark.
func (s *signalSuite) hearing(t *testing.T, receivers ...storage.Receiver) (SignalStore, storage.Mark) {
	t.Helper()
	store := s.store(t)
	saveClient(t, store, "client")
	for _, r := range receivers {
		ok(t, store.SaveReceiver(t.Context(), r, 9))
	}
	return store, takeMark(t, store)
}

func takeMark(t *testing.T, store storage.Signals) storage.Mark {
	t.Helper()
	return must(store.TakeMark(t.Context(), "reader", "one", t0, turnEnd))(t)
}

// add adds deliveries, with a mark that stays where it is.
func add(t *testing.T, store storage.Signals, m storage.Mark, deliveries ...storage.Delivery) {
	t.Helper()
	ok(t, store.MoveMark(t.Context(), m, m, deliveries))
}

// readTo reads the events behind a mark, a page at a time, to the one with this detail, and returns the
// last of their details and the mark behind them. An event waits for steps that were begun before it,
// whoever makes them.
func readTo(t *testing.T, store storage.Signals, m storage.Mark, last string, limit int) (text string, next storage.Mark) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !strings.HasSuffix(text, last); {
		events, next, err := store.EventsAfter(t.Context(), m, limit)
		ok(t, err)
		for _, e := range events {
			text += e.Detail
		}
		if len(events) > limit || time.Now().After(end) {
			t.Fatalf("read %q, want all to %q, %d at a time", text, last, limit)
		}
		m = next
	}
	return text, m
}

func (s *signalSuite) marks(t *testing.T) {
	t.Run("AreReadInOrder", func(t *testing.T) {
		store := s.store(t)
		appendEvents(t, store, 3)
		m := takeMark(t, store)
		appendEvents(t, store, 8)
		text, next := readTo(t, store, m, "7", 3)
		if !strings.HasSuffix(text, "01234567") {
			t.Errorf("read %q", text)
		}
		events, end, err := store.EventsAfter(t.Context(), next, 3)
		ok(t, err)
		equal(t, len(events), 0)
		equal(t, end, next)
	})
	t.Run("SurviveAndBelongToOne", func(t *testing.T) {
		store := s.store(t)
		m := takeMark(t, store)
		appendEvents(t, store, 2)
		_, next := readTo(t, store, m, "0", 1)
		next.Until = turnEnd
		ok(t, store.MoveMark(t.Context(), m, next, nil))
		fails(t, store.MoveMark(t.Context(), m, next, nil), storage.ErrChanged) // is elsewhere
		fails(t, errOf(store.TakeMark(t.Context(), "reader", "two", turnEnd.Add(-time.Microsecond), turnEnd)), storage.ErrConflict)
		ok(t, errOf(store.TakeMark(t.Context(), "reader", "one", t0, turnEnd)))
		ok(t, errOf(store.TakeMark(t.Context(), "another", "two", t0, turnEnd)))
		taken := must(store.TakeMark(t.Context(), "reader", "two", turnEnd, turnEnd.Add(time.Minute)))(t)
		text, last := readTo(t, store, taken, "1", 9)
		equal(t, text, "1")
		fails(t, store.MoveMark(t.Context(), next, next, nil), storage.ErrChanged) // is another's
		ok(t, store.MoveMark(t.Context(), taken, last, nil))
	})
	t.Run("SayWhatIsUnread", func(t *testing.T) {
		store := s.store(t)
		takeMark(t, store)
		equal(t, must(store.Marks(t.Context()))(t)[0].Unread, time.Time{})
		appendEvents(t, store, 2)
		marks := must(store.Marks(t.Context()))(t)
		equal(t, []any{len(marks), marks[0].Reader, marks[0].Unread}, []any{1, "reader", t0})
	})
	t.Run("SpareWhatIsUnreadForAMonth", func(t *testing.T) {
		store, now := s.store(t), t0.Add(time.Hour)
		m := takeMark(t, store)
		appendEvents(t, store, 5)
		sealed(t, store, 3)
		equal(t, removeEvents(t, store, now, now), "43210")
		month := t0.AddDate(0, 0, 30).Add(time.Hour)
		equal(t, removeEvents(t, store, month, month), "43")
		events, next, err := store.EventsAfter(t.Context(), m, 9)
		fails(t, err, storage.ErrEnded)
		equal(t, len(events), 0)
		appendEvents(t, store, 1)
		text, _ := readTo(t, store, next, "0", 9)
		equal(t, text, "0")
	})
	t.Run("ThatHavePassedLoseNothing", func(t *testing.T) {
		store, now := s.store(t), t0.Add(time.Hour)
		m := takeMark(t, store)
		appendEvents(t, store, 5)
		_, next := readTo(t, store, m, "2", 3)
		ok(t, store.MoveMark(t.Context(), m, next, nil))
		sealed(t, store, 3)
		equal(t, removeEvents(t, store, now, now), "43")
		text, _ := readTo(t, store, next, "4", 9)
		equal(t, text, "34")
	})
}

func (s *signalSuite) listeners(t *testing.T) {
	t.Run("AreThoseOfGrants", func(t *testing.T) {
		store := s.store(t)
		saveClient(t, store, "client")
		saveClient(t, store, "other")
		for name, change := range map[string]func(*storage.Grant){
			"first":   func(g *storage.Grant) { g.Groups = []string{"student"} },
			"again":   func(g *storage.Grant) { g.Groups = []string{"student"} },
			"ended":   func(g *storage.Grant) { g.ClientID = "other" },
			"expired": func(g *storage.Grant) { g.ClientID, g.ExpiresAt = "other", t0 },
			"bob's":   func(g *storage.Grant) { g.Subject = "bob" },
		} {
			g := grant(name, "client", "ann")
			change(&g)
			ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}))
		}
		ok(t, errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{ID: grant("ended", "", "").ID}, t0.Add(time.Minute))))
		ok(t, errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{ID: grant("again", "", "").ID}, t0.Add(time.Minute))))
		found := func(since time.Time, subjects ...string) map[string]time.Time {
			t.Helper()
			all := map[string]time.Time{}
			for _, l := range must(store.Listeners(t.Context(), subjects, since))(t) {
				all[fmt.Sprint(l.Subject, l.ClientID, l.Groups)] = l.EndedAt
			}
			return all
		}
		equal(t, found(t0, "ann", "nobody"), map[string]time.Time{"annclient[student]": {}, "annother[]": t0.Add(time.Minute)})
		equal(t, found(t0.Add(time.Hour), "ann"), map[string]time.Time{"annclient[student]": {}})
		equal(t, found(t0, "ann", "bob")["bobclient[]"], time.Time{})
		equal(t, len(found(t0)), 0)
	})
}

func (s *signalSuite) receivers(t *testing.T) {
	t.Run("ComeBackAsSaved", func(t *testing.T) {
		ofHost := receiver("b", "")
		ofHost.CreatedAt = elsewhere
		store, _ := s.hearing(t, receiver("a", "client"), ofHost, receiver("c", "client"))
		ids := func(match storage.ReceiverFilter) (ids string) {
			for _, r := range must(store.Receivers(t.Context(), match))(t) {
				ids += r.ID
			}
			return ids
		}
		equal(t, ids(storage.ReceiverFilter{}), "abc")
		equal(t, ids(storage.ReceiverFilter{AfterID: "a", Limit: 1}), "b")
		equal(t, ids(storage.ReceiverFilter{ClientID: "client"}), "ac")
		equal(t, ids(storage.ReceiverFilter{OfHost: true}), "b")
		got := must(store.Receivers(t.Context(), storage.ReceiverFilter{ID: "b"}))(t)[0]
		ofHost.CreatedAt, ofHost.Revision = asStored, got.Revision
		equal(t, got, ofHost)
	})
	t.Run("AreReplacedByTheirRevision", func(t *testing.T) {
		store, _ := s.hearing(t, receiver("a", "client"))
		fails(t, store.SaveReceiver(t.Context(), receiver("a", "client"), 9), storage.ErrConflict)
		read := must(store.Receivers(t.Context(), storage.ReceiverFilter{}))(t)[0]
		read.Record, read.State = []byte("another"), storage.ReceiverPaused
		ok(t, store.SaveReceiver(t.Context(), read, 9))
		fails(t, store.SaveReceiver(t.Context(), read, 9), storage.ErrChanged)
		got := must(store.Receivers(t.Context(), storage.ReceiverFilter{}))(t)[0]
		equal(t, []string{string(got.Record), string(got.State)}, []string{"another", "paused"})
	})
	t.Run("HaveALimitForEachClient", func(t *testing.T) {
		store, _ := s.hearing(t, receiver("a", "client"), receiver("b", "client"), receiver("h", ""), receiver("i", ""))
		fails(t, store.SaveReceiver(t.Context(), receiver("c", "client"), 2), storage.ErrLimit)
		poll := receiver("c", "client")
		poll.Kind = storage.PollReceiver
		ok(t, store.SaveReceiver(t.Context(), poll, 2))
		fails(t, store.SaveReceiver(t.Context(), receiver("d", "unknown"), 2), storage.ErrNotFound)
	})
	t.Run("GoWithTheirDeliveries", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"), receiver("b", "client"))
		add(t, store, m, delivery("a", 1), delivery("a", 2), delivery("a", 3), delivery("b", 1))
		total := 0
		for {
			removed := must(store.RemoveReceiver(t.Context(), "a", 2))(t)
			if total += removed; removed == 0 {
				break
			}
		}
		equal(t, total, 4)
		add(t, store, m, delivery("a", 5)) // who is told of it is gone
		equal(t, len(must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a"}))(t)), 0)
		deleteClient(t, store, "client")
		equal(t, len(must(store.Receivers(t.Context(), storage.ReceiverFilter{}))(t)), 0)
	})
	t.Run("AreCounted", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"), receiver("b", ""))
		later := delivery("a", 2)
		later.At = t0.Add(time.Minute)
		add(t, store, m, delivery("a", 1), later, ended(delivery("a", 3), storage.DeliveryDead, "400"), ended(delivery("a", 4), storage.DeliveryDone, "200"))
		got := must(store.Receivers(t.Context(), storage.ReceiverFilter{Counted: true}))(t)
		equal(t, []any{got[0].Waiting, got[0].Dead, got[0].Oldest}, []any{2, 1, t0})
		equal(t, []any{got[1].Waiting, got[1].Dead, got[1].Oldest}, []any{0, 0, time.Time{}})
	})
}

func (s *signalSuite) turns(t *testing.T) {
	take := func(t *testing.T, store storage.Signals, now time.Time) []storage.Receiver {
		t.Helper()
		return must(store.TakeReceivers(t.Context(), now, now.Add(30*time.Second), 9))(t)
	}
	t.Run("AreOfThoseForWhomSomethingWaits", func(t *testing.T) {
		of := func(id string, kind storage.ReceiverKind, state storage.ReceiverState) storage.Receiver {
			r := receiver(id, "client")
			r.Kind, r.State = kind, state
			return r
		}
		store, m := s.hearing(t, receiver("a", "client"), receiver("b", "client"), of("disabled", "webhook", "disabled"), of("inbox", "inbox", "enabled"),
			of("paused", "push", "paused"), of("poll", "poll", "enabled"), of("push", "push", "enabled"), of("unverified", "webhook", "unverified"))
		equal(t, len(take(t, store, t0)), 0)
		var all []storage.Delivery
		for _, id := range []string{"a", "disabled", "inbox", "paused", "poll", "push", "unverified"} {
			all = append(all, delivery(id, 1))
		}
		add(t, store, m, all...)
		var ids []string
		for _, r := range take(t, store, t0) {
			ids = append(ids, r.ID)
			equal(t, r.NextAt, turnEnd)
		}
		equal(t, ids, []string{"a", "push"})
		equal(t, len(take(t, store, t0)), 0)
		equal(t, len(take(t, store, turnEnd)), 2) // the process has died
		for id, want := range map[string]int{"disabled": 0, "inbox": 1, "paused": 1, "poll": 1, "unverified": 0} {
			equal(t, len(must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: id}))(t)), want)
		}
		add(t, store, m, delivery("unverified", -1), delivery("disabled", -1)) // a ping
		equal(t, take(t, store, t0)[0].ID, "unverified")
	})
	t.Run("EndWithWhatTheyHaveDone", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"))
		add(t, store, m, delivery("a", 1), delivery("a", 2), delivery("a", 3))
		r := take(t, store, t0)[0]
		r.Attempts, r.FailingSince, r.NextAt = 1, t0, t0.Add(time.Hour)
		late := delivery("a", 2)
		late.Answer = "the connection was refused"
		ok(t, store.Settle(t.Context(), r, []storage.Delivery{ended(delivery("a", 1), storage.DeliveryDone, "200"), ended(delivery("a", 3), storage.DeliveryDead, "400"), late}))
		got := must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a"}))(t)
		equal(t, got, []storage.Delivery{
			ended(delivery("a", 3), storage.DeliveryDead, "400"), late, ended(delivery("a", 1), storage.DeliveryDone, "200"),
		})
		add(t, store, m, delivery("a", 4)) // it is left alone all the same
		equal(t, len(take(t, store, t0.Add(time.Hour-time.Microsecond))), 0)
		again := take(t, store, t0.Add(time.Hour))[0]
		equal(t, []any{again.Attempts, again.FailingSince}, []any{1, t0})
		again.Attempts, again.FailingSince, again.NextAt = 0, time.Time{}, time.Time{}
		ok(t, store.Settle(t.Context(), again, []storage.Delivery{ended(delivery("a", 2), storage.DeliveryDone, "200"), ended(delivery("a", 4), storage.DeliveryDone, "200")}))
		equal(t, len(take(t, store, t0.Add(time.Hour))), 0)
		equal(t, must(store.Receivers(t.Context(), storage.ReceiverFilter{}))(t)[0].NextAt, time.Time{})
	})
	t.Run("AreSettledOnce", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"))
		add(t, store, m, delivery("a", 1))
		late := take(t, store, t0)[0]
		ok(t, errOf(store.TakeReceivers(t.Context(), turnEnd, turnEnd.Add(time.Hour), 1)))
		fails(t, store.Settle(t.Context(), late, []storage.Delivery{ended(delivery("a", 1), storage.DeliveryDone, "200")}), storage.ErrChanged)
		equal(t, len(must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a", State: storage.DeliveryWaiting}))(t)), 1)
	})
	t.Run("EndWhenAnotherAddressIsSaved", func(t *testing.T) {
		unverified := receiver("a", "client")
		unverified.State = storage.ReceiverUnverified
		store, m := s.hearing(t, unverified)
		add(t, store, m, delivery("a", -1))
		r := take(t, store, t0)[0]
		saved := r
		saved.Record = []byte("another address")
		ok(t, store.SaveReceiver(t.Context(), saved, 9))
		r.State = storage.ReceiverEnabled
		fails(t, store.Settle(t.Context(), r, nil), storage.ErrChanged)
		equal(t, take(t, store, t0)[0].State, storage.ReceiverUnverified)
	})
	t.Run("CanEndReceivers", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"))
		add(t, store, m, delivery("a", 1))
		r := take(t, store, t0)[0]
		r.State, r.Attempts, r.FailingSince = storage.ReceiverDisabled, 10, t0
		ok(t, store.Settle(t.Context(), r, nil))
		equal(t, len(take(t, store, t0.Add(time.Hour))), 0)
		disabled := must(store.Receivers(t.Context(), storage.ReceiverFilter{}))(t)[0]
		disabled.State = storage.ReceiverEnabled
		ok(t, store.SaveReceiver(t.Context(), disabled, 9))
		begun := take(t, store, t0)[0]
		equal(t, []any{begun.Attempts, begun.FailingSince}, []any{0, time.Time{}})
	})
	t.Run("AreOfSomeAtOnce", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"), receiver("b", "client"), receiver("c", "client"))
		add(t, store, m, delivery("a", 1), delivery("b", 1), delivery("c", 1))
		equal(t, len(must(store.TakeReceivers(t.Context(), t0, turnEnd, 2))(t)), 2)
		equal(t, len(must(store.TakeReceivers(t.Context(), t0, turnEnd, 2))(t)), 1)
	})
}

func (s *signalSuite) deliveries(t *testing.T) {
	list := func(t *testing.T, store storage.Signals, match storage.DeliveryFilter) (numbers []int64) {
		t.Helper()
		match.ReceiverID = "a"
		for _, d := range must(store.Deliveries(t.Context(), match))(t) {
			numbers = append(numbers, d.Number)
		}
		return numbers
	}
	filled := func(t *testing.T) SignalStore {
		t.Helper()
		store, m := s.hearing(t, receiver("a", "client"), receiver("b", "client"))
		add(t, store, m, delivery("a", 1), delivery("a", 2), ended(delivery("a", 3), storage.DeliveryDead, "410"), ended(delivery("a", 4), storage.DeliveryDone, "200"),
			delivery("a", 5), delivery("b", 6), delivery("a", -7))
		return store
	}
	t.Run("AreListed", func(t *testing.T) {
		store := filled(t)
		after := int64(2)
		for _, tc := range []struct {
			match storage.DeliveryFilter
			want  []int64
		}{
			{storage.DeliveryFilter{}, []int64{5, 4, 3, 2, 1, -7}},
			{storage.DeliveryFilter{Limit: 2}, []int64{5, 4}},
			{storage.DeliveryFilter{After: &after}, []int64{1, -7}},
			{storage.DeliveryFilter{State: storage.DeliveryWaiting}, []int64{-7, 1, 2, 5}},
			{storage.DeliveryFilter{State: storage.DeliveryWaiting, After: &after}, []int64{5}},
			{storage.DeliveryFilter{State: storage.DeliveryDead}, []int64{3}},
			{storage.DeliveryFilter{State: storage.DeliveryDone, Numbers: []int64{3, 4}}, []int64{4}},
			{storage.DeliveryFilter{Since: t0.Add(time.Microsecond)}, nil},
		} {
			equal(t, list(t, store, tc.match), tc.want)
		}
	})
	t.Run("AreAddedOnce", func(t *testing.T) {
		store := filled(t)
		again := delivery("a", 4)
		again.MessageID = "another"
		add(t, store, takeMark(t, store), again)
		got := must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a", Numbers: []int64{4}}))(t)
		equal(t, got, []storage.Delivery{ended(delivery("a", 4), storage.DeliveryDone, "200")})
	})
	t.Run("AreAddedByTheHundred", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"))
		many := make([]storage.Delivery, 120)
		for i := range many {
			many[i] = delivery("a", int64(i+1))
		}
		add(t, store, m, many...)
		equal(t, len(list(t, store, storage.DeliveryFilter{Limit: 200})), 120)
	})
	t.Run("AreAddedWithADeed", func(t *testing.T) {
		store, _ := s.hearing(t, receiver("a", "client"))
		with := func() context.Context {
			return storage.WithDeed(t.Context(), &storage.Deed{Deliveries: []storage.Delivery{delivery("a", -1)}, IfChanged: true})
		}
		ok(t, errOf(store.EndSessions(with(), storage.SessionFilter{AccountID: "nobody"})))
		equal(t, len(list(t, store, storage.DeliveryFilter{})), 0)
		fails(t, store.SetDisabled(with(), "nobody", true, t0), storage.ErrNotFound)
		equal(t, len(list(t, store, storage.DeliveryFilter{})), 0)
		createAccount(t, store, "ann")
		ok(t, store.SetDisabled(with(), "ann", true, t0))
		equal(t, list(t, store, storage.DeliveryFilter{}), []int64{-1})
		equal(t, len(must(store.TakeReceivers(t.Context(), t0, turnEnd, 1))(t)), 1)
	})
	t.Run("AreAcknowledged", func(t *testing.T) {
		store := filled(t)
		equal(t, must(store.Acknowledge(t.Context(), "a", []string{"msg_1", "msg_4", "unknown", "msg_6"}, "", t0))(t), 1)
		equal(t, must(store.Acknowledge(t.Context(), "a", []string{"msg_2"}, "jwtIss", t0))(t), 1)
		equal(t, must(store.Acknowledge(t.Context(), "a", nil, "", t0))(t), 0)
		equal(t, list(t, store, storage.DeliveryFilter{State: storage.DeliveryWaiting}), []int64{-7, 5})
		got := must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a", Numbers: []int64{1, 2}}))(t)
		equal(t, []any{got[0].State, got[0].Answer, got[1].State, got[1].EndedAt}, []any{storage.DeliveryDead, "jwtIss", storage.DeliveryDone, t0})
	})
	t.Run("AreReplayed", func(t *testing.T) {
		store := filled(t)
		ok(t, errOf(store.Acknowledge(t.Context(), "a", []string{"msg_1", "msg_2", "msg_5", "msg_-7"}, "", t0)))
		r := must(store.TakeReceivers(t.Context(), t0, turnEnd, 9))(t)[0]
		ok(t, store.Settle(t.Context(), r, nil))
		equal(t, must(store.Replay(t.Context(), storage.DeliveryFilter{ReceiverID: "a", State: storage.DeliveryDead}))(t), 1)
		equal(t, must(store.Replay(t.Context(), storage.DeliveryFilter{ReceiverID: "a", Numbers: []int64{4, 3}}))(t), 1) // the other waits
		equal(t, must(store.Replay(t.Context(), storage.DeliveryFilter{ReceiverID: "unknown"}))(t), 0)
		got := must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a", State: storage.DeliveryWaiting}))(t)
		equal(t, []any{len(got), got[0].MessageID, got[0].EndedAt, got[1].MessageID}, []any{2, "msg_3", time.Time{}, "msg_4"})
		equal(t, must(store.TakeReceivers(t.Context(), t0, turnEnd, 9))(t)[0].ID, "a")
	})
	t.Run("GoInTheEnd", func(t *testing.T) {
		store := filled(t)
		week, month := t0.Add(time.Second).AddDate(0, 0, 7), t0.AddDate(0, 0, 30)
		equal(t, sweepAll(t, store, week.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, week), 2)
		equal(t, sweepAll(t, store, month.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, month), 5)
	})
	t.Run("AreSealedValues", func(t *testing.T) {
		_, columns := sealedValues(t, filled(t), 3)
		equal(t, columns, map[string]int{"receivers.sealed_record": 2, "deliveries.sealed_body": 7})
	})
}

func (s *signalSuite) availability(t *testing.T) {
	prepared := func(t *testing.T) SignalStore {
		store, _ := s.hearing(t, receiver("a", "client"))
		return store
	}
	availability(t, prepared, map[string]func(context.Context, SignalStore) error{
		"EventsAfter": func(ctx context.Context, store SignalStore) error {
			_, _, err := store.EventsAfter(ctx, storage.Mark{}, 1)
			return err
		},
		"TakeMark": func(ctx context.Context, store SignalStore) error {
			return errOf(store.TakeMark(ctx, "new", "one", t0, turnEnd))
		},
		"Receivers": func(ctx context.Context, store SignalStore) error {
			return errOf(store.Receivers(ctx, storage.ReceiverFilter{}))
		},
		"TakeReceivers": func(ctx context.Context, store SignalStore) error {
			return errOf(store.TakeReceivers(ctx, t0, turnEnd, 1))
		},
		"Replay": func(ctx context.Context, store SignalStore) error {
			return errOf(store.Replay(ctx, storage.DeliveryFilter{ReceiverID: "a"}))
		},
	})
}

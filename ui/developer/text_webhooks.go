package developer

import (
	"slices"

	"github.com/bonafide-id/bonafide/ui"
)

type webhooksText struct {
	Heading, Text, Empty, EmptyText      ui.Message
	Add, AddText, Full                   ui.Message
	Address, AddressHint, AddressThere   ui.Message
	Kind                                 ui.Message
	Kinds                                map[ui.ReceiverKind]labelText
	Events, EventsText, EventsMissing    ui.Message
	EventNames                           map[string]ui.Message
	Description, DescriptionHint         ui.Message
	Asymmetric                           labelText
	States                               map[ui.ReceiverState]labelText
	Waiting, Dead                        ui.Message
	Failing, Next                        ui.Message
	Key, KeyNew, KeyNewText, KeyText     ui.Message
	KeyFormer, PublicKey, PublicKeyText  ui.Message
	Rotate, RotateText                   ui.Message
	Test, TestText                       ui.Message
	Change                               ui.Message
	Off, OffText, On, OnText             ui.Message
	Remove, RemoveText                   ui.Message
	Deliveries, DeliveriesText, NoneSent ui.Message
	DeliveryStates                       map[ui.MessageState]ui.Message
	Body, BodyGone, Answer, NoAnswer     ui.Message
	Replay, ReplayOf, ReplayAll          ui.Message
}

// receiverName is what a receiver is called: its address, or what it is.
func receiverName(l *ui.Locale, r Receiver) string {
	if r.Address != "" {
		return r.Address
	}
	return l.Plain(textOf(l).Webhooks.Kinds[r.Kind].Label)
}

// eventOptions are types of events to choose from.
func eventOptions(l *ui.Locale, names []Value) []ui.Option {
	t := textOf(l).Webhooks
	list := make([]ui.Option, len(names))
	for i, n := range names {
		list[i] = ui.Option{Value: n.Value, Label: n.Value, Text: l.Plain(t.EventNames[n.Value]), Chosen: n.Chosen}
	}
	return list
}

// kindOptions are the kinds of receivers to choose from.
func (v WebhooksView) kindOptions() []ui.Option {
	l := v.locale()
	var list []ui.Option
	for _, k := range []ui.ReceiverKind{ui.KindWebhook, ui.KindInbox} {
		t := textOf(l).Webhooks.Kinds[k]
		list = append(list, ui.Option{Value: string(k), Label: l.Plain(t.Label), Text: l.Plain(t.Text), Chosen: k == v.Kind})
	}
	return list
}

// hasKey reports whether a receiver checks a signature of its own.
func (v ReceiverView) hasKey() bool { return v.Kind == ui.KindWebhook }

// isStream reports whether the application itself manages a receiver.
func (r Receiver) isStream() bool { return r.Kind == ui.KindPush || r.Kind == ui.KindPoll }

// mayTest reports whether a developer can send a test.
func (v ReceiverView) mayTest() bool {
	return v.MayChange && v.hasKey() && (v.State == ui.ReceiverUnverified || v.State == ui.ReceiverEnabled || v.State == ui.ReceiverPaused)
}

// dead reports whether a delivery is dead, so that all can be sent again.
func (v ReceiverView) dead() bool {
	return slices.ContainsFunc(v.Deliveries, func(d Delivery) bool { return d.State == ui.MessageDead })
}

// EventsProblem says that no event was chosen.
func EventsProblem(p ui.Page) ui.Problem {
	l := p.Locale.OrEnglish()
	return ui.Problem{Field: FieldNames, Text: l.Plain(textOf(l).Webhooks.EventsMissing)}
}

// AddressProblem says that another webhook of the application has the address.
func AddressProblem(p ui.Page) ui.Problem {
	l := p.Locale.OrEnglish()
	return ui.Problem{Field: FieldWebhook, Text: l.Plain(textOf(l).Webhooks.AddressThere)}
}

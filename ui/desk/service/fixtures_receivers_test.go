package service

import (
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

var (
	hook = ReceiverRow{
		ID: "rcv_c1", URL: "/desk/receivers/rcv_c1", Application: "museum", Kind: ui.KindWebhook, State: ui.ReceiverEnabled, Host: "riverbikes.example",
		Description: "Museum", Waiting: "3", Dead: "1", Oldest: audiencetest.Now.Add(-time.Hour),
	}
	stream = ReceiverRow{ID: "ssf_c2", URL: "/desk/receivers/ssf_c2", Application: "c2", Kind: ui.KindPoll, State: ui.ReceiverPaused, Waiting: "10000+", Dead: "0"}
)

// receiverOf is the page of a receiver.
func receiverOf(p ui.Page, r ReceiverRow, acts ...string) ReceiverView {
	v := ReceiverView{Page: page(p, desk.SectionReceivers), ReceiverRow: r, ListURL: "/desk/receivers", ApplicationURL: "/desk/applications/museum"}
	for _, name := range acts {
		v.Acts = append(v.Acts, Act{name, r.URL + "/do/" + name})
	}
	return v
}

var receiverFixtures = []audiencetest.Fixture{
	{Name: "receivers", Render: func(p ui.Page) templ.Component {
		off, host, test := hook, hook, stream
		off.State, off.Description, off.Oldest, off.Waiting = ui.ReceiverDisabled, "", time.Time{}, "0"
		host.Application, host.State, host.Description = "", ui.ReceiverStopped, ""
		test.Kind, test.State, test.Waiting = ui.KindInbox, ui.ReceiverUnverified, "0"
		push := stream
		push.Kind = ui.KindPush
		return Receivers(ReceiversView{
			Page: page(p, desk.SectionReceivers), SearchURL: "/desk/receivers", Rows: []ReceiverRow{hook, stream, off, host, test, push}, MoreURL: "?after=c1",
			Unread: audiencetest.Now.Add(-time.Hour),
		})
	}},
	{Name: "receivers-none", Render: func(p ui.Page) templ.Component {
		return Receivers(ReceiversView{Page: page(p, desk.SectionReceivers), SearchURL: "/desk/receivers"})
	}},
	{Name: "receivers-not-found", Render: func(p ui.Page) templ.Component {
		return Receivers(ReceiversView{Page: page(p, desk.SectionReceivers), SearchURL: "/desk/receivers", Search: "Museum"})
	}},
	{Name: "receiver", Render: func(p ui.Page) templ.Component {
		v := receiverOf(p, hook, "send_again", "switch_off")
		v.Failing, v.Next, v.MoreURL = audiencetest.Now.Add(-time.Hour), audiencetest.Now.Add(time.Hour), "?after=c1"
		again := hook.URL + "/do/send_again?message=1"
		v.Messages = []Message{
			{ID: "msg_c3", Name: "status.changed", State: ui.MessageWaiting, At: audiencetest.Now, Answer: "503"},
			{ID: "msg_c2", Name: "keys.rotated", State: ui.MessageDead, At: audiencetest.Now, Answer: "422", AgainURL: again},
			{ID: "msg_c1", Name: "ping", State: ui.MessageDone, At: audiencetest.Now, AgainURL: again},
		}
		return ReceiverScreen(v)
	}},
	{Name: "receiver-hostile", Render: func(p ui.Page) templ.Component {
		r := hook
		r.ID, r.Application, r.Host, r.Description = audiencetest.LongID, audiencetest.LongID, audiencetest.LongID+".example", audiencetest.Endless
		v := receiverOf(p, r, "switch_off")
		v.Messages = []Message{{ID: audiencetest.LongID, Name: "status.changed", State: ui.MessageDead, At: audiencetest.Now, Answer: "422 " + audiencetest.Hostile + audiencetest.Endless}}
		return ReceiverScreen(v)
	}},
	{Name: "receiver-stopped", Render: func(p ui.Page) templ.Component {
		r := hook
		r.State, r.Application, r.Description, r.Oldest = ui.ReceiverStopped, "", "", time.Time{}
		return ReceiverScreen(receiverOf(p, r, "switch_on"))
	}},
}

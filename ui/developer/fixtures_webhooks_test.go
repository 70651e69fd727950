package developer

import (
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// webhooksPage is a page of the webhooks of an application in the sandbox.
func webhooksPage(p ui.Page) Page {
	d := applicationPage(p, "")
	d.Sections = append(d.Sections, SectionLink{SectionWebhooks, "/developer/o/1/sandbox/c1/webhooks", true})
	return d
}

// chosenNames are all types of events, of which some are chosen.
func chosenNames(except ...int) []Value {
	names := []Value{
		{"status.changed", true}, {"sessions.ended", true}, {"credential.changed", true}, {"account.disabled", true}, {"account.enabled", true},
		{"account.deleted", true}, {"consent.withdrawn", true}, {"application.stopped", true}, {"keys.rotated", true},
	}
	for _, i := range except {
		names[i].Chosen = false
	}
	return names
}

const sampleHook = "https://hooks.riverbikes.example/bonafide"

// sampleReceiver is a webhook with messages, whose answers strangers have written.
func sampleReceiver(p ui.Page) ReceiverView {
	at := audiencetest.Now
	return ReceiverView{
		Page: webhooksPage(p), Form: audiencetest.Form(), BackURL: "/webhooks", RefreshURL: "/webhooks/w1", Version: "7", MayChange: true,
		Receiver: Receiver{Kind: ui.KindWebhook, State: ui.ReceiverEnabled, Address: sampleHook, Description: "Discounts"},
		Names:    chosenNames(2, 8), Asymmetric: true, PublicKey: "whpk_MCowBQYDK2VwAyEA0000",
		Deliveries: []Delivery{
			{ID: "msg_2h9", Number: "3", Type: "status.changed", State: ui.MessageWaiting, At: at, Body: `{"type":"status.changed"}`},
			{ID: "msg_2h8", Number: "2", Type: "status.changed", State: ui.MessageDone, At: at.Add(-time.Minute), Answer: "204", MayReplay: true,
				Body: `{"type":"status.changed","timestamp":"2026-11-29T12:00:00Z","data":{"sub":"u1","group":"student"}}`},
			{ID: "msg_2h7", Number: "1", Type: "account.deleted", State: ui.MessageDead, At: at.Add(-time.Hour), Answer: "400 <script>alert(1)</script>\u202e", MayReplay: true},
		},
	}
}

var webhooksFixtures = []audiencetest.Fixture{
	{Name: "webhooks-none", Render: func(p ui.Page) templ.Component {
		return Webhooks(WebhooksView{
			Page: inProduction(webhooksPage(p)), Form: audiencetest.Form(), MayChange: true, Most: 5, Kind: ui.KindWebhook, Names: chosenNames(),
		})
	}},
	{Name: "webhooks", Render: func(p ui.Page) templ.Component {
		return Webhooks(WebhooksView{
			Page: webhooksPage(p), Form: audiencetest.Form(ui.Problem{Code: ui.AddressNotCalled, Field: FieldWebhook}, AddressProblem(p), EventsProblem(p)),
			MayChange: true, Most: 6, Inboxes: true, Kind: ui.KindInbox, Address: "https://10.0.0.1/", Description: "Mine", Names: chosenNames(0, 1, 2, 3, 4, 5, 6, 7, 8),
			Receivers: []Receiver{
				{"/webhooks/w1", ui.KindWebhook, ui.ReceiverEnabled, sampleHook, "Discounts", 3, 1},
				{"/webhooks/w2", ui.KindInbox, ui.ReceiverUnverified, "", "", 0, 0},
				{"/webhooks/w3", ui.KindPush, ui.ReceiverPaused, "https://riverbikes.example/ssf", "", 0, 0},
				{"/webhooks/w4", ui.KindPoll, ui.ReceiverDisabled, "", "", 0, 0},
				{"/webhooks/w5", ui.KindWebhook, ReceiverReviewed, "https://new.example/", "", 0, 0},
			},
		})
	}},
	{Name: "webhooks-full", Render: func(p ui.Page) templ.Component {
		return Webhooks(WebhooksView{
			Page: webhooksPage(p), Form: audiencetest.Form(), MayChange: true, Most: 1,
			Receivers: []Receiver{{"/webhooks/w1", ui.KindWebhook, ui.ReceiverEnabled, sampleHook, "", 1, 2}},
		})
	}},
	{Name: "webhook", Render: func(p ui.Page) templ.Component {
		return ReceiverScreen(sampleReceiver(p))
	}},
	{Name: "webhook-new", Render: func(p ui.Page) templ.Component {
		v := sampleReceiver(p)
		v.State, v.Key, v.Deliveries, v.PublicKey = ui.ReceiverUnverified, "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", nil, ""
		return ReceiverScreen(v)
	}},
	{Name: "webhook-failing", Render: func(p ui.Page) templ.Component {
		v := sampleReceiver(p)
		v.Failing, v.Next, v.Former = audiencetest.Now.Add(-3*time.Hour), audiencetest.Now.Add(time.Hour), audiencetest.Now.Add(24*time.Hour)
		return ReceiverScreen(v)
	}},
	{Name: "webhook-off", Render: func(p ui.Page) templ.Component {
		v := sampleReceiver(p)
		v.State, v.Deliveries = ui.ReceiverDisabled, v.Deliveries[2:]
		return ReceiverScreen(v)
	}},
	{Name: "webhook-stopped", Render: func(p ui.Page) templ.Component {
		v := sampleReceiver(p)
		v.State, v.Deliveries = ui.ReceiverStopped, v.Deliveries[2:]
		return ReceiverScreen(v)
	}},
	{Name: "webhook-reviewed", Render: func(p ui.Page) templ.Component {
		v := sampleReceiver(p)
		v.Page, v.State, v.Deliveries = inProduction(v.Page), ReceiverReviewed, nil
		return ReceiverScreen(v)
	}},
	{Name: "webhook-inbox", Render: func(p ui.Page) templ.Component {
		v := sampleReceiver(p)
		v.Kind, v.Address, v.PublicKey = ui.KindInbox, "", ""
		return ReceiverScreen(v)
	}},
	{Name: "webhook-push", Render: func(p ui.Page) templ.Component {
		v := sampleReceiver(p)
		v.Kind, v.State, v.PublicKey = ui.KindPush, ui.ReceiverPaused, ""
		return ReceiverScreen(v)
	}},
	{Name: "webhook-poll", Render: func(p ui.Page) templ.Component {
		v := sampleReceiver(p)
		v.Kind, v.Address, v.PublicKey, v.Deliveries = ui.KindPoll, "", "", v.Deliveries[:1]
		return ReceiverScreen(v)
	}},
	{Name: "webhook-viewer", Render: func(p ui.Page) templ.Component {
		v := sampleReceiver(p)
		v.MayChange = false
		for i := range v.Deliveries {
			v.Deliveries[i].Body, v.Deliveries[i].MayReplay = "", false
		}
		return ReceiverScreen(v)
	}},
}

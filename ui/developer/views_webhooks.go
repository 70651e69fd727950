package developer

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// The names under which the pages of the webhooks post what was entered. Each name of
// [FieldNames] is one of its own: FieldNames, a dot and the type of the event.
const (
	FieldWebhook     = "webhook"
	FieldNames       = "names"
	FieldDescription = "description"
	FieldAsymmetric  = "v1a"
	FieldDelivery    = "delivery"
)

// The values of [ui.FieldAction] on the pages of the webhooks, besides [ActionSave],
// [ActionRotate], [ActionEnable], [ActionDisable] and [ActionDelete].
const (
	ActionAdd    = "add"
	ActionTest   = "test"
	ActionReplay = "replay"
)

// ReceiverReviewed is the state of a receiver that is unverified, and whose host waits for an operator.
const ReceiverReviewed ui.ReceiverState = "reviewed"

// WebhooksView lists the receivers of an application. It posts [ui.FieldAction] with [ActionAdd]:
// [ui.FieldKind], [FieldWebhook], [FieldNames], [FieldDescription] and [FieldAsymmetric].
type WebhooksView struct {
	Page
	ui.Form
	Receivers []Receiver
	// MayChange shows the form for another one; Most is how many there may be.
	MayChange bool
	Most      int
	// Inboxes offers a receiver without a server.
	Inboxes bool
	// Kind, Address, Names, Description and Asymmetric are what the form shows.
	Kind                 ui.ReceiverKind
	Address, Description string
	Names                []Value
	Asymmetric           bool
}

// Receiver is one of an application.
type Receiver struct {
	URL   string
	Kind  ui.ReceiverKind
	State ui.ReceiverState
	// Address is where it is told; empty for an inbox and for one that asks.
	Address, Description string
	// Waiting and Dead count its deliveries that have not arrived, and those that will not.
	Waiting, Dead int
}

// ReceiverView is the page of a receiver. It posts [ui.FieldAction] with [ActionTest],
// [ActionReplay] ([FieldDelivery]; all that are dead without one), [ActionSave] ([FieldNames],
// [FieldDescription], [FieldAsymmetric]), [ActionRotate], [ActionEnable], [ActionDisable] or
// [ActionDelete]; of each [FieldVersion].
type ReceiverView struct {
	Page
	ui.Form
	Receiver
	// BackURL leads to the list, RefreshURL to this page.
	BackURL, RefreshURL string
	Version             string
	Names               []Value
	Asymmetric          bool
	// MayChange shows what developers may do.
	MayChange bool
	// Failing is since when it does not take what is sent, and Next when it is tried again; zero
	// for one that does.
	Failing, Next time.Time
	// Key is a key that was just made, to be copied; it is shown once. PublicKey checks its other
	// signature, and Former is until when the key before it signs, too.
	Key, PublicKey string
	Former         time.Time
	Deliveries     []Delivery
}

// Delivery is a message to a receiver.
type Delivery struct {
	// ID is that of the message, the same at each try.
	ID string
	// Number is posted to send it again.
	Number string
	Type   string
	State  ui.MessageState
	At     time.Time
	// Body is what was sent; empty once it is kept no more. Answer is what came back.
	Body, Answer string
	// MayReplay shows the button that sends it again.
	MayReplay bool
}

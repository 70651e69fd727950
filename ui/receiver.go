package ui

// ReceiverKind is how a receiver is told of changes.
type ReceiverKind string

// The kinds of receivers. Those of Shared Signals, which are pushed to or poll, are made by the application
// itself.
const (
	KindWebhook ReceiverKind = "webhook"
	KindInbox   ReceiverKind = "inbox"
	KindPush    ReceiverKind = "push"
	KindPoll    ReceiverKind = "poll"
)

// ReceiverState is whether a receiver is told.
type ReceiverState string

// The states of receivers. One that is stopped was disabled by the staff.
const (
	ReceiverUnverified ReceiverState = "unverified"
	ReceiverEnabled    ReceiverState = "enabled"
	ReceiverPaused     ReceiverState = "paused"
	ReceiverDisabled   ReceiverState = "disabled"
	ReceiverStopped    ReceiverState = "stopped"
)

// Class is the class of the tag of a state.
func (s ReceiverState) Class() string {
	switch s {
	case ReceiverEnabled:
		return "good"
	case ReceiverDisabled, ReceiverStopped:
		return "bad"
	}
	return "warn"
}

// MessageState is what has become of a message to a receiver.
type MessageState string

// The states of messages.
const (
	MessageWaiting MessageState = "waiting"
	MessageDone    MessageState = "done"
	MessageDead    MessageState = "dead"
)

// Class is the class of the tag of a state.
func (s MessageState) Class() string {
	return map[MessageState]string{MessageWaiting: "warn", MessageDone: "good", MessageDead: "bad"}[s]
}

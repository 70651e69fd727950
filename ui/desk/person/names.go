package person

// Part is a part of a person, which is opened singly.
type Part string

// The parts.
const (
	PartOverview     Part = "overview"
	PartAccount      Part = "account"
	PartFactors      Part = "factors"
	PartSessions     Part = "sessions"
	PartApplications Part = "applications"
	PartGroups       Part = "groups"
	PartCases        Part = "cases"
	PartHistory      Part = "history"
	PartActions      Part = "actions"
)

// RowName is what a row of a card is called.
type RowName string

// The rows.
const (
	RowSignedIn    RowName = "signed_in"
	RowFailures    RowName = "failures"
	RowReason      RowName = "reason"
	RowCreated     RowName = "created"
	RowDeletion    RowName = "deletion_at"
	RowPassword    RowName = "password"
	RowPasskeys    RowName = "passkeys"
	RowLinks       RowName = "links"
	RowApp         RowName = "app"
	RowCodes       RowName = "codes"
	RowSecondStep  RowName = "second_step"
	RowRecovery    RowName = "recovery"
	RowSince       RowName = "since"
	RowNetwork     RowName = "network"
	RowLast        RowName = "last"
	RowAllowed     RowName = "allowed"
	RowReceived    RowName = "received"
	RowCalled      RowName = "called"
	RowSource      RowName = "source"
	RowUntil       RowName = "until"
	RowDue         RowName = "due"
	RowAt          RowName = "at"
	RowBy          RowName = "by"
	RowApplication RowName = "application"
	RowOutcome     RowName = "outcome"
	RowError       RowName = "error"
	RowDetail      RowName = "detail"
	RowValue       RowName = "value"
)

// State is how something stands.
type State string

// The states.
const (
	StateLocked     State = "locked"
	StateUsable     State = "usable"
	StateDeletion   State = "deletion"
	StateVerified   State = "verified"
	StateUnverified State = "unverified"
	StatePending    State = "pending"
	StateEnded      State = "ended"
	StateSensitive  State = "sensitive"
	StateRecorded   State = "recorded"
	StateNone       State = "none"
	StateOn         State = "on"
	StateOff        State = "off"
	StateApproved   State = "approved"
	StateDeclined   State = "declined"
	StateWithdrawn  State = "withdrawn"
	StateExpired    State = "expired"
	StateReview     State = "review"
	StateOpen       State = "open"
	StateInWallet   State = "in_wallet"
)

// tone is the colour of a state, beside its word.
func (s State) tone() string {
	switch s {
	case StateLocked, StateDeletion:
		return "tag bad"
	case StateUnverified, StatePending, StateSensitive, StateReview:
		return "tag warn"
	case StateVerified, StateApproved, StateOn, StateUsable, StateInWallet:
		return "tag good"
	}
	return "tag"
}

// By is who has done something.
type By string

// Who has done something.
const (
	ByPerson  By = "person"
	ByStaff   By = "staff"
	ByClient  By = "client"
	ByCommand By = "command"
	ByHost    By = "host"
)

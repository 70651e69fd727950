package credential

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// HomeView lists what a user can put into a wallet, and what is in one.
type HomeView struct {
	ui.Page
	Notice Notice

	// Groups are those that the service makes proofs of. With none the screen says so.
	Groups []Group

	// Proofs are those that were made for the user, the latest first.
	Proofs []Proof

	// AccountURL leads back to the account.
	AccountURL string
}

// Group is a group, and where the user stands with it.
type Group struct {
	Label     ui.Label
	Subgroups []ui.Label
	State     State

	// Until is the end of the status. Zero shows no date.
	Until time.Time

	// URL is where the user adds it to a wallet with StateReady, and with any other state
	// gets verified. Empty shows no link.
	URL string
}

// State is where a user stands with a group.
type State string

// The states of a group.
const (
	StateReady      State = "ready"
	StateEnding     State = "ending" // verified for less than a day more, which is too short for a proof
	StatePending    State = "pending"
	StateExpired    State = "expired"
	StateUnverified State = "unverified"
)

// Proof is a credential in a wallet.
type Proof struct {
	// Label is the group that it proves.
	Label ui.Label

	// Wallet is the app that has it; without a name one that is no longer registered.
	Wallet ui.Client

	// Since is the day on which it was made, Until the last on which it is valid, and Ended
	// when it has ended before. Zero shows no date.
	Since, Until, Ended time.Time

	State ProofState

	// Why is why it has ended. One without a sentence says nothing.
	Why Ending

	// WithdrawURL leads to the screen that withdraws it; empty shows no link.
	WithdrawURL string
}

// ProofState is whether a proof can be shown.
type ProofState string

// The states of a proof.
const (
	ProofActive  ProofState = "active"
	ProofExpired ProofState = "expired"
	ProofEnded   ProofState = "ended"
)

// Ending is why a proof has ended.
type Ending string

// The endings.
const (
	EndedByOwner   Ending = "owner"
	EndedByWallet  Ending = "wallet"
	EndedByStatus  Ending = "status"
	EndedByGrant   Ending = "grant"
	EndedByAccount Ending = "account"
	EndedByStaff   Ending = "staff"
)

// AddView shows how a group is added to a wallet: with any other state than StateReady, why not.
type AddView struct {
	ui.Page
	Notice Notice

	// Form makes an offer to one app that need not be known here. Without an Action there are none.
	Form ui.Form

	// Group is the group, Subgroups what the user is in it.
	Group     ui.Label
	Subgroups []ui.Label
	State     State

	// Size and Symbol are a QR code of OfferURI as a drawing: how many modules wide and high
	// it is, and the dark ones in it as the path of an SVG.
	Size   int
	Symbol string

	// OfferURI opens the wallet app of the device.
	OfferURI string

	// Until is the last day on which a proof that is made now is valid.
	Until time.Time

	// TellsHow says that a proof also has the method and the source of the verification.
	TellsHow bool

	// VerifyURL is where the user gets verified first; empty shows no link. HomeURL leads back.
	VerifyURL, HomeURL string
}

// FieldOffer is the hidden field in which the form of a CodeView has what it offers.
const FieldOffer = "offer"

// CodeView shows an offer to the app that scans it first. Its form shows the digits for that app.
type CodeView struct {
	ui.Page
	ui.Form

	// Group is the group.
	Group ui.Label

	// Size and Symbol are a QR code of OfferURI, which opens the wallet app of the device, as in an
	// AddView.
	Size     int
	Symbol   string
	OfferURI string

	// Early says that no app has scanned it yet.
	Early bool

	// AgainURL begins again. HomeURL leads back.
	AgainURL, HomeURL string
}

// DigitsView shows the digits that an app asks for.
type DigitsView struct {
	ui.Page
	Digits string

	// HomeURL leads back.
	HomeURL string
}

// WithdrawView asks whether to withdraw a proof. It posts nothing but Form.Hidden.
type WithdrawView struct {
	ui.Page
	ui.Form
	Proof Proof

	// HomeURL leads back.
	HomeURL string
}

// Notice is what has just happened.
type Notice string

// The notices: a proof is withdrawn, or an offer to one app is no more.
const (
	NoticeWithdrawn Notice = "proof_withdrawn"
	NoticeOfferOver Notice = "offer_over"
)

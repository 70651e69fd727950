package credential

import "github.com/bonafide-id/bonafide/ui"

// text is every sentence of the screens. {brand} is the service, {group} what a proof says.
type text struct {
	Common   commonText
	Home     homeText
	Add      addText
	Code     codeText
	Digits   digitsText
	Withdraw withdrawText

	Notices map[Notice]ui.Message

	// Claims are what wallets call what a proof says, by the names of its claims.
	Claims map[string]ui.Message
}

type commonText struct {
	Heading, Back, Until ui.Message
}

type homeText struct {
	Text, First, Empty              ui.Message
	Groups, Add, Verify             ui.Message
	States                          map[State]ui.Message
	Proofs, None                    ui.Message
	Added, ExpiredOn, EndedOn, Gone ui.Message
	ProofStates                     map[ProofState]ui.Message
	Endings                         map[Ending]ui.Message
	Withdraw                        ui.Message
}

type addText struct {
	Heading, Scan, Symbol, Open, Then ui.Message
	Until                             ui.Message

	// Sees are what others see: Always, what Chosen adds where the user picks it, and How
	// where proofs also tell of the verification; Alike is that they know a proof again.
	Sees, Always, Chosen, How, Alike ui.Message

	// Hidden is over what they do not see, and what is kept from the service.
	Hidden, NoName, NoPlace ui.Message

	// Help is what to do when no app opens. Refused is the rest of it where every app has to be known
	// here; where one need not be, Any leads there.
	Help                  ui.Message
	Helps                 []ui.Message
	Refused               ui.Message
	Any, AnyText, AnyCode ui.Message

	// NotYet are why somebody cannot add it now.
	NotYet map[State]ui.Message
	Verify ui.Message
}

type codeText struct {
	Heading, Scan, Then, Caution, Show, Again, Early ui.Message
}

type digitsText struct {
	Heading, Lasts, Caution ui.Message
}

type withdrawText struct {
	Heading, Submit, Cancel ui.Message
	Effects                 []ui.Message
}

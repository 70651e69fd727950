package signin

import "github.com/bonafide-id/bonafide/ui"

// factorText is what the screen says that asks for one more factor.
type factorText struct {
	Heading, Again ui.Message
	Ways           map[Factor]factorWayText
	NoScript       ui.Message
	Trust, Lost    ui.Message
	NotYou, Nobody ui.Message
}

// factorWayText is what the screen says about one factor, and its button.
type factorWayText struct{ Text, Submit ui.Message }

// offerText is what the screens say that offer a passkey.
type offerText struct {
	Heading, Text, Submit, NotNow ui.Message
	Upgrading, UpgradingText      ui.Message
}

// firstText is what the screen says on which a new account gets a passkey.
type firstText struct{ Heading, Text, Or, Submit ui.Message }

package signin

import "github.com/bonafide-id/bonafide/ui"

// recoveryText is what the screens of the way back into an account say.
type recoveryText struct {
	Start   recoverStartText
	Code    recoverCodeText
	Choice  recoverChoiceText
	Proof   recoverProofText
	Ways    map[RecoveryWay]wayText
	Waiting waitingText
	Finish  recoverFinishText
	Stop    stopText
}

type recoverStartText struct{ Heading, Text, Given, Submit, SignIn ui.Message }

type recoverCodeText struct{ Heading, Sent, Submit, NotArrived, Restart ui.Message }

type recoverChoiceText struct{ Heading, Text, Found ui.Message }

type recoverProofText struct {
	Others, AppCode, RecoveryCode, AtOnce ui.Message
	PasswordNow, WaitNow, Continue        ui.Message
}

// wayText has the title of a way, a hint beside it in the list of ways, and what the page says
// on which it is taken.
type wayText struct{ Title, Hint, Text, Submit ui.Message }

type waitingText struct{ Heading, Text, Mail, Stop, Sooner ui.Message }

type recoverFinishText struct{ Heading, Why, Text, Removes, Submit ui.Message }

type stopText struct{ Heading, Text, Advice, Submit, Stopped, StoppedText, Gone, GoneText, SignIn ui.Message }

package verification

import "github.com/bonafide-id/bonafide/ui"

// text is every sentence of the screens.
type text struct {
	Common    commonText
	List      listText
	Choose    chooseText
	Steps     stepsText
	Ask       askText
	Code      codeText
	Elsewhere elsewhereText
	Upload    uploadText
	Pending   pendingText
	SentBack  sentBackText
	Declined  declinedText
	Approved  approvedText
	Ended     endedText
	Withdraw  withdrawText
	Appeal    appealText
	Sandbox   sandboxText
	Reasons   map[Reason]reasonText

	Notices map[Notice]ui.Message

	// Words are what the verifiers of this module say, by the English words.
	Words map[string]ui.Message
}

type commonText struct {
	Heading, Back, Continue        ui.Message
	Withdraw, OtherWay, StartAgain ui.Message
	Until, ForEver, Source         ui.Message
	KeptUntil, Account, Cancel     ui.Message
}

type listText struct {
	Text, Empty                           ui.Message
	ExpiredOn, FinishBy, AnswerBy, Ending ui.Message
	DecidedOn, AppealBy                   ui.Message
	States                                map[State]ui.Message
	Actions                               map[Action]ui.Message
}

type chooseText struct {
	Heading, HeadingRenew, Text    ui.Message
	Fastest, Takes, Needs, Keeps   ui.Message
	Start, StartOf                 ui.Message
	AtOnce, Minutes, Hours, Days   ui.Message
	KeepsFiles                     ui.Message
	Refused, TryAgain, NothingLeft ui.Message
	Wait, WaitEnd                  ui.Message
}

type stepsText struct{ Heading, Place, Done, Now, Later ui.Message }

type askText struct{ Missing, TooLong, Date ui.Message }

type codeText struct {
	Heading, Label, Missing, Sent ui.Message
	NotArrived, Resend, Spent     ui.Message
	ValidFor                      ui.Message
}

type elsewhereText struct {
	Heading, HeadingHere, Text, TextHere ui.Message
	Go, Until, Again                     ui.Message
}

type pendingText struct {
	Heading, Text, HeadingReview, TextReview ui.Message
	By, Expected, Late                       ui.Message
	Leave, LeaveQuietly                      ui.Message
}

type sentBackText struct{ Heading, Text ui.Message }

type declinedText struct {
	Heading, HeadingRenew, RetryFrom, Other ui.Message
	Appeal, AppealText, Help, HelpLink      ui.Message
}

type approvedText struct{ Heading, Text, RenewFrom, Client ui.Message }

type endedText struct {
	Expired, ExpiredText, Withdrawn, WithdrawnText ui.Message
	Superseded, SupersededText, Closed, ClosedText ui.Message
}

type withdrawText struct {
	Heading, Submit, Cancel ui.Message
	Effects                 []ui.Message
}

type appealText struct {
	Heading, Submit ui.Message
	Effects         []ui.Message
}

type sandboxText struct {
	Heading, Text ui.Message
	Outcomes      map[Outcome]ui.Message
}

// reasonText is why something was not accepted, and what to do.
type reasonText struct{ Text, Advice ui.Message }

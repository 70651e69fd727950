package plans

import "github.com/bonafide-id/bonafide/ui"

// text is what the screens say in a language.
type text struct {
	List    listText
	States  map[State]ui.Message
	Notices map[Notice]ui.Message
	New     newText
	Draft   draftText
	Whys    map[string]ui.Message
	Reasons map[string]ui.Message
	Plan    planText
	Alone   aloneText
	Breaks  breaksText
}

type listText struct {
	Heading, Text, New, Empty ui.Message
	More, Targets, By, Yours  ui.Message
	Until, Progress           ui.Message
}

type newText struct {
	Heading, Text, Nothing, Targets ui.Message
	TargetsHint, Reason, Note       ui.Message
	NoteHint, Check                 ui.Message
	TargetsWrong, ValueWrong        ui.Message
	NoteWrong, ReasonWrong          ui.Message
}

type draftText struct {
	Heading, Text, Changed, Acted  ui.Message
	NobodyLeft, Left, Facts, First ui.Message
	Propose, Back, Why             ui.Message
}

type planText struct {
	Undo, Told, Reason            ui.Message
	Note, Proof                   ui.Message
	ProofNames                    map[Proof]ui.Message
	DecidedBy, NotBefore, Altered ui.Message
	Progress, Done, Skipped, Left ui.Message
	Targets, FirstOnly, All       ui.Message
	Number, ID, State             ui.Message
	TargetStates                  map[TargetState]ui.Message
	Decide, DecideText            ui.Message
	Count, CountHint, CountWrong  ui.Message
	Approve, Refuse               ui.Message
	TakeBack, TakeBackText        ui.Message
	Stop, StopText, Up            ui.Message
}

type aloneText struct {
	Heading, Text, Alarm, Sentence  ui.Message
	SentenceHint, SentenceWrong, Do ui.Message
	DoneHeading, DoneText           ui.Message
	Shown, List, Back               ui.Message
}

type breaksText struct {
	Heading, Text, Empty, EmptyAll ui.Message
	All, Open, More, By, You       ui.Message
	Target, Waiting, Overdue       ui.Message
	Unfinished, Untold             ui.Message
	SignedOff, SignOff             ui.Message
	Banner, BannerLink             ui.Message
}

package developer

import "github.com/bonafide-id/bonafide/ui"

// productionText is for both sides of a review.
type productionText struct {
	Heading, Text                   ui.Message
	Checklist, Met, Unmet, Complete ui.Message
	LeftBehind, LeftBehindText      ui.Message
	Checks                          map[CheckName]checkText
	Note, NoteHint, Ask, AskAgain   ui.Message
	Asked, AskedText, Withdraw      ui.Message
	Refused, RefusedText            ui.Message
	Approved, ApprovedText, Open    ui.Message
	Unfinished, UnfinishedText      ui.Message
	Stopped, StoppedText            ui.Message
	Changes                         changesText
	Ownerless                       ownerlessText
	Suspension                      suspensionText
	Review                          reviewText
}

// changesText is for what waits of an application that is in production.
type changesText struct{ Text, Until, None, Waiting, Open ui.Message }

// checkText is what is needed, and why.
type checkText struct{ Label, Text ui.Message }

// ownerlessText is for organizations that nobody answers for.
type ownerlessText struct{ Heading, Text, Size, More, Appoint, AppointText ui.Message }

// suspensionText is for organizations that are suspended.
type suspensionText struct {
	Heading, Text, List, Found, By, Left, Own        ui.Message
	Suspend, SuspendText, Reactivate, ReactivateText ui.Message
}

type reviewText struct {
	Heading, Text                        ui.Message
	Waiting, NoneWaiting, Live, NoneLive ui.Message
	AskedOn, Stopped, More               ui.Message
	Facts, Organization, Contact         ui.Message
	AskedBy, NoteOf                      ui.Message
	ClientID                             ui.Message
	Approve, ApproveText                 ui.Message
	Refuse, Reason, ReasonHint           ui.Message
	Stop, StopText, Start, StartText     ui.Message
	Finish, FinishText                   ui.Message

	Changes, ChangesText, ChangesTag ui.Message
	Pictures, Approved, Wanted       ui.Message
	Since, SinceText, Own            ui.Message
	ServeText, ServeFinishText       ui.Message
	NameOfBrand, NameTaken           ui.Message
}

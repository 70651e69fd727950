package ui

// developerProductionText is for both sides of a review.
type developerProductionText struct {
	Heading, Text                   Message
	Checklist, Met, Unmet, Complete Message
	LeftBehind, LeftBehindText      Message
	Checks                          map[DeveloperCheckName]checkText
	Note, NoteHint, Ask, AskAgain   Message
	Asked, AskedText, Withdraw      Message
	Refused, RefusedText            Message
	Approved, ApprovedText, Open    Message
	Unfinished, UnfinishedText      Message
	Stopped, StoppedText            Message
	Changes                         developerChangesText
	Ownerless                       developerOwnerlessText
	Suspension                      developerSuspensionText
	Review                          developerReviewText
}

// developerChangesText is for what waits of an application that is in production.
type developerChangesText struct{ Text, Until, None, Waiting, Open Message }

// checkText is what is needed, and why.
type checkText struct{ Label, Text Message }

// developerOwnerlessText is for organizations that nobody answers for.
type developerOwnerlessText struct{ Heading, Text, Size, More, Appoint, AppointText Message }

// developerSuspensionText is for organizations that are suspended.
type developerSuspensionText struct {
	Heading, Text, List, Found, By, Left, Own        Message
	Suspend, SuspendText, Reactivate, ReactivateText Message
}

type developerReviewText struct {
	Heading, Text                        Message
	Waiting, NoneWaiting, Live, NoneLive Message
	AskedOn, Stopped, More               Message
	Facts, Organization, Contact         Message
	AskedBy, NoteOf                      Message
	ClientID                             Message
	Approve, ApproveText                 Message
	Refuse, Reason, ReasonHint           Message
	Stop, StopText, Start, StartText     Message
	Finish, FinishText                   Message

	Changes, ChangesText, ChangesTag Message
	Pictures, Approved, Wanted       Message
	Since, SinceText, Own            Message
	ServeText, ServeFinishText       Message
	NameOfBrand, NameTaken           Message
}

package ui

// developerProductionText is for both sides of a review.
type developerProductionText struct {
	Heading, Text                   message
	Checklist, Met, Unmet, Complete message
	LeftBehind, LeftBehindText      message
	Checks                          map[DeveloperCheckName]checkText
	Note, NoteHint, Ask, AskAgain   message
	Asked, AskedText, Withdraw      message
	Refused, RefusedText            message
	Approved, ApprovedText, Open    message
	Unfinished, UnfinishedText      message
	Stopped, StoppedText            message
	Changes                         developerChangesText
	Ownerless                       developerOwnerlessText
	Suspension                      developerSuspensionText
	Review                          developerReviewText
}

// developerChangesText is for what waits of an application that is in production.
type developerChangesText struct{ Text, Until, None, Waiting, Open message }

// checkText is what is needed, and why.
type checkText struct{ Label, Text message }

// developerOwnerlessText is for organizations that nobody answers for.
type developerOwnerlessText struct{ Heading, Text, Size, More, Appoint, AppointText message }

// developerSuspensionText is for organizations that are suspended.
type developerSuspensionText struct {
	Heading, Text, List, Found, By, Left, Own        message
	Suspend, SuspendText, Reactivate, ReactivateText message
}

type developerReviewText struct {
	Heading, Text                        message
	Waiting, NoneWaiting, Live, NoneLive message
	AskedOn, Stopped, More               message
	Facts, Organization, Contact         message
	AskedBy, NoteOf                      message
	ClientID                             message
	Approve, ApproveText                 message
	Refuse, Reason, ReasonHint           message
	Stop, StopText, Start, StartText     message
	Finish, FinishText                   message

	Changes, ChangesText, ChangesTag message
	Pictures, Approved, Wanted       message
	Since, SinceText, Own            message
	ServeText, ServeFinishText       message
	NameOfBrand, NameTaken           message
}

package ui

type accountText struct {
	Heading                        Message
	EmailVerified, EmailUnverified Message
	Verify                         Message
	Apps, AppsText                 Message
	Sessions, SessionsText         Message
	Password, PasswordText         Message
	Protection, ProtectionText     Message
	SignOut                        Message
	You, Security, Applications    Message
	Data, DataText                 Message
	Email, EmailText               Message
	Language, LanguageText         Message
	Groups, GroupsText             Message
	Wallet, WalletText             Message
	Export, ExportText             Message
	Delete, DeleteText             Message
	History, HistoryText           Message
	Call                           Message
}

type appsText struct {
	Heading, Text, Empty, ByNobody, OnDevice                    Message
	Since, LastUsed, Sees, Uses, Remove, RemoveOf, Open, OpenOf Message
	Saw, Details                                                Message
}

type removeAppText struct {
	Heading, Submit Message
	Effects         []Message
	Keeps           Message
}

type sessionsText struct {
	Heading, Text                     Message
	BrowserOnSystem, Unknown, Current Message
	Since, LastUsed                   Message
	Hows                              map[SessionHow]Message
	Trusted                           Message
	End, EndOf, Others, OthersText    Message
	Here, Elsewhere                   Message
}

type passwordText struct {
	Heading, Current, Effect, Submit Message
	HeadingSet, SubmitSet, Remove    Message
}

// groupsText has a name for each of the usual methods of verification, and a sentence for each
// of the usual reasons to refuse one.
type groupsText struct {
	Heading, Text, Empty       Message
	NoWay                      Message
	VerifiedBy, Method, Source Message
	Methods, Reasons           map[string]Message
}

type dataText struct {
	Heading, Text, Empty                      Message
	NameHeading, NameText                     Message
	FirstName, LastName, SaveName             Message
	NameChecked                               Message
	ReceivedHeading, ReceivedText, NoReceiver Message
}

// emailText has {email} for the address that the account has, and {new} for the other.
type emailText struct {
	Heading, Text, TextBoth, New, Submit Message
	Sent, SentBoth, CodeNew, CodeOld     Message
	Confirm, Restart                     Message
}

type emailReturnText struct{ Heading, Text, Effect, Submit Message }

// deleteText is about the wish, and about an account that is waiting for its end.
type deleteText struct {
	Heading, Submit, Export    Message
	Duties                     Message
	Effects                    []Message
	Pending, PendingText, Keep Message
	GoOn, DecidedText          Message
}

type exportText struct{ Heading, Text, Submit Message }

type languageChoiceText struct{ Heading, Text, TextMail Message }

type historyText struct {
	Heading, Text, Empty, Older Message
	Acts                        map[HistoryAct]Message
	ByService, ByStaff          Message
	// Roles and Reasons are those of the staff, by their names.
	Roles, Reasons map[string]Message
}

type callText struct {
	Heading, Text, Rule   Message
	Code, Submit, Another Message
}

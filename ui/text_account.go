package ui

type accountText struct {
	Heading                        message
	EmailVerified, EmailUnverified message
	Verify                         message
	Apps, AppsText                 message
	Sessions, SessionsText         message
	Password, PasswordText         message
	SignOut                        message
	You, Security, Applications    message
	Data, DataText                 message
	Email, EmailText               message
	Language, LanguageText         message
	Groups, GroupsText             message
	Verification, VerificationText message
	Export, ExportText             message
	Delete, DeleteText             message
	History, HistoryText           message
}

type appsText struct {
	Heading, Text, Empty                          message
	Since, LastUsed, Sees, Uses, Remove, RemoveOf message
}

type removeAppText struct {
	Heading, Submit message
	Effects         []message
}

type sessionsText struct {
	Heading, Text                     message
	BrowserOnSystem, Unknown, Current message
	Since, LastUsed                   message
	End, EndOf, Others, OthersText    message
	Here, Elsewhere                   message
}

type passwordText struct{ Heading, Current, Effect, Submit message }

// groupsText has a name for each of the usual methods of verification, and a sentence for each
// of the usual reasons to refuse one.
type groupsText struct {
	Heading, Text, Empty       message
	VerifiedBy, Method, Source message
	Methods, Reasons           map[string]message
}

type dataText struct {
	Heading, Text, Empty                      message
	NameHeading, NameText                     message
	FirstName, LastName, SaveName             message
	NameChecked                               message
	ReceivedHeading, ReceivedText, NoReceiver message
}

// emailText has {email} for the address that the account has, and {new} for the other.
type emailText struct {
	Heading, Text, TextBoth, New, Submit message
	Sent, SentBoth, CodeNew, CodeOld     message
	Confirm, Restart                     message
}

type emailReturnText struct{ Heading, Text, Effect, Submit message }

// deleteText is about the wish, and about an account that is waiting for its end.
type deleteText struct {
	Heading, Submit, Export    message
	Duties                     message
	Effects                    []message
	Pending, PendingText, Keep message
	GoOn, DecidedText          message
}

type exportText struct{ Heading, Text, Submit message }

type languageChoiceText struct{ Heading, Text, TextMail message }

type historyText struct {
	Heading, Text, Empty, Older message
	Acts                        map[HistoryAct]message
}

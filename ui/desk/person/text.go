package person

import "github.com/bonafide-id/bonafide/ui"

// text is what the screens say in a language.
type text struct {
	Find    findText
	Open    openText
	Bar     barText
	Proof   proofText
	Head    headText
	Parts   map[Part]ui.Message
	Common  commonText
	States  map[State]ui.Message
	Reasons map[string]ui.Message
}

type findText struct{ Heading, Text, Nobody, Matters, None ui.Message }

type openText struct {
	Heading, Text, Reason, ReasonMissing ui.Message
	Ticket, TicketHint, Note, NoteHint   ui.Message
	Open, TooLong, Over                  ui.Message
}

type barText struct {
	Matter, Ends, Ticket                 ui.Message
	NoProof, Mailbox, Session, Until     ui.Message
	Prove, Close, Withheld               ui.Message
}

type proofText struct {
	Heading, Say, Mail, MailText, Send   ui.Message
	NoMail, Account, AccountText         ui.Message
	Code, Enter, Wrong, TooMany          ui.Message
}

type headText struct {
	Person, NoAddress, Since, Parts ui.Message
	HostUser                        ui.Message
}

type commonText struct {
	Show, Correct, End, Revoke, None    ui.Message
	Yes, No, Never, Verified, NotVerified ui.Message
	Email, Created, Deletion, Values    ui.Message
	Password, Passkeys, App, Codes      ui.Message
	Left, Recovery, Unknown             ui.Message
	Network, Last, SignedIn             ui.Message
	Allowed, Received, Groups           ui.Message
	Source, Ends, Pending, Due          ui.Message
	Event, By, Application, Earlier     ui.Message
	Host, Masked, Acts                  ui.Message
}

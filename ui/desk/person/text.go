package person

import "github.com/bonafide-id/bonafide/ui"

// text is what the screens say in a language.
type text struct {
	Find    findText
	Open    openText
	Bar     barText
	Proof   proofText
	Person  personText
	Parts   map[Part]ui.Message
	Rows    map[RowName]ui.Message
	States  map[State]ui.Message
	Reasons map[string]ui.Message
	Bys     map[By]ui.Message

	// Events are what a person's own history does not tell, or says to the person, by the name
	// of the event, and Details what events are about, by their detail.
	Events, Details map[string]ui.Message
}

type findText struct {
	Heading, Text, Nobody, Several ui.Message
	Matters, NoMatters             ui.Message
	Request, RequestText           ui.Message
}

type openText struct {
	Heading, Text, Reason, ReasonMissing ui.Message
	Ticket, TicketHint, Note, NoteHint   ui.Message
	Open, TooLong, Over                  ui.Message
}

type barText struct {
	Matter, Ends              ui.Message
	NoProof, Mailbox, Session ui.Message
	Prove, Close              ui.Message
}

type proofText struct {
	Heading, Say, Mail, MailText       ui.Message
	Send, NoMail, Account, AccountText ui.Message
	Code, Enter, Wrong, TooMany        ui.Message
}

type personText struct {
	Heading, NoAddress, Since, Host  ui.Message
	Empty, Earlier, Masked, Sections ui.Message
	SignIn, All, Looked              ui.Message
}

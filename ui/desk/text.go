package desk

import "github.com/bonafide-id/bonafide/ui"

// text is what the desk says in a language.
type text struct {
	Common  commonText
	Notices map[Notice]ui.Message
	Inbox   inboxText
	Case    caseText
	Reasons map[string]ui.Message
}

type commonText struct {
	Desk, Account, Sections, Group ui.Message
	Method, More                   ui.Message
	SectionNames                   map[Section]ui.Message
	Methods                        map[Method]ui.Message
}

type inboxText struct {
	Heading, Text, Next, Yours        ui.Message
	Continue, Take, Due, Overdue      ui.Message
	Taken, Renewal, Appeal, Escalated ui.Message
	Empty, List, UndoText, Undo       ui.Message
}

type caseText struct {
	Alike, Program                             ui.Message
	Heading, Due, Until, Evidence              ui.Message
	NoEvidence, Gone, Open, Download           ui.Message
	Asserted, Person, NoName, Found            ui.Message
	Source, Facts, Questions, Yes              ui.Message
	No, Unanswered, AnsweredNo, Decision       ui.Message
	Subgroups, HoldsTo, HoldsToHint, Reasons   ui.Message
	ReasonsHint, ReasonMissing, Note, NoteHint ui.Message
	NoteMissing, Approve, AskAgain, Decline    ui.Message
	Escalate, Recuse, RecuseText, GiveBack     ui.Message
	Override, OverrideText, DateWrong, Keys    ui.Message
	KeysText                                   ui.Message
	KeyNames                                   map[string]ui.Message
}

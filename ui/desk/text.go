package desk

import "github.com/bonafide-id/bonafide/ui"

// text is what the desk says in a language.
type text struct {
	Common  commonText
	Notices map[Notice]ui.Message
	Home    homeText
	Act     actText
	Inbox   inboxText
	Case    caseText
	Reasons map[string]ui.Message
	Rosters rostersText
	Codes   codesText
	Holds   holdsText
	Numbers numbersText
}

type commonText struct {
	Desk, Account, Sections, Group ui.Message
	Method, WholeCase, More        ui.Message
	AreaNames                      map[Area]ui.Message
	SectionNames                   map[Section]ui.Message
	States                         map[State]ui.Message
}

type inboxText struct {
	Heading, Text, Next, Yours                    ui.Message
	Continue, Take, Due, Overdue                  ui.Message
	Taken, Unreadable, Renewal, Appeal, Escalated ui.Message
	Empty, List, UndoText, Undo, UndoOver         ui.Message
}

type caseText struct {
	Before                                           ui.Message
	Heading, Due, Until, Evidence                    ui.Message
	NoEvidence, Gone, Open, Download                 ui.Message
	Alike, Program, Asserted, Person                 ui.Message
	NoName, Found, Source, Facts                     ui.Message
	Questions, Yes, No, Unanswered                   ui.Message
	AnsweredNo, Decision, Subgroups, HoldsTo         ui.Message
	HoldsToHint, Reasons, ReasonsHint, ReasonMissing ui.Message
	Note, NoteHint, NoteMissing, Approve             ui.Message
	AskAgain, Decline, Escalate, Recuse              ui.Message
	RecuseText, GiveBack, Override, OverrideText     ui.Message
	DateWrong, Keys, KeysText, KeysOn                ui.Message
	Claimed, NoClaimed, NoClaimedText, HasName       ui.Message
	NameUnanswered, Refuse                           ui.Message
	KeyNames                                         map[string]ui.Message
}

type rostersText struct {
	Heading, Text, NoneConfigured, Never               ui.Message
	Rows, Imported, Check, File                        ui.Message
	FileHint, ColumnSubgroup, ColumnUntil, FileMissing ui.Message
	FileWrong, FileLine, ManyVanishMissing, Moving     ui.Message
	CheckHeading, CheckText, RowsNew, Added            ui.Message
	Vanished, Skipped, Repeated, ManyVanish            ui.Message
	ManySkippedMissing, ManySkippedTick                ui.Message
	ManyVanishTick, Use, Cancel, PutBack               ui.Message
	PutBackText, FileColumns, SkippedLine, Sample      ui.Message
}

type codesText struct {
	Heading, Text, NoGroups, New                     ui.Message
	Count, Uses, UsesHint, Email                     ui.Message
	EmailHint, Until, IssuedBy, IssuedByHint         ui.Message
	Issue, Issued, IssuedText, Back                  ui.Message
	List, Empty, Codes, Redeemed                     ui.Message
	IssuedOn, EndsOn, Ended, End                     ui.Message
	NumberWrong, GroupMissing, DateWrong, EmailWrong ui.Message
	TooLong                                          ui.Message
}

type holdsText struct {
	Heading, Text, New, Case        ui.Message
	Until, Reason, ReasonHint, Hold ui.Message
	Release, By, Empty, NoCase      ui.Message
	ReasonWrong, DateWrong          ui.Message
}

type numbersText struct {
	Heading, Text, Waiting, Oldest       ui.Message
	NoneWaiting, Kept, KeptText, Overdue ui.Message
	OverdueText, Table, State, Count     ui.Message
	Late, Empty                          ui.Message
}

type homeText struct {
	Heading, Find, SoughtHint      ui.Message
	Ways                           map[Way]ui.Message
	FindThem, Matters, Ends, Wrong ui.Message
	ToDo, Nothing                  ui.Message
	Tasks                          map[TaskKind]ui.Message
}

type actText struct {
	What, To, Undo, Told                             ui.Message
	Check, Back, Eyes, Propose                       ui.Message
	Proof, ProofSession, Prove, Alone                ui.Message
	Moved, Missing, Wrong                            ui.Message
	Shown, ShownText, Nothing, Service               ui.Message
	Protected                                        ui.Message
	Titles, Does, Fields, Facts, Voids, Undos, Tolds map[string]ui.Message
}

package verification

import "github.com/bonafide-id/bonafide/ui"

type uploadText struct {
	Heading, Cover, Must, Example, ExampleAlt ui.Message
	Name, NameHint, NameChange, NameMissing   ui.Message
	Formats, FormatsPDF, Good                 ui.Message
	File, Send, SendOf, Sending, Replace      ui.Message
	Preview, IsPDF                            ui.Message
	Remove, RemoveOf                          ui.Message
	Submit, NotYet                            ui.Message

	States   map[FileState]ui.Message
	Problems map[UploadProblem]ui.Message
}

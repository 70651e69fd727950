package verification

import "github.com/bonafide-id/bonafide/ui"

type uploadText struct {
	Heading, Cover, Must, Example, ExampleAlt ui.Message
	Formats, FormatsPDF                       ui.Message
	File, Camera, Send, SendOf, Replace       ui.Message
	Preview, IsPDF                            ui.Message
	Remove, RemoveOf                          ui.Message
	Submit, NotYet                            ui.Message

	States   map[FileState]ui.Message
	Problems map[UploadProblem]ui.Message
}

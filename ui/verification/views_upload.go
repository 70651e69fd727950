package verification

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// The fields of the forms with files.
const (
	// FieldKind names what a file is for.
	FieldKind = "kind"

	// FieldFile has the file: chosen, or taken with a camera.
	FieldFile = "file"

	// FieldName has the name that the files have.
	FieldName = "document-name"

	// ActionSubmit, as ui.FieldAction, sends all to the reviewers once the file has arrived.
	ActionSubmit = "submit"
)

// FileField is the name by which a ui.Problem finds the file for a requirement.
func FileField(kind string) string { return FieldFile + "-" + kind }

// UploadView asks for files, one form each. Each posts multipart/form-data to Form.Action,
// with [FieldKind] and [FieldFile]: the first that is missing with [FieldName] where no name
// is known, and the only one with ui.FieldAction as [ActionSubmit].
type UploadView struct {
	CasePage
	ui.Form
	Title ui.Label

	// Name is the name that the files have; empty until the person has said it. Entered is what
	// was posted. Named posts [FieldName] for another; without an Action the method asks for none.
	Name, Entered string
	Named         ui.Form

	// Reasons are why files are asked for again.
	Reasons []Reason
	Files   []File

	// Submit sends what is there to the reviewers, if nothing is missing, with [FieldName] where
	// no name is known.
	Submit ui.Form

	// Other may post ui.FieldAction with [ActionOther], if CanChoose.
	Other     ui.Form
	CanChoose bool

	// KeepDays is how many days after the decision the files are deleted.
	KeepDays int
}

// File is what is asked for, and the file that is there.
type File struct {
	// Kind is the value of FieldKind.
	Kind  string
	Title ui.Label

	// Must are what it has to show.
	Must []ui.Label

	// Example is the address of a picture of a good example, or empty.
	Example string

	// PDF says that PDF files are taken, too.
	PDF bool

	State FileState

	// PreviewURL is the picture that is there; empty if there is none, or it is a PDF.
	PreviewURL string

	// Remove deletes it; without an Action it cannot be.
	Remove ui.Form
}

// FileState is whether a file is there.
type FileState string

// The states of a file.
const (
	FileMissing FileState = "missing"
	FileSent    FileState = "sent"
	FileAgain   FileState = "again" // it was not accepted
	FileGood    FileState = "good"  // it was, and is not asked for again
)

// UploadProblem is why a file was not taken.
type UploadProblem string

// The problems with files.
const (
	UploadMissing  UploadProblem = "missing"
	UploadTooLarge UploadProblem = "too_large"
	UploadTooWide  UploadProblem = "too_wide"
	UploadFormat   UploadProblem = "format"
	UploadSVG      UploadProblem = "svg"
	UploadHEIC     UploadProblem = "heic"
	UploadPDF      UploadProblem = "pdf"
	UploadDamaged  UploadProblem = "damaged"
	UploadWork     UploadProblem = "work"
	UploadFull     UploadProblem = "full"
)

// NotTaken returns the problem of the file for a requirement.
func NotTaken(l *ui.Locale, kind string, p UploadProblem) ui.Problem {
	return ui.Problem{Field: FileField(kind), Text: l.OrEnglish().Plain(textOf(l).Upload.Problems[p])}
}

// NameMissing returns the problem of a name that is none.
func NameMissing(l *ui.Locale) ui.Problem {
	return ui.Problem{Field: FieldName, Text: l.OrEnglish().Plain(textOf(l).Upload.NameMissing)}
}

// asksName reports whether the person has to say which name the files have.
func (v UploadView) asksName() bool { return v.Named.Action != "" && v.Name == "" }

// lacking are the kinds of the files that have to be sent.
func (v UploadView) lacking() (kinds []string) {
	for _, f := range v.Files {
		if f.State == FileMissing || f.State == FileAgain {
			kinds = append(kinds, f.Kind)
		}
	}
	return kinds
}

// place says which of the files that are asked for this is; nothing if there is one.
func (v UploadView) place(l *ui.Locale, kind string) string {
	step, all := 0, 0
	for _, f := range v.Files {
		if f.State == FileGood {
			continue
		}
		if all++; f.Kind == kind {
			step = all
		}
	}
	if step == 0 || all == 1 {
		return ""
	}
	return l.Plain(textOf(l).Steps.Place, ui.With("step", step), ui.With("all", all))
}

func (v UploadView) heading() ui.Message {
	if len(v.Reasons) > 0 {
		return textOf(v.Locale).SentBack.Heading
	}
	return textOf(v.Locale).Upload.Heading
}

// accept is what browsers let people choose. Where it has nothing but pictures, Android offers
// no camera any more; the last word, which no file has, brings it back.
func (f File) accept() string {
	accepted := "image/png,image/jpeg,image/webp,android/allowCamera"
	if f.PDF {
		return accepted + ",application/pdf"
	}
	return accepted
}

// formats says what is taken.
func (f File) formats(t uploadText) ui.Message {
	if f.PDF {
		return t.FormatsPDF
	}
	return t.Formats
}

// isHere reports whether a file is there.
func (f File) isHere() bool {
	return f.State == FileSent || f.State == FileAgain || f.State == FileGood
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

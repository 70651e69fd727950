package verification

import (
	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// card are the two sides of a card and a letter, of which none is there.
func card(l *ui.Locale) []File {
	return []File{
		{Kind: "front", Title: l.Word("Front of the card"), Must: []ui.Label{l.Word("Your name"), l.Word("The end of validity")}, Example: "sample/client.svg", State: FileMissing},
		{Kind: "back", Title: l.Word("Back of the card"), State: FileMissing},
		{Kind: "letter", Title: l.Word("Letter of the institution"), Must: []ui.Label{l.Word("A date of this year")}, PDF: true, State: FileMissing},
	}
}

func uploadOf(p ui.Page, files []File, problems ...ui.Problem) UploadView {
	return UploadView{
		CasePage: open(p), Form: audiencetest.Form(problems...), Title: Word(p.Locale, "With a picture of a document"),
		Files: files, Other: audiencetest.Form(), KeepDays: 7,
	}
}

func (f File) sent(state FileState) File {
	f.State = state
	if !f.PDF {
		f.PreviewURL = "sample/client.svg"
	}
	if state == FileSent {
		f.Remove = audiencetest.Form()
	}
	return f
}

var uploadFixtures = []audiencetest.Fixture{
	{Name: "upload", Render: func(p ui.Page) templ.Component {
		v := uploadOf(p, card(p.Locale))
		v.CanChoose, v.Name, v.Named = true, audiencetest.Ada.Name, audiencetest.Form()
		return Upload(v)
	}},
	{Name: "upload-name", Render: func(p ui.Page) templ.Component {
		v := uploadOf(p, card(p.Locale), NameMissing(p.Locale))
		v.Named = audiencetest.Form()
		return Upload(v)
	}},
	{Name: "upload-one", Render: func(p ui.Page) templ.Component {
		v := uploadOf(p, card(p.Locale)[:1])
		v.Named = audiencetest.Form()
		return Upload(v)
	}},
	{Name: "upload-one-nameless", Render: func(p ui.Page) templ.Component {
		v := uploadOf(p, []File{card(p.Locale)[0].sent(FileSent)})
		v.Named, v.Submit, v.Entered = audiencetest.Form(), audiencetest.Form(TooLong(p.Locale, FieldName, 120)), "- a name that is too long -"
		return Upload(v)
	}},
	{Name: "upload-ready", Render: func(p ui.Page) templ.Component {
		files := card(p.Locale)
		for i := range files {
			files[i] = files[i].sent(FileSent)
		}
		v := uploadOf(p, files)
		v.Notice, v.Submit = NoticeFileReceived, audiencetest.Form()
		return Upload(v)
	}},
	{Name: "upload-again", Render: func(p ui.Page) templ.Component {
		files := card(p.Locale)
		files[0], files[1] = files[0].sent(FileAgain), files[1].sent(FileGood)
		v := uploadOf(p, files[:2])
		v.Reasons, v.Notice = []Reason{"unreadable"}, NoticeFileRemoved
		return Upload(v)
	}},
	{Name: "upload-refused", Render: func(p ui.Page) templ.Component {
		l := p.Locale
		return Upload(uploadOf(p, card(l), NotTaken(l, "front", UploadHEIC), NotTaken(l, "back", UploadMissing), NotTaken(l, "letter", UploadTooLarge)))
	}},
}

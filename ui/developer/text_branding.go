package developer

import "github.com/bonafide-id/bonafide/ui"

type brandingText struct {
	Heading, Text, Draft                   ui.Message
	Logo, LogoHint, RemoveLogo             ui.Message
	Color, ColorHint, Picker               ui.Message
	Preview, Publish, Discard              ui.Message
	Undo, UndoText                         ui.Message
	Contrast, Label, OnLight, OnDark       ui.Message
	Ratio, Black, White, GradeAA, GradeAAA ui.Message
	StandsOut, Outlined, Exchanged         ui.Message
	Previews, PreviewsText, Screen, Open   ui.Message
	SignIn, Consent, Error, Light, Dark    ui.Message
	LogoDark, LogoDarkHint                 ui.Message
	Wordmark, WordmarkHint                 ui.Message
	WordmarkDark, WordmarkDarkHint         ui.Message
	RemovePicture, RightToLeft             ui.Message
}

package ui

type developerBrandingText struct {
	Heading, Text, Draft                   Message
	Logo, LogoHint, RemoveLogo             Message
	Color, ColorHint, Picker               Message
	Preview, Publish, Discard              Message
	Undo, UndoText                         Message
	Contrast, Label, OnLight, OnDark       Message
	Ratio, Black, White, GradeAA, GradeAAA Message
	StandsOut, Outlined, Exchanged         Message
	Previews, PreviewsText, Screen, Open   Message
	SignIn, Consent, Error, Light, Dark    Message
	LogoDark, LogoDarkHint                 Message
	Wordmark, WordmarkHint                 Message
	WordmarkDark, WordmarkDarkHint         Message
	RemovePicture, RightToLeft             Message
}

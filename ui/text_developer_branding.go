package ui

type developerBrandingText struct {
	Heading, Text, Draft                   message
	Logo, LogoHint, RemoveLogo             message
	Color, ColorHint, Picker               message
	Preview, Publish, Discard              message
	Undo, UndoText                         message
	Contrast, Label, OnLight, OnDark       message
	Ratio, Black, White, GradeAA, GradeAAA message
	StandsOut, Outlined, Exchanged         message
	Previews, PreviewsText, Screen, Open   message
	SignIn, Consent, Error, Light, Dark    message
	LogoDark, LogoDarkHint                 message
	Wordmark, WordmarkHint                 message
	WordmarkDark, WordmarkDarkHint         message
	RemovePicture, RightToLeft             message
}

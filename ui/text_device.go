package ui

// deviceText is what the screen says that asks for the code of a device.
type deviceText struct{ Heading, Text, Caution, Label, Submit Message }

// deviceConfirmText is what the screen says that asks whether a device may have what it requests.
type deviceConfirmText struct {
	Shows, Here, Elsewhere, ElsewhereText, Started, Deny, Report Message
}

// deviceDoneText has a heading and a text for each end of a request.
type deviceDoneText struct {
	Allowed, AllowedText, Denied, DeniedText, Reported, ReportedText Message
}

package security

import "github.com/bonafide-id/bonafide/ui"

// text is every sentence of the screens.
type text struct {
	Common   commonText
	Home     homeText
	Passkey  passkeyText
	App      appText
	Codes    codesText
	Step     stepText
	Password passwordText
	Link     linkText
	Enrol    enrolText

	Notices  map[Notice]ui.Message
	Problems map[Problem]ui.Message
}

type commonText struct {
	Heading, Back, Cancel, Remove    ui.Message
	Added, LastUsed, NeverUsed       ui.Message
	BrowserOnSystem, UnknownDevice   ui.Message
	PasskeyTitle, AppTitle, CodeName ui.Message
}

type homeText struct {
	Text                                             ui.Message
	Passkeys, PasskeysText, AddPasskey, PasskeysFull ui.Message
	Rename, RenameOf, RemoveOf                       ui.Message
	Password, PasswordChanged, NoPassword            ui.Message
	ChangePassword, SetPassword                      ui.Message
	AppText, SetUpApp, ReplaceApp                    ui.Message
	Codes, CodesText, CodesLeft, CodesNone           ui.Message
	GetCodes, NewCodes, CodesMissing                 ui.Message
	Step, StepOn, StepOff, StepByApp, StepNeeds      ui.Message
	TurnOn, TurnOff                                  ui.Message
	Links, LinksText, LinkEnded, ConnectTo           ui.Message
	Devices, DevicesText, Until                      ui.Message
	Forget, ForgetOf, ForgetAll                      ui.Message
}

type passkeyText struct {
	Text, Create, CannotCreate         ui.Message
	Unnamed                            ui.Message
	NameHeading, NameLabel, NameSubmit ui.Message
	RemoveHeading, RemoveSubmit        ui.Message
	RemoveEffects                      []ui.Message
}

type appText struct {
	Heading, HeadingReplace           ui.Message
	Scan, Symbol, Key, Open, Enter    ui.Message
	Effect, EffectReplace             ui.Message
	Submit, SubmitReplace             ui.Message
	RemoveHeading, RemoveSubmit       ui.Message
	RemoveCodes, RemoveStep, RemoveIn ui.Message
}

type codesText struct {
	Effect, Make                          ui.Message
	ShownHeading, ShownText               ui.Message
	Download, Print, Done, File, FileMade ui.Message
}

type stepText struct {
	HeadingOn, TextOn, SubmitOn    ui.Message
	HeadingOff, TextOff, SubmitOff ui.Message
}

type passwordText struct {
	RemoveHeading, RemoveSubmit ui.Message
	RemoveEffects               []ui.Message
}

type linkText struct {
	RemoveHeading, RemoveSubmit ui.Message
	RemoveEffects               []ui.Message
}

type enrolText struct {
	Heading, Text               ui.Message
	PasskeyText, AppText        ui.Message
	TooNew, TooNewText, Leave   ui.Message
	NothingLeft, NothingLeftFor ui.Message
}

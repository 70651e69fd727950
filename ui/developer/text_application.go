package developer

import "github.com/bonafide-id/bonafide/ui"

// applicationText is for the pages of an application; those of its registration
// have the names of its fields.
type applicationText struct {
	RegisterHeading, RegisterText, Register  ui.Message
	UnreviewedText                           ui.Message
	Program, OwnCode, ChooseProgram          ui.Message
	ProgramText, ProgramNeeds                ui.Message
	Needs                                    map[string]ui.Message
	Kind, Dialect                            ui.Message
	Kinds, Dialects                          map[string]labelText
	Active                                   ui.Message
	ClientID, Secret, Reveal, RevealText     ui.Message
	SecretHint, SecretOnce, Public           ui.Message
	Endpoints, Issuer, Discovery             ui.Message
	EndpointNames                            map[string]ui.Message
	Next                                     ui.Message
	NextSamples, NextTry, NextAccess         labelText
	Copy, CopyText, CopySandbox, CopyLive    ui.Message
	CopyLiveText, CopyNeedsRedirect          ui.Message
	Incomplete, IncompleteText               ui.Message
	Deleting, DeletingText                   ui.Message
	Settings, SettingsText                   ui.Message
	General, Addresses, Permissions          ui.Message
	Protocol, Fixed                          ui.Message
	Fields                                   map[string]labelText
	AuthMethod, AddressesRight               ui.Message
	AuthMethods, GrantTypes, ResponseTypes   map[string]labelText
	ConfirmHeading, ConfirmText, Confirm     ui.Message
	ThereHeading, ThereText, Field, Now      ui.Message
	Yours                                    ui.Message
	Disable, DisableText, Enable, EnableText ui.Message
	Delete, DeleteText, DeleteName           ui.Message
	More, MoreText, Tokens, SignOut          ui.Message
	Proving, ProvingText, Stricter, AnyAlg   ui.Message
	ByKey, Profile                           ui.Message
	Profiles                                 map[string]labelText
	ProfileProblems                          map[string]ui.Message
	Devices, DevicesRisk, DevicesMore        ui.Message
	DevicesGiven, DevicesNot                 ui.Message
	SignIn, SignInAdd                        ui.Message
	SignIns                                  map[string]labelText
}

// labelText is a label with a sentence.
type labelText struct{ Label, Text ui.Message }

type secretsText struct {
	Heading, Text                  ui.Message
	Secret, Created, Expires, Used ui.Message
	Ending, Newest, Unknown        ui.Message
	Never, Stays, End, EndOf       ui.Message
	Rotate, RotateText, Overlap    ui.Message
	Overlaps                       map[string]labelText
	RotateSubmit                   ui.Message
	NewHeading, NewText            ui.Message
	Public, PublicText             ui.Message
	ByKey, ByKeyText, Keys         ui.Message
	Managed, ManagedText           ui.Message
	ManagedEnd                     ui.Message
}

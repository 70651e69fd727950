package developer

import "github.com/bonafide-id/bonafide/ui"

// text is every sentence of the dashboard.
type text struct {
	Common       commonText
	Home         homeText
	Welcome      welcomeText
	Organization organizationText
	Members      membersText
	Invitation   invitationText
	Registration registrationText
	Activity     activityText
	Application  applicationText
	Secrets      secretsText
	Webhooks     webhooksText
	Production   productionText
	Branding     brandingText
	Log          logText
	Numbers      numbersText
	Try          tryText
	Sandbox      sandboxText
	Document     documentText
	Docs         docsText
	Samples      samplesText
	Notices      map[Notice]ui.Message
}

type commonText struct {
	Dashboard, Docs, Account, Switch, Sections ui.Message
	Environment, Sandbox, Production           ui.Message
	SandboxText, ProductionText                ui.Message
	Save, Nothing, Earlier                     ui.Message
	RoleOwner, RoleDeveloper, RoleViewer       ui.Message
	SectionNames                               map[Section]ui.Message
}

type homeText struct {
	Heading, Text, Empty, EmptyText, Create ui.Message
	Steps                                   []ui.Message
	LiveStep                                ui.Message // in the place of the last without a sandbox
}

type welcomeText struct {
	Heading, Text, Start, Docs       ui.Message
	Code, Personas, Logs, Production labelText
}

type organizationText struct {
	CreateHeading, CreateText, Create        ui.Message
	Settings, SettingsText                   ui.Message
	Name, NameHint, Contact, ContactHint     ui.Message
	Delete, DeleteText, DeleteName           ui.Message
	Applications, NoApplications             ui.Message
	NoApplicationsText, Register             ui.Message
	Search, SearchSubmit, NothingFound, More ui.Message
	Disabled, Unreviewed, Incomplete         ui.Message
	Deleting                                 ui.Message
}

type membersText struct {
	Heading, Text, You, Since                      ui.Message
	ChangeRole, Change, Remove, RemoveOf, Leave    ui.Message
	InviteHeading, InviteText, Email, Role, Invite ui.Message
	OwnerText, DeveloperText, ViewerText           ui.Message
	Waiting, Expires, Withdraw, WithdrawOf         ui.Message
	LinkHeading, LinkText, LinkForText, EmailHint  ui.Message
	Anybody, WithdrawAny, InvitedBy                ui.Message
	NoOwner, NoOwnerKnown                          ui.Message
}

type invitationText struct {
	Heading, Text, As, Accept, Gone, GoneText ui.Message
	Other, OtherText, Account                 ui.Message
}

type registrationText struct {
	Heading, Text, Link              ui.Message
	NewHeading, NewText, Endpoint    ui.Message
	Waiting, Left, Expires, By       ui.Message
	Revoke, RevokeOf, Make, MakeText ui.Message
	Name, NameHint, Hosts, HostsHint ui.Message
	Count, Days                      ui.Message
}

type activityText struct {
	Heading, Text, Empty, Former ui.Message
	Program                      ui.Message
	When, Who, What              ui.Message
	Before, After, None          ui.Message
	Added, Removed, More         ui.Message
	Changed                      ui.Message
	Acts                         map[string]ui.Message
}

type sandboxText struct {
	Personas, PersonasText, Persona, Email ui.Message
	Hint, JSON                             ui.Message
	Edit, EditText, Reset                  ui.Message
	Inbox, InboxText, InboxEmpty, MailTo   ui.Message
	Clock, ClockText, ClockNow, ClockMoved ui.Message
	ClockReset                             ui.Message
	Minutes, Hours, Days                   ui.Message
	ClockSteps                             [5]ui.Message
	Faults, FaultsText, FaultOn            ui.Message
	FaultChoose, FaultNone                 ui.Message
	FaultNames                             map[string]faultText
}

// faultText is a fault, and what an application should do about it.
type faultText struct{ Name, Text ui.Message }

type samplesText struct {
	Heading, Text, Nothing, Strict   ui.Message
	Unproven                         ui.Message
	Language, RedirectURI, Libraries ui.Message
	Programs, Lacks, SecretInFile    ui.Message
	Run, Shell, Secret, SecretLink   ui.Message
	Open, Listen                     ui.Message
	Button, ButtonText, Show         ui.Message
	Attributes                       ui.Message
	Looks                            map[string]ui.Message
}

type documentText struct {
	Heading, Text, Link            ui.Message
	Address, AddressText, Check    ui.Message
	Wrong, Right, RightText, Notes ui.Message
	Host, CallsItself, Life        ui.Message
	TooMany, Missing               ui.Message
}

type docsText struct {
	Heading, Text                    ui.Message
	Contents, Filter, Found, Nothing ui.Message
	OpenAPI, Plain                   ui.Message
}

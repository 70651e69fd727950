package ui

// developerText is every sentence of the dashboard.
type developerText struct {
	Common       developerCommonText
	Home         developerHomeText
	Welcome      developerWelcomeText
	Organization developerOrganizationText
	Members      developerMembersText
	Invitation   developerInvitationText
	Activity     developerActivityText
	Application  developerApplicationText
	Secrets      developerSecretsText
	Production   developerProductionText
	Branding     developerBrandingText
	Log          developerLogText
	Numbers      developerNumbersText
	Try          developerTryText
	Sandbox      developerSandboxText
	Docs         developerDocsText
	Samples      developerSamplesText
	Notices      map[DeveloperNotice]Message
}

type developerCommonText struct {
	Dashboard, Docs, Account, Switch, Sections Message
	Environment, Sandbox, Production           Message
	SandboxText, ProductionText                Message
	Save, Optional, Nothing, Earlier           Message
	RoleOwner, RoleDeveloper, RoleViewer       Message
	SectionNames                               map[DeveloperSection]Message
}

type developerHomeText struct {
	Heading, Text, Empty, EmptyText, Create Message
	Steps                                   []Message
}

type developerWelcomeText struct {
	Heading, Text, Start, Docs       Message
	Code, Personas, Logs, Production labelText
}

type developerOrganizationText struct {
	CreateHeading, CreateText, Create        Message
	Settings, SettingsText                   Message
	Name, NameHint, Contact, ContactHint     Message
	Delete, DeleteText, DeleteName           Message
	Applications, NoApplications             Message
	NoApplicationsText, Register             Message
	Search, SearchSubmit, NothingFound, More Message
	Disabled, Unreviewed, Incomplete         Message
	Deleting                                 Message
}

type developerMembersText struct {
	Heading, Text, You, Since                      Message
	ChangeRole, Change, Remove, RemoveOf, Leave    Message
	InviteHeading, InviteText, Email, Role, Invite Message
	OwnerText, DeveloperText, ViewerText           Message
	Waiting, Expires, Withdraw, WithdrawOf         Message
	LinkHeading, LinkText, LinkForText, EmailHint  Message
	Anybody, WithdrawAny, InvitedBy                Message
	NoOwner, NoOwnerKnown                          Message
}

type developerInvitationText struct {
	Heading, Text, As, Accept, Gone, GoneText Message
	Other, OtherText, Account                 Message
}

type developerActivityText struct {
	Heading, Text, Empty, Former Message
	When, Who, What              Message
	Before, After, None          Message
	Added, Removed, More         Message
	Changed                      Message
	Acts                         map[string]Message
}

type developerSandboxText struct {
	Personas, PersonasText, Persona, Email Message
	Hint, JSON                             Message
	Edit, EditText, Reset                  Message
	Inbox, InboxText, InboxEmpty, MailTo   Message
	Clock, ClockText, ClockNow, ClockMoved Message
	ClockReset                             Message
	Minutes, Hours, Days                   Message
	ClockSteps                             [5]Message
	Faults, FaultsText, FaultOn            Message
	FaultChoose, FaultNone                 Message
	FaultNames                             map[string]faultText
}

// faultText is a fault, and what an application should do about it.
type faultText struct{ Name, Text Message }

type developerSamplesText struct {
	Heading, Text, Nothing, Strict   Message
	Language, RedirectURI, Libraries Message
	Run, Shell, Secret, SecretLink   Message
	Open, Listen                     Message
}

type developerDocsText struct {
	Heading, Text                    Message
	Contents, Filter, Found, Nothing Message
	OpenAPI, Plain                   Message
}

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
	Notices      map[DeveloperNotice]message
}

type developerCommonText struct {
	Dashboard, Docs, Account, Switch, Sections message
	Environment, Sandbox, Production           message
	SandboxText, ProductionText                message
	Save, Optional, Nothing, Earlier           message
	RoleOwner, RoleDeveloper, RoleViewer       message
	SectionNames                               map[DeveloperSection]message
}

type developerHomeText struct {
	Heading, Text, Empty, EmptyText, Create message
	Steps                                   []message
}

type developerWelcomeText struct {
	Heading, Text, Start, Docs       message
	Code, Personas, Logs, Production labelText
}

type developerOrganizationText struct {
	CreateHeading, CreateText, Create        message
	Settings, SettingsText                   message
	Name, NameHint, Contact, ContactHint     message
	Delete, DeleteText, DeleteName           message
	Applications, NoApplications             message
	NoApplicationsText, Register             message
	Search, SearchSubmit, NothingFound, More message
	Disabled, Unreviewed, Incomplete         message
	Deleting                                 message
}

type developerMembersText struct {
	Heading, Text, You, Since                      message
	ChangeRole, Change, Remove, RemoveOf, Leave    message
	InviteHeading, InviteText, Email, Role, Invite message
	OwnerText, DeveloperText, ViewerText           message
	Waiting, Expires, Withdraw, WithdrawOf         message
	LinkHeading, LinkText, LinkForText, EmailHint  message
	Anybody, WithdrawAny, InvitedBy                message
	NoOwner, NoOwnerKnown                          message
}

type developerInvitationText struct {
	Heading, Text, As, Accept, Gone, GoneText message
	Other, OtherText, Account                 message
}

type developerActivityText struct {
	Heading, Text, Empty, Former message
	When, Who, What              message
	Before, After, None          message
	Added, Removed, More         message
	Changed                      message
	Acts                         map[string]message
}

type developerSandboxText struct {
	Personas, PersonasText, Persona, Email message
	Hint, JSON                             message
	Edit, EditText, Reset                  message
	Inbox, InboxText, InboxEmpty, MailTo   message
	Clock, ClockText, ClockNow, ClockMoved message
	ClockReset                             message
	Minutes, Hours, Days                   message
	ClockSteps                             [5]message
	Faults, FaultsText, FaultOn            message
	FaultChoose, FaultNone                 message
	FaultNames                             map[string]faultText
}

// faultText is a fault, and what an application should do about it.
type faultText struct{ Name, Text message }

type developerSamplesText struct {
	Heading, Text, Nothing, Strict   message
	Language, RedirectURI, Libraries message
	Run, Shell, Secret, SecretLink   message
	Open, Listen                     message
}

type developerDocsText struct {
	Heading, Text                    message
	Contents, Filter, Found, Nothing message
	OpenAPI, Plain                   message
}

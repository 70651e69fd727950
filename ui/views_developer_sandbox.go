package ui

import "time"

// FieldPersonas is the name under which the JSON of personas is posted, and ActionReset
// brings back those that come with the product.
const (
	FieldPersonas = "personas"
	ActionReset   = "reset"
)

// DeveloperPersonasView lists the personas of an organization. It posts [FieldPersonas] and
// [FieldVersion] with [ActionSave], or [FieldVersion] with [ActionReset].
type DeveloperPersonasView struct {
	DeveloperPage
	Form
	Personas []DeveloperPersona
	// Text is the JSON that the field shows, and Version what it was read as.
	Text, Version string
	// MayChange shows the form. Own says that the organization has changed them.
	MayChange, Own bool
}

// DeveloperPersona is a persona in a list.
type DeveloperPersona struct {
	Name, Title string
	// Hint is the value of login_hint that signs in as it.
	Hint, Email string
}

// DeveloperInboxView shows the mails that the sandbox has sent.
type DeveloperInboxView struct {
	DeveloperPage
	Mails []DeveloperMail
	// Example is an address whose mails arrive here.
	Example string
}

// DeveloperMail is a mail that was kept instead of being sent.
type DeveloperMail struct {
	At                time.Time
	To, Subject, Text string
}

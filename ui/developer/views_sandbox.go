package developer

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// FieldPersonas is the name under which the JSON of personas is posted, and ActionReset
// brings back those that come with the product.
const (
	FieldPersonas = "personas"
	ActionReset   = "reset"
)

// PersonasView lists the personas of an organization. It posts [FieldPersonas] and
// [FieldVersion] with [ActionSave], or [FieldVersion] with [ActionReset].
type PersonasView struct {
	Page
	ui.Form
	Personas []Persona
	// Text is the JSON that the field shows, and Version what it was read as.
	Text, Version string
	// MayChange shows the form. Own says that the organization has changed them.
	MayChange, Own bool
}

// Persona is a persona in a list.
type Persona struct {
	Name  string
	Title ui.Label
	// Hint is the value of login_hint that signs in as it.
	Hint, Email string
}

// InboxView shows the mails that the sandbox has sent.
type InboxView struct {
	Page
	Mails []Mail
	// Example is an address whose mails arrive here.
	Example string
}

// Mail is a mail that was kept instead of being sent.
type Mail struct {
	At                time.Time
	To, Subject, Text string
}

// The names under which steps of the clock and faults are posted.
const (
	FieldStep  = "step"
	FieldFault = "fault"
)

// ClockView moves the clock of an organization. It posts [FieldVersion] with
// [FieldStep], one of 5m, 1h, 24h, 168h and 720h, or with [ActionReset].
type ClockView struct {
	Page
	ui.Form
	// Now is what the clock shows, and Moved how far it has been moved.
	Now   time.Time
	Moved time.Duration
	// Version is what was read.
	Version string
	// MayChange shows the form.
	MayChange bool
}

// FaultsView switches a fault of an application on and off. It posts
// [FieldFault], which is empty for none.
type FaultsView struct {
	Page
	ui.Form
	// Faults are the names of all of them, and Fault that which is on Until a time;
	// empty for none.
	Faults []string
	Fault  string
	Until  time.Time
	// MayChange shows the form.
	MayChange bool
}

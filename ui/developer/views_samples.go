package developer

import "github.com/bonafide-id/bonafide/ui"

// SamplesView is programs that sign a user in, filled with the registration of
// an application.
type SamplesView struct {
	Page
	// Languages are those that there is a program for, Programs those of others that there are
	// files for; one of both is chosen, Title. RedirectURIs are the addresses that it can
	// serve; one is chosen.
	Languages, Programs, RedirectURIs []SampleChoice
	Title                             string
	// Lacks are the settings that the chosen program needs and the registration does not have.
	Lacks []string
	// Libraries are what the program is written with; empty for none.
	Libraries string
	// Files are the program. Run starts it in a shell; empty for what is no program.
	Files []DocsCode
	Run   string
	// Variable is the environment variable that the program reads the client secret from,
	// and Placeholder what stands for the secret in Run, or without a Variable in Files; empty for none. SecretsURL leads
	// to the secret, for those who may see it.
	Variable, Placeholder, SecretsURL string
	// Open is the address to open once the program runs, and Listen where it listens when
	// something before it ends TLS.
	Open, Listen string
	// Strict says that the application has to sign, or to push its requests, which the
	// program does not.
	Strict bool
	// Button is the sign-in button, where the program is one; nil otherwise.
	Button *ButtonView
	// Unproven says that the application has to prove a key, which the program does not.
	Unproven bool
}

// SampleChoice is one of several programs, or of several addresses.
type SampleChoice struct {
	Label, URL string
	// Current marks the one that is shown.
	Current bool
}

// ButtonView is the sign-in button as it was chosen, live, and what can be chosen of it.
type ButtonView struct {
	ClientID string
	// Script is the address of its script, StartURL where a press of it leads.
	Script, StartURL string
	Choices          []ButtonChoice
	// Hidden are what else is chosen on the page.
	Hidden []ui.Field
}

// ButtonChoice is an attribute of the button, without data-.
type ButtonChoice struct {
	Name string
	// Values are those that it takes, an empty one for the default, and Chosen one of them.
	Values []string
	Chosen string
}

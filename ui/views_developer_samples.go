package ui

// DeveloperSamplesView is programs that sign a user in, filled with the registration of
// an application.
type DeveloperSamplesView struct {
	DeveloperPage
	// Languages are those that there is a program for, RedirectURIs the addresses that
	// it can serve; one of each is chosen.
	Languages, RedirectURIs []DeveloperSampleChoice
	// Libraries are what the program is written with; empty for none.
	Libraries string
	// Files are the program. Run starts it in a shell; empty for what is no program.
	Files []DocsCode
	Run   string
	// Secret says that the program needs the client secret; SecretsURL leads to it, for
	// those who may see it.
	Secret     bool
	SecretsURL string
	// Strict says that the application has to sign, or to push its requests, which the
	// program does not.
	Strict bool
}

// DeveloperSampleChoice is one of several programs, or of several addresses.
type DeveloperSampleChoice struct {
	Label, URL string
	// Current marks the one that is shown.
	Current bool
}

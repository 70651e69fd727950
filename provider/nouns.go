package provider

// Each noun is a pointer to the rooms of its provider and nothing else. It costs no
// allocation, may be kept and copied, and lives as long as the provider.

// Accounts are the embedded accounts: Save, Get, GetByEmail, List, SetDisabled and Delete.
type Accounts struct{ *rooms }

// Accounts returns the embedded accounts. A host with users of its own has none, and
// deletes here what is recorded of one of them.
func (p *Provider) Accounts() Accounts { return Accounts{&p.rooms} }

// Clients are the registered applications: Save, Get, List, SetDisabled, Delete, Deleting and
// Validate; their secrets: Secret, ListSecrets, RotateSecret and EndSecret; and single
// addresses of a registration: ValidateRedirectURI and ValidateOrigin.
type Clients struct{ *rooms }

// Clients returns the registered applications.
func (p *Provider) Clients() Clients { return Clients{&p.rooms} }

// Events are the audit log, which List reads and Config.OnEvent follows, and the activity of
// applications, which WatchActivity follows.
type Events struct{ *rooms }

// Events returns the audit log and the activity of applications.
func (p *Provider) Events() Events { return Events{&p.rooms} }

// Keys are the signing keys: Rotate and Revoke; and Config.Secret, with which Seal, Open and
// Pseudonym protect values of the host's own.
type Keys struct{ *rooms }

// Keys returns the signing keys and the secret.
func (p *Provider) Keys() Keys { return Keys{&p.rooms} }

// Pages are what a host's own pages are made with: Screen stands beside the provider's own
// and has its frame, Allow limits what is posted there, ScopeWords and ButtonScript have
// content for it, and SignedIn says whose it is. LinkErrors leads from error pages to one.
// IsReturnTo is for the host's sign-in page, and BrandPreview for its operators.
type Pages struct{ *rooms }

// Pages returns what a host's own pages are made with.
func (p *Provider) Pages() Pages { return Pages{&p.rooms} }

// People are the users, with an embedded account or of the host. Get reads what is recorded
// about one; SetAttributes, SetStatus and DeleteStatus record it; VerifiedEmail, View and
// Locale are for pages and mails of the host; EndSessions, Revoke and RevokeIssuedBefore end
// what was issued for them; KeepWith has what stands beside the provider forget them.
type People struct{ *rooms }

// People returns the users.
func (p *Provider) People() People { return People{&p.rooms} }

// Sandbox is what a provider with Config.Sandbox has beside others: Elapse moves its clock,
// and CheckPersonas checks the answers of Testing.Personas.
type Sandbox struct{ *rooms }

// Sandbox returns what a sandbox has beside others.
func (p *Provider) Sandbox() Sandbox { return Sandbox{&p.rooms} }

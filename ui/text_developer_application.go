package ui

// developerApplicationText is for the pages of an application; those of its registration
// have the names of its fields.
type developerApplicationText struct {
	RegisterHeading, RegisterText, Register  Message
	UnreviewedText                           Message
	Kind, Dialect                            Message
	Kinds, Dialects                          map[string]labelText
	Active                                   Message
	ClientID, Secret, Reveal, RevealText     Message
	SecretHint, SecretOnce, Public           Message
	Endpoints, Issuer, Discovery             Message
	EndpointNames                            map[string]Message
	Next                                     Message
	NextSamples, NextTry, NextAccess         labelText
	Copy, CopyText, CopySandbox, CopyLive    Message
	CopyLiveText, CopyNeedsRedirect          Message
	Incomplete, IncompleteText               Message
	Deleting, DeletingText                   Message
	Settings, SettingsText                   Message
	General, Addresses, Permissions          Message
	Protocol, Fixed                          Message
	Fields                                   map[string]labelText
	AuthMethod, AddressesRight               Message
	AuthMethods, GrantTypes, ResponseTypes   map[string]labelText
	ConfirmHeading, ConfirmText, Confirm     Message
	ThereHeading, ThereText, Field, Now      Message
	Yours                                    Message
	Disable, DisableText, Enable, EnableText Message
	Delete, DeleteText, DeleteName           Message
	More, MoreText, Tokens, SignOut          Message
	Proving, ProvingText, Stricter, AnyAlg   Message
	ByKey                                    Message
}

// labelText is a label with a sentence.
type labelText struct{ Label, Text Message }

type developerSecretsText struct {
	Heading, Text                  Message
	Secret, Created, Expires, Used Message
	Ending, Newest, Unknown        Message
	Never, Stays, End, EndOf       Message
	Rotate, RotateText, Overlap    Message
	Overlaps                       map[string]labelText
	RotateSubmit                   Message
	NewHeading, NewText            Message
	Public, PublicText             Message
	ByKey, ByKeyText, Keys         Message
}

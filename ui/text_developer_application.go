package ui

// developerApplicationText is for the pages of an application; those of its registration
// have the names of its fields.
type developerApplicationText struct {
	RegisterHeading, RegisterText, Register  message
	UnreviewedText                           message
	Kind, Dialect                            message
	Kinds, Dialects                          map[string]labelText
	Active                                   message
	ClientID, Secret, Reveal, RevealText     message
	SecretHint, SecretOnce, Public           message
	Endpoints, Issuer, Discovery             message
	EndpointNames                            map[string]message
	Next                                     message
	NextSamples, NextTry, NextAccess         labelText
	Copy, CopyText, CopySandbox, CopyLive    message
	CopyLiveText, CopyNeedsRedirect          message
	Incomplete, IncompleteText               message
	Deleting, DeletingText                   message
	Settings, SettingsText                   message
	General, Addresses, Permissions          message
	Protocol, Fixed                          message
	Fields                                   map[string]labelText
	AuthMethod, AddressesRight               message
	AuthMethods, GrantTypes, ResponseTypes   map[string]labelText
	ConfirmHeading, ConfirmText, Confirm     message
	ThereHeading, ThereText, Field, Now      message
	Yours                                    message
	Disable, DisableText, Enable, EnableText message
	Delete, DeleteText, DeleteName           message
	More, MoreText, Tokens, SignOut          message
	Proving, ProvingText, Stricter, AnyAlg   message
	ByKey                                    message
}

// labelText is a label with a sentence.
type labelText struct{ Label, Text message }

type developerSecretsText struct {
	Heading, Text                  message
	Secret, Created, Expires, Used message
	Ending, Newest, Unknown        message
	Never, Stays, End, EndOf       message
	Rotate, RotateText, Overlap    message
	Overlaps                       map[string]labelText
	RotateSubmit                   message
	NewHeading, NewText            message
	Public, PublicText             message
	ByKey, ByKeyText, Keys         message
}

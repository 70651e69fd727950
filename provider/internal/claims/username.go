package claims

import (
	"encoding/json"
	"slices"
)

// userName is the claim preferred_username (OpenID Connect Core section 5.1), which programs
// look for and make up when it is missing.
const userName = "preferred_username"

// userNameBeside returns the user name of somebody who has none: the address, where that is
// released beside it and verified; else nil. It never comes by the scope profile alone, or that
// would tell the address to whom it was not allowed. Programs that take a user name for proof
// get no address that somebody else may own.
func userNameBeside(handles []string, recorded func(handle string) json.RawMessage) json.RawMessage {
	if !slices.Contains(handles, emailHandle) || string(recorded(emailVerified)) != "true" {
		return nil
	}
	return recorded(emailHandle)
}

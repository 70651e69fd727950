package claims

import (
	"encoding/json"
	"slices"
)

// userName is the claim preferred_username (OpenID Connect Core section 5.1). Programs read
// it, and invent one if it is missing.
const userName = "preferred_username"

// userNameBeside returns the user name of a user without one: the verified address, if it is
// released as well; else nil. The scope profile alone would reveal an address that the user
// has not allowed. An unverified address may be somebody else's, and some programs trust a
// user name.
func userNameBeside(handles []string, recorded func(handle string) json.RawMessage) json.RawMessage {
	if !slices.Contains(handles, emailHandle) || string(recorded(emailVerified)) != "true" {
		return nil
	}
	return recorded(emailHandle)
}

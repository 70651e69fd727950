package ui

import (
	"strings"

	"github.com/a-h/templ"
)

// PasskeyExists is what [FieldPasskey] holds when the browser says that the authenticator has
// a passkey of the account already.
const PasskeyExists = "exists"

// PasskeyPrompt is what a page needs to ask the browser for a passkey.
type PasskeyPrompt struct {
	// Options are those of the request or of the creation, in JSON. Empty shows nothing.
	Options string
	// Challenge is the sealed challenge, for [FieldChallenge].
	Challenge string
	// Create is for options of a creation.
	Create bool
	// Conditional asks without a dialog as soon as the page is shown. A request waits among
	// the suggestions of a field with autocomplete "webauthn"; the button still asks with a
	// dialog. A creation succeeds or fails unseen: the form is sent in any case, after some
	// seconds, with an empty [FieldPasskey] if there is no passkey.
	Conditional bool
}

// Shown reports whether there is anything to ask.
func (p PasskeyPrompt) Shown() bool { return p.Options != "" }

// attributes are what the script reads.
func (p PasskeyPrompt) attributes() templ.Attributes {
	kind := "get"
	if p.Create {
		kind = "create"
	}
	return templ.Attributes{"data-passkey": kind, "data-conditional": p.Conditional}
}

// ScriptPasskey is the name of the script of [PasskeyForm] and [PasskeySignals], for the
// files of [Layout].
func ScriptPasskey() string { return AssetName("passkey.js") }

// passkeyScripts are the scripts of a page that may have to do with passkeys.
func passkeyScripts(has bool) []string {
	if has {
		return []string{ScriptPasskey()}
	}
	return nil
}

func (v SignInView) scripts() []string { return passkeyScripts(v.Passkey.Shown() || v.Signals != "") }

// inScript returns JSON that cannot end the element it is in, nor begin a comment there.
func inScript(json string) string { return strings.ReplaceAll(json, "<", `\u003c`) }

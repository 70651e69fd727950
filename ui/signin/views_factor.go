package signin

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// The fields of the forms, besides those of package ui.
const (
	// FieldWay is the [Factor] that a form has.
	FieldWay = "way"

	// FieldAble is "1" if the browser can create a passkey.
	FieldAble = "able"

	// FieldTrust has the second step left out in this browser from now on.
	FieldTrust = "trust"
)

// Factor is what the owner of an account presents.
type Factor string

// The factors.
const (
	FactorPasskey  Factor = "passkey"
	FactorApp      Factor = "app"
	FactorCode     Factor = "codes"
	FactorPassword Factor = "password"
)

// FactorView asks the owner of an account for one more factor. It posts [FieldWay] with what that
// needs: the fields of a passkey, [ui.FieldCode] or [ui.FieldPassword]; and [FieldTrust]. Of a
// user who is signed in it may also post [ui.FieldAction] with [ui.ActionSwitch], or what a [ui.UpstreamButton] does.
type FactorView struct {
	ui.Page
	ui.Form
	Email string

	// Again says that the user is signed in.
	Again bool

	// Way is that of the page, empty if the account has none that would do; Others lead to the
	// others.
	Way    Factor
	Others []FactorLink

	// Upstreams are where the account can authenticate again, or at last.
	Upstreams []ui.UpstreamButton

	// Passkey is for FactorPasskey.
	Passkey ui.PasskeyPrompt

	// TrustFor is for how long the second step can be left out in this browser; zero offers
	// nothing.
	TrustFor time.Duration

	// LostURL leads on who has none of them. Empty shows no link.
	LostURL string
}

// FactorLink leads to a factor.
type FactorLink struct {
	Way Factor
	URL string
}

// OfferView offers a passkey to a user who has just signed in. It posts the fields of a passkey;
// an empty one declines.
type OfferView struct {
	ui.Page
	ui.Form
	Passkey ui.PasskeyPrompt
}

// FirstPasskeyView asks the owner of a new account for a passkey or a password. It posts the
// fields of a passkey, or [ui.FieldNewPassword].
type FirstPasskeyView struct {
	ui.Page
	ui.Form
	Email   string
	Passkey ui.PasskeyPrompt

	// MinLength is the least number of characters of a password.
	MinLength int
}

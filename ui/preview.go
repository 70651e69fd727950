package ui

import (
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui/theme"
)

// PreviewView is one of the screens as the users of an application will see it, with
// sample data.
type PreviewView struct {
	// Page is what is around the screen: the service, and the application with its
	// name, logo and colour. Where its addresses lead does not matter.
	Page
	Screen PreviewScreen
	// Scheme is the colours of day or of night. Empty follows the device.
	Scheme Scheme
	// Attributes and Groups are what the application asks for on the consent screen.
	// None are a name and an e-mail address.
	Attributes []ConsentAttribute
	Groups     []ConsentGroup
	// MinLength is the least number of characters of a password, for the sign-up screen.
	MinLength int
	// BaseURL is where the service is, for the mail. Empty shows no logo there.
	BaseURL string
	// Screens render the screens. Those that are missing are this package's.
	Screens Screens
}

// PreviewScreen names a screen that [Preview] can show.
type PreviewScreen string

// The screens of previews.
const (
	PreviewSignIn  PreviewScreen = "signin"
	PreviewSignUp  PreviewScreen = "signup"
	PreviewConsent PreviewScreen = "consent"
	PreviewError   PreviewScreen = "error"
	// PreviewMail is the e-mail with the code for a new account.
	PreviewMail PreviewScreen = "mail"
)

// Scheme is the colours of a screen, whatever the device is set to.
type Scheme = theme.Scheme

// The schemes.
const (
	SchemeAuto  = theme.SchemeAuto
	SchemeLight = theme.SchemeLight
	SchemeDark  = theme.SchemeDark
)

// Preview is the real screen, of the same components, with nothing on it that can be
// used: its fields take no focus, its forms are posted to no endpoint and its links lead
// nowhere. It is for an <iframe>, as wide as the device that it is to be seen on. It has
// no script, and needs no more of a content security policy than
//
//	default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'self';
//	form-action 'none'; base-uri 'none'; sandbox allow-same-origin
//
// A mail has its styles in it, and no stylesheet: it needs style-src 'unsafe-inline', and
// neither style-src 'self' nor allow-same-origin.
func Preview(v PreviewView) templ.Component {
	page, screens := v.previewed(v.Scheme), v.Screens.WithDefaults()
	form := Form{Action: nowhere, still: true}
	switch v.Screen {
	case PreviewConsent:
		return screens.Consent(ConsentView{
			Page: page, Form: form, Account: someone, Attributes: v.sampleAttributes(), Groups: v.Groups, AppsURL: nowhere,
		})
	case PreviewError:
		return screens.Error(ErrorView{Page: page, Code: ErrorExpired, RequestID: "0123456789ABCDEF", Time: page.Now, BackURL: nowhere})
	case PreviewSignUp:
		return screens.SignUp(SignUpView{Page: page, Form: form, MinLength: v.MinLength, SignInURL: nowhere})
	case PreviewMail:
		return v.mail()
	default:
		return screens.SignIn(SignInView{Page: page, Form: form, ResetURL: nowhere, SignUpURL: nowhere})
	}
}

// someone is who a preview is shown to. Domains of example are nobody's (RFC 2606).
var someone = Account{Name: "Ada Lovelace", Email: "ada@example.com"}

// mail is shown as programs for mail show it: they load no stylesheet.
func (v PreviewView) mail() templ.Component {
	return templ.Raw(Compose(MailView{
		Kind: MailSignUp, Locale: v.Locale, Brand: v.Brand, Theme: v.Theme, BaseURL: v.BaseURL, Code: "12345678", ValidFor: 15 * time.Minute,
		SignUpURL: v.BaseURL + "/signup", inert: true, scheme: v.Scheme,
	}).HTML)
}

func (v PreviewView) sampleAttributes() []ConsentAttribute {
	if len(v.Attributes) > 0 || len(v.Groups) > 0 {
		return v.Attributes
	}
	l := v.locale()
	return []ConsentAttribute{
		{Label: l.Word("Full name"), Phrase: l.Phrase("Full name"), Values: []string{someone.Name}},
		{Label: l.Word("Email"), Phrase: l.Phrase("Email"), Values: []string{someone.Email}},
	}
}

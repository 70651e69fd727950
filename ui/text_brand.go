package ui

type brandPreviewText struct {
	Heading, Text, Open                  Message
	Colors, Light, Dark                  Message
	Width, Phone, Desktop                Message
	SignIn, SignUp, Consent, Error, Mail Message
}

// screen is what a screen is called.
func (t brandPreviewText) screen(s PreviewScreen) Message {
	return map[PreviewScreen]Message{
		PreviewSignIn: t.SignIn, PreviewSignUp: t.SignUp, PreviewConsent: t.Consent, PreviewError: t.Error, PreviewMail: t.Mail,
	}[s]
}

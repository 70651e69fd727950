package ui

type brandPreviewText struct {
	Heading, Text, Open                  message
	Colors, Light, Dark                  message
	Width, Phone, Desktop                message
	SignIn, SignUp, Consent, Error, Mail message
}

// screen is what a screen is called.
func (t brandPreviewText) screen(s PreviewScreen) message {
	return map[PreviewScreen]message{
		PreviewSignIn: t.SignIn, PreviewSignUp: t.SignUp, PreviewConsent: t.Consent, PreviewError: t.Error, PreviewMail: t.Mail,
	}[s]
}

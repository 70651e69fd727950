package ui

import (
	"github.com/a-h/templ"
)

// brandPreviewOf has the frames that the gallery has. It has no mail, and in its frame another
// screen.
func brandPreviewOf(p Page, scheme Scheme, screens ...PreviewScreen) BrandPreviewView {
	v := BrandPreviewView{
		Page: p, Scheme: scheme, LightURL: "?scheme=light", DarkURL: "?scheme=dark",
		PhoneURL: "?width=phone", DesktopURL: "?width=desktop",
	}
	v.Client = Client{}
	for _, s := range screens {
		file := s
		if s == PreviewMail {
			file = PreviewError
		}
		v.Frames = append(v.Frames, PreviewFrame{s, "preview-" + string(file) + "-" + string(scheme) + ".html"})
	}
	return v
}

var brandPreviewFixtures = []fixture{
	{"brand-preview", func(p Page) templ.Component {
		return BrandPreview(brandPreviewOf(p, SchemeLight, PreviewSignIn, PreviewSignUp, PreviewConsent, PreviewError, PreviewMail))
	}},
	{"brand-preview-desktop", func(p Page) templ.Component {
		v := brandPreviewOf(p, SchemeDark, PreviewSignIn, PreviewConsent)
		v.Desktop, v.Sandbox, v.Languages = true, true, nil
		return BrandPreview(v)
	}},
	{"preview-signup-light", func(p Page) templ.Component {
		return Preview(PreviewView{Page: p, Screen: PreviewSignUp, Scheme: SchemeLight, MinLength: 8})
	}},
	{"preview-signup-dark", func(p Page) templ.Component {
		return Preview(PreviewView{Page: p, Screen: PreviewSignUp, Scheme: SchemeDark, MinLength: 8})
	}},
}

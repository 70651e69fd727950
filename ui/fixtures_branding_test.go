package ui

import (
	"strings"

	"github.com/a-h/templ"
)

// previewsOf are those that the gallery has.
func previewsOf() []DeveloperPreview {
	var all []DeveloperPreview
	for _, scheme := range []Scheme{SchemeLight, SchemeDark} {
		for _, screen := range []PreviewScreen{PreviewSignIn, PreviewConsent, PreviewError} {
			all = append(all, DeveloperPreview{Screen: screen, Scheme: scheme, URL: "preview-" + string(screen) + "-" + string(scheme) + ".html"})
		}
	}
	return append(all, DeveloperPreview{Screen: PreviewConsent, Scheme: SchemeLight, RightToLeft: true, URL: "preview-consent-light.html?lang=ar"})
}

func brandingOf(p Page, color string) DeveloperBrandingView {
	v := DeveloperBrandingView{
		DeveloperPage: applicationPage(p, SectionBranding), Form: sampleForm, Version: "v1", Name: "Shop",
		Pictures: []DeveloperPicture{{FieldLogo, "sample/client.svg"}, {FieldLogoDark, ""}, {FieldWordmark, "sample/client.svg"}, {FieldWordmarkDark, ""}},
		Color:    color, Previews: previewsOf(), MayChange: true,
	}
	v.Contrast, _ = p.Theme.Contrast(color)
	return v
}

var brandingFixtures = []fixture{
	{"developer-branding", func(p Page) templ.Component {
		v := brandingOf(p, "#ffd400")
		v.Draft, v.MayUndo = true, true
		v.Notice = DeveloperDraftSaved
		return DeveloperBranding(v)
	}},
	{"developer-branding-empty", func(p Page) templ.Component {
		v := brandingOf(p, "")
		v.Pictures = []DeveloperPicture{{FieldLogo, ""}, {FieldLogoDark, ""}, {FieldWordmark, ""}, {FieldWordmarkDark, ""}}
		return DeveloperBranding(v)
	}},
	{"developer-branding-wrong", func(p Page) templ.Component {
		v := brandingOf(p, "red")
		v.Form = with(Problem{Code: LogoSVG}, Problem{Code: LogoDamaged, Field: FieldWordmark}, Problem{Code: PictureAlone, Field: FieldWordmarkDark}, Problem{Code: ColorInvalid})
		return DeveloperBranding(v)
	}},
	{"developer-branding-viewer", func(p Page) templ.Component {
		v := brandingOf(p, "#14171c")
		v.DeveloperPage, v.MayChange = inProduction(v.DeveloperPage), false
		return DeveloperBranding(v)
	}},
	{"developer-branding-blue", func(p Page) templ.Component { return DeveloperBranding(brandingOf(p, "#0b5cff")) }},
}

// previewFixtures are every screen by day and by night, in a colour that needs an outline
// by day.
var previewFixtures = func() []fixture {
	var all []fixture
	for _, p := range previewsOf() {
		if p.RightToLeft { // the same in another language, which is among the others
			continue
		}
		all = append(all, fixture{strings.TrimSuffix(p.URL, ".html"), func(page Page) templ.Component {
			page.ButtonColor = "#ffd400"
			return Preview(PreviewView{Page: page, Screen: p.Screen, Scheme: p.Scheme})
		}})
	}
	return all
}()

package developer

import (
	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// previewsOf are those that the gallery has.
func previewsOf() []Preview {
	var all []Preview
	for _, scheme := range []ui.Scheme{ui.SchemeLight, ui.SchemeDark} {
		for _, screen := range []ui.PreviewScreen{ui.PreviewSignIn, ui.PreviewConsent, ui.PreviewError} {
			all = append(all, Preview{Screen: screen, Scheme: scheme, URL: "preview-" + string(screen) + "-" + string(scheme) + ".html"})
		}
	}
	return append(all, Preview{Screen: ui.PreviewConsent, Scheme: ui.SchemeLight, RightToLeft: true, URL: "preview-consent-light.html?lang=ar"})
}

func brandingOf(p ui.Page, color string) BrandingView {
	v := BrandingView{
		Page: applicationPage(p, SectionBranding), Form: audiencetest.Form(), Version: "v1", Name: "Shop",
		Pictures: []Picture{{ui.FieldLogo, "sample/client.svg"}, {FieldLogoDark, ""}, {FieldWordmark, "sample/client.svg"}, {FieldWordmarkDark, ""}},
		Color:    color, Previews: previewsOf(), MayChange: true,
	}
	v.Contrast, _ = p.Theme.Contrast(color)
	return v
}

var brandingFixtures = []audiencetest.Fixture{
	{Name: "branding", Render: func(p ui.Page) templ.Component {
		v := brandingOf(p, "#ffd400")
		v.Draft, v.MayUndo = true, true
		v.Notice = NoticeDraftSaved
		return Branding(v)
	}},
	{Name: "branding-empty", Render: func(p ui.Page) templ.Component {
		v := brandingOf(p, "")
		v.Pictures = []Picture{{ui.FieldLogo, ""}, {FieldLogoDark, ""}, {FieldWordmark, ""}, {FieldWordmarkDark, ""}}
		return Branding(v)
	}},
	{Name: "branding-wrong", Render: func(p ui.Page) templ.Component {
		v := brandingOf(p, "red")
		v.Form = audiencetest.Form(ui.Problem{Code: ui.LogoSVG}, ui.Problem{Code: ui.LogoDamaged, Field: FieldWordmark}, ui.Problem{Code: ui.PictureAlone, Field: FieldWordmarkDark}, ui.Problem{Code: ui.ColorInvalid})
		return Branding(v)
	}},
	{Name: "branding-viewer", Render: func(p ui.Page) templ.Component {
		v := brandingOf(p, "#14171c")
		v.Page, v.MayChange = inProduction(v.Page), false
		return Branding(v)
	}},
	{Name: "branding-blue", Render: func(p ui.Page) templ.Component { return Branding(brandingOf(p, "#0b5cff")) }},
}

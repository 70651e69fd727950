package developer

import (
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

var (
	previewScreens = []ui.PreviewScreen{ui.PreviewSignIn, ui.PreviewConsent, ui.PreviewError}
	previewSchemes = []ui.Scheme{ui.SchemeLight, ui.SchemeDark}
)

// rightToLeft is the language of the preview of right-to-left text. It has its own
// parameter: that of the language switch would change the viewer's language.
const (
	previewLang = "lang"
	rightToLeft = "ar"
)

// previews returns the previews of a branding page at an address.
func previews(here string) []screens.Preview {
	var all []screens.Preview
	for _, scheme := range previewSchemes {
		for _, screen := range previewScreens {
			all = append(all, screens.Preview{
				Screen: screen, Scheme: scheme, URL: here + "/preview/" + string(screen) + "/" + string(scheme),
			})
		}
	}
	return append(all, screens.Preview{
		Screen: ui.PreviewConsent, Scheme: ui.SchemeLight, RightToLeft: true,
		URL: here + "/preview/" + string(ui.PreviewConsent) + "/" + string(ui.SchemeLight) + "?" + previewLang + "=" + rightToLeft,
	})
}

// showPreview shows a screen with the draft, or with a colour that is being chosen, for a
// frame of the branding page.
func (d *brandPages) showPreview(r *request) error {
	screen, scheme := ui.PreviewScreen(r.value("screen")), ui.Scheme(r.value("scheme"))
	if !slices.Contains(previewScreens, screen) || !slices.Contains(previewSchemes, scheme) {
		return provider.ErrScreenNotFound
	}
	b, err := d.branding(r)
	if err != nil {
		return err
	}
	chosen := b.current()
	if r.Request.URL.Query().Has(ui.FieldColor) {
		chosen.Color = r.asked(ui.FieldColor)
	}
	page := r.Page()
	page.Sandbox = d.provider(r.env).Rooms().Installation().Sandbox
	page.Client = ui.Client{
		Name: b.client.Name, TermsURL: b.client.TermsURL, PolicyURL: b.client.PolicyURL, Unreviewed: b.client.Unreviewed,
	}
	if len(b.client.RedirectURIs) > 0 {
		page.Client.Host = hostOf(b.client.RedirectURIs[0])
	}
	here := d.brandingPath(r)
	page.Client.Logo = ui.Picture{URL: chosen.pictureURL(here, ui.FieldLogo), DarkURL: chosen.pictureURL(here, screens.FieldLogoDark)}
	page.Client.Wordmark = ui.Picture{URL: chosen.pictureURL(here, screens.FieldWordmark), DarkURL: chosen.pictureURL(here, screens.FieldWordmarkDark)}
	if r.asked(previewLang) == rightToLeft {
		page.Locale = ui.MatchLocale(rightToLeft, "")
	}
	page.ButtonColor = chosen.Color
	r.Room().RenderPreview(ui.Preview(ui.PreviewView{Page: page, Screen: screen, Scheme: scheme}))
	return nil
}

// servePicture serves a picture of the draft to members: others see it once it is
// published.
func (d *brandPages) servePicture(r *request) error {
	b, err := d.branding(r)
	if err != nil {
		return err
	}
	current := b.current()
	content := current.picture(r.value("picture"))
	if content == nil {
		return provider.ErrScreenNotFound
	}
	return servePNG(r, *content)
}

func servePNG(r *request, content []byte) error {
	if len(content) == 0 {
		return provider.ErrScreenNotFound
	}
	h := r.Writer.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	r.Writer.WriteHeader(http.StatusOK)
	_, _ = r.Writer.Write(content)
	return nil
}

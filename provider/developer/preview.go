package developer

import (
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
)

var (
	previewScreens = []ui.PreviewScreen{ui.PreviewSignIn, ui.PreviewConsent, ui.PreviewError}
	previewSchemes = []ui.Scheme{ui.SchemeLight, ui.SchemeDark}
)

// showPreview shows a screen as it will be with the draft, or with a colour that is being
// chosen, for a frame of the branding page.
func (d *Dashboard) showPreview(r *request) error {
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
	page.Sandbox = d.provider(r.env).Installation().Sandbox
	page.Client = ui.Client{
		Name: b.client.Name, TermsURL: b.client.TermsURL, PolicyURL: b.client.PolicyURL, Unreviewed: b.client.Unreviewed,
	}
	if len(b.client.RedirectURIs) > 0 {
		page.Client.Host = hostOf(b.client.RedirectURIs[0])
	}
	if len(chosen.Logo) > 0 {
		page.Client.Logo.URL = d.brandingPath(r) + "/logo"
	}
	page.ButtonColor = chosen.Color
	r.RenderPreview(ui.Preview(ui.PreviewView{Page: page, Screen: screen, Scheme: scheme}))
	return nil
}

// serveLogo serves the logo of the draft to members: everybody else sees it when it is
// published.
func (d *Dashboard) serveLogo(r *request) error {
	b, err := d.branding(r)
	if err != nil {
		return err
	}
	return servePNG(r, b.current().Logo)
}

func servePNG(r *request, logo []byte) error {
	if len(logo) == 0 {
		return provider.ErrScreenNotFound
	}
	h := r.Writer.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	r.Writer.WriteHeader(http.StatusOK)
	_, _ = r.Writer.Write(logo)
	return nil
}

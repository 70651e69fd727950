package provider

import (
	"net/http"
	"net/url"

	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
)

// The parameters of a BrandPreview, beside the language.
const (
	previewScreen = "screen" // one of previewScreens; the page that frames them when missing
	previewScheme = "scheme" // a ui.Scheme
	previewWidth  = "width"

	widthPhone   = "phone"
	widthDesktop = "desktop"
)

var previewScreens = []ui.PreviewScreen{ui.PreviewSignIn, ui.PreviewSignUp, ui.PreviewConsent, ui.PreviewError, ui.PreviewMail}

// BrandPreview serves a page with the sign-in, sign-up, consent and error screens and an
// e-mail, as Config.Brand, Config.Screens and Config.Texts render them: in light and dark
// mode, at phone and desktop width, and in each language. It serves its frames as well;
// they are inert, and no other origin can frame them.
//
// The host mounts it like a Screen, at a path below that of Config.BaseURL without a page
// of the provider:
//
//	mux.Handle("/id/brand", idp.Pages().BrandPreview(isOperator))
//	mux.Handle("/id/", idp)
//
// allow is called for every request, including those for frames. If it returns false, the
// response is the error page for an unknown address. Nil allows nobody.
func (p Pages) BrandPreview(allow func(*http.Request) bool) http.Handler {
	show := p.Screen(showBrandPreview)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if !reads || allow == nil || !allow(r) {
			p.server.NotFound(w, r)
			return
		}
		show.ServeHTTP(w, r)
	})
}

func showBrandPreview(s *Screen) error {
	asked := s.Request.URL.Query()
	scheme := ui.SchemeLight
	switch ui.Scheme(asked.Get(previewScheme)) {
	case ui.SchemeAuto, ui.SchemeLight:
	case ui.SchemeDark:
		scheme = ui.SchemeDark
	default:
		return ErrScreenNotFound
	}
	if asked.Has(previewScreen) {
		return s.showBrandFrame(ui.PreviewScreen(asked.Get(previewScreen)), scheme)
	}
	s.Render(http.StatusOK, ui.BrandPreview(s.brandPreviewView(asked, scheme)))
	return nil
}

func (s *Screen) showBrandFrame(screen ui.PreviewScreen, scheme ui.Scheme) error {
	view := ui.PreviewView{
		Page: s.Page(), Screen: screen, Scheme: scheme,
		MinLength: s.provider.cfg.PasswordMinLength, BaseURL: s.site().BaseURL, Screens: s.site().Screens,
	}
	view.Client = ui.Client{Name: "Example Shop", Host: "shop.example"}
	switch screen {
	case ui.PreviewMail:
		s.RenderMailPreview(ui.Preview(view))
	case ui.PreviewSignIn, ui.PreviewSignUp, ui.PreviewConsent, ui.PreviewError:
		s.RenderPreview(ui.Preview(view))
	default:
		return ErrScreenNotFound
	}
	return nil
}

func (s *Screen) brandPreviewView(asked url.Values, scheme ui.Scheme) ui.BrandPreviewView {
	width := widthPhone
	if asked.Get(previewWidth) == widthDesktop {
		width = widthDesktop
	}
	// at is this page with other parameters. Without a chosen language it has none, because
	// a page remembers the language that its address names.
	at := func(parameters ...string) string {
		query := url.Values{}
		for i := 0; i < len(parameters); i += 2 {
			query.Set(parameters[i], parameters[i+1])
		}
		if lang := asked.Get(web.LanguageParameter); lang != "" {
			query.Set(web.LanguageParameter, lang)
		}
		return "?" + query.Encode()
	}
	view := ui.BrandPreviewView{
		Page: s.Page(), Scheme: scheme, Desktop: width == widthDesktop,
		LightURL:   at(previewScheme, string(ui.SchemeLight), previewWidth, width),
		DarkURL:    at(previewScheme, string(ui.SchemeDark), previewWidth, width),
		PhoneURL:   at(previewScheme, string(scheme), previewWidth, widthPhone),
		DesktopURL: at(previewScheme, string(scheme), previewWidth, widthDesktop),
	}
	for _, screen := range previewScreens {
		view.Frames = append(view.Frames, ui.PreviewFrame{
			Screen: screen, URL: at(previewScreen, string(screen), previewScheme, string(scheme)),
		})
	}
	return view
}

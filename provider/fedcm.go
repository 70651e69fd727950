package provider

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"image"
	"net/url"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/fedcm"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui/theme"
)

// FedCM is the sign-in by a dialog of the browser, from the sign-in button.
type FedCM struct {
	// On has the endpoints below /fedcm/, and a second cookie for each session, which they alone
	// read. It needs https, or a loopback host, and the embedded accounts.
	// Defaults to false.
	On bool `json:"on,omitempty"`
}

// validateFedCM returns an error for the first invalid field.
func (c Config) validateFedCM() error {
	if !c.FedCM.On {
		return nil
	}
	base, _ := url.Parse(c.BaseURL) // checked before
	switch {
	case !c.hasAccounts():
		return wrongField("FedCM.On", "needs the embedded accounts: the cookie of Users.SignedIn is the host's")
	case base.Scheme != "https" && !registry.IsLoopback(base.Hostname()):
		return wrongField("FedCM.On", "needs a BaseURL with https")
	}
	return nil
}

// secondCookie makes the second cookies of sessions; nil if there are none.
func (p *Provider) secondCookie() *session.SecondCookie {
	if !p.cfg.FedCM.On {
		return nil
	}
	return &session.SecondCookie{Secrets: p.secrets, Issuer: p.issuer}
}

// fedCMAccount names an account to browsers, by no name that anybody else knows.
func (p *rooms) fedCMAccount(userID string) string {
	digest := peopleRoom{People{p}}.Digest("fedcm account", userID)
	return hex.EncodeToString(digest[:16])
}

// fedCMRoutes are the routes for the requests of browsers; none where they are off.
func (p *Provider) fedCMRoutes(look look) []web.Route {
	if !p.cfg.FedCM.On {
		return nil
	}
	color := cmp.Or(p.cfg.Brand.ButtonColor, theme.DefaultButtonColor)
	brand := fedcm.Brand{Name: p.cfg.Brand.name(), BackgroundColor: color, Color: theme.LabelColor(color)}
	// Browsers take no SVG, such as the mark of this product, and nothing that is small or not square.
	logo, _, err := image.DecodeConfig(bytes.NewReader(look.pictures.Logo))
	if err == nil && logo.Width == logo.Height && logo.Width >= 40 {
		origin := p.pages.Site.Base.Scheme + "://" + p.pages.Site.Base.Host
		brand.Icons = []fedcm.Icon{{URL: origin + p.pages.Site.Brand.Logo.URL, Size: logo.Width}}
	}
	return (&fedcm.Pages{Pages: p.pages, AccountID: p.fedCMAccount, Brand: brand}).Routes()
}

package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/widget"
)

// brand is what New makes of Config.Brand, once.
type brand struct {
	logo     []byte
	logoName string
	assets   map[string]ui.Asset
}

func newBrand(b Brand) (brand, error) {
	made := brand{assets: map[string]ui.Asset{}}
	for _, a := range ui.Assets() {
		made.assets[a.Name] = a
	}
	if len(b.Logo) == 0 {
		return made, nil
	}
	png, err := toPNG(b.Logo)
	if err != nil {
		return brand{}, fmt.Errorf("Logo: %w", err)
	}
	sum := sha256.Sum256(png)
	made.logo, made.logoName = png, "logo-"+hex.EncodeToString(sum[:8])+".png"
	return made, nil
}

// newButton returns the sign-in button for other people's pages, in our brand.
func newButton(cfg Config) (*widget.Widget, error) {
	return widget.New(widget.Brand{
		Name: cfg.Brand.Name, Color: cfg.Brand.ButtonColor, LabelColor: ui.LabelColor(cfg.Brand.ButtonColor),
	})
}

// ButtonScript tells where the script of the sign-in button is, with its value for
// Subresource Integrity, for documentation and sample code.
func (p *Provider) ButtonScript() widget.Script { return p.button.Script(p.cfg.BaseURL) }

func (p *Provider) brandLogoURL() string {
	if p.brand.logoName == "" {
		return ""
	}
	return p.link("/assets/" + p.brand.logoName)
}

// The stylesheet of a colour is found under a name that holds the colour, so that
// neither an inline style nor a table of clients is needed to serve it.
const (
	brandCSSPrefix = "brand-"
	brandCSSSuffix = ".css"
)

func (p *Provider) brandStylesheet(color string) string {
	return p.link("/assets/" + brandCSSPrefix + strings.ToLower(strings.TrimPrefix(color, "#")) + brandCSSSuffix)
}

// serveAsset serves what screens load. Every name holds a digest or the content
// itself, so nothing ever changes under it.
func (p *Provider) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/assets/")
	if a, ok := p.brand.assets[name]; ok {
		p.serveImmutable(w, r, a.MediaType, a.Bytes)
		return
	}
	if name != "" && name == p.brand.logoName {
		p.serveImmutable(w, r, pngType, p.brand.logo)
		return
	}
	color, isBrand := strings.CutPrefix(name, brandCSSPrefix)
	color, isCSS := strings.CutSuffix(color, brandCSSSuffix)
	if isBrand && isCSS && isColor("#"+color) {
		if css, err := ui.BrandCSS("#" + color); err == nil {
			p.serveImmutable(w, r, "text/css; charset=utf-8", css)
			return
		}
	}
	p.fail(w, r, &pageError{status: http.StatusNotFound, code: ui.ErrorNotFound})
}

func (p *Provider) serveImmutable(w http.ResponseWriter, r *http.Request, mediaType string, content []byte) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		p.fail(w, r, &pageError{status: http.StatusMethodNotAllowed, code: ui.ErrorMethod})
		return
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	http.ServeContent(w, r, "", p.started, bytes.NewReader(content))
}

func (p *Provider) imageURL(digest storage.Digest) string {
	if digest.IsZero() {
		return ""
	}
	return p.link("/images/" + hex.EncodeToString(digest[:]) + ".png")
}

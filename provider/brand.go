package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/theme"
	"github.com/bonafide-id/bonafide/widget"
)

// Brand is the look of the service. Its pictures are PNG, JPEG, WebP or GIF of at most 512
// KiB and 2048 pixels a side. In JSON, files are base64.
type Brand struct {
	// Name is the name of the service, at most 64 bytes.
	// Defaults to "Bonafide".
	Name string `json:"name,omitempty"`

	// Code is the name of the service in code, such as AcmeID: of the button's functions, in
	// lower case of its events, in upper case of variables in sample code. 2 to 31 ASCII
	// letters and digits, a letter first.
	// Defaults to none, and for variables to the Name.
	Code string `json:"code,omitempty"`

	// Logo is a PNG, JPEG, WebP or GIF of at most 512 KiB and 2048 pixels a side (1024 with 16
	// bits a colour), kept as a PNG of at most 512. LogoDark replaces it in dark mode.
	// Defaults to the first letter of the name, or without a name the mark of Bonafide.
	Logo     []byte `json:"logo,omitempty"`
	LogoDark []byte `json:"logo_dark,omitempty"`

	// Wordmark is a wide picture with the name in it, which replaces logo and name at the
	// head of the screens. WordmarkDark replaces it in dark mode.
	// Defaults to none.
	Wordmark     []byte `json:"wordmark,omitempty"`
	WordmarkDark []byte `json:"wordmark_dark,omitempty"`

	// Favicon is the icon of the browser tab.
	// Defaults to the Logo, or the mark of Bonafide.
	Favicon []byte `json:"favicon,omitempty"`

	// Mark is the logo in one colour on the sign-in button: SVG path data in a box of 24 by 24,
	// filled by the even-odd rule, at most 1,000 bytes.
	// Defaults to a check mark.
	Mark string `json:"mark,omitempty"`

	// ButtonColor is #rrggbb, the colour of buttons, whose labels are black or white, whichever
	// is readable; links have a readable shade of it.
	// Defaults to #0b5cff.
	ButtonColor string `json:"button_color,omitempty"`

	// Theme is the other colours, and the shape of corners.
	// Defaults to those of Bonafide.
	Theme Theme `json:"theme,omitzero"`

	// Scheme is ui.SchemeLight or ui.SchemeDark for screens that ignore the device's
	// setting.
	// Defaults to both.
	Scheme ui.Scheme `json:"scheme,omitempty"`

	// Font is the font of all screens.
	// Defaults to the device's.
	Font Font `json:"font,omitzero"`

	// Background is a picture behind the screens. It shows where there is room around them,
	// dimmed in dark mode.
	// Defaults to none.
	Background []byte `json:"background,omitempty"`

	// Stylesheet is CSS of the host's own, at most 256 KiB. It comes last, overrides all other,
	// and can load only pictures and fonts of this origin. The markup of the screens may change
	// with every version.
	// Defaults to none.
	Stylesheet []byte `json:"stylesheet,omitempty"`

	// HomeURL, TermsURL, PolicyURL and HelpURL are links on the screens: addresses, or paths of
	// the host.
	// Defaults to none.
	HomeURL   string `json:"home_uri,omitempty"`
	TermsURL  string `json:"tos_uri,omitempty"`
	PolicyURL string `json:"policy_uri,omitempty"`
	HelpURL   string `json:"help_uri,omitempty"`

	// Links are further links at the foot of every screen, at most 8.
	// Defaults to none.
	Links []Link `json:"links,omitempty"`
}

// Theme is the colours of the screens in light and dark mode. Each that is empty is derived
// from the others. New refuses unreadable ones: text and links need a contrast of 4.5:1,
// the focus 3:1 (WCAG 2.2).
// Its fields: go doc ui/theme.Tokens
type Theme = theme.Tokens

// Palette is the colours of the screens in light or dark mode.
// Its fields: go doc ui/theme.Palette
type Palette = theme.Palette

// Font is a font of the screens, from files that the provider serves.
// Its fields: go doc ui/theme.Font
type Font = theme.Font

// Link is a link at the foot of every screen.
type Link struct {
	// Label is the text, at most 64 bytes, and Translations are by language tag.
	Label        string            `json:"label"`
	Translations map[string]string `json:"translations,omitempty"`

	// URL is an address, or a path of the host.
	URL string `json:"uri"`
}

// look is a Brand, ready to serve.
type look struct {
	pictures web.Pictures
	links    []web.Link
	theme    *theme.Theme
	button   *widget.Widget
}

// name returns the name of the service.
func (b Brand) name() string { return cmp.Or(b.Name, "Bonafide") }

// look prepares a brand to be served, or returns an error for its first invalid field.
func (b Brand) look(fedCM bool) (look, error) {
	var l look
	if err := b.validate(); err != nil {
		return l, err
	}
	var err error
	if l.pictures, err = b.pictures(); err != nil {
		return l, err
	}
	if l.theme, err = b.newTheme(); err != nil {
		return l, err
	}
	for _, link := range b.Links {
		l.links = append(l.links, web.Link{Label: link.Label, URL: link.URL, Translations: link.Translations})
	}
	l.button, err = b.newButton(fedCM)
	return l, err
}

const maxLinks = 8

func (b Brand) validate() error {
	if !isLabel(b.name()) {
		return wrongField("Brand.Name", "must be at most 64 bytes of text that can be seen")
	}
	for _, f := range []struct{ name, value string }{
		{"HomeURL", b.HomeURL}, {"TermsURL", b.TermsURL}, {"PolicyURL", b.PolicyURL}, {"HelpURL", b.HelpURL},
	} {
		if f.value != "" && !web.IsLink(f.value) {
			return wrongField("Brand."+f.name, "%q is not an http address without a user name, or a path", f.value)
		}
	}
	if len(b.Links) > maxLinks {
		return wrongField("Brand.Links", "are more than %d", maxLinks)
	}
	for i, link := range b.Links {
		at := fmt.Sprintf("Brand.Links[%d]", i)
		if !web.IsLink(link.URL) {
			return wrongField(at+".URL", "%q is not an http address without a user name, or a path", link.URL)
		}
		if !isLabel(link.Label) {
			return wrongField(at+".Label", "must be at most 64 bytes of text that can be seen")
		}
		for lang, label := range link.Translations {
			if !isLabel(label) {
				return wrongField(at+".Translations", "%s: must be at most 64 bytes of text that can be seen", lang)
			}
		}
	}
	return nil
}

func isLabel(s string) bool { return len(s) <= 64 && web.IsVisible(s) && web.IsPlainText(s) }

// pictures redraws the pictures.
func (b Brand) pictures() (web.Pictures, error) {
	drawn := web.Pictures{Own: b.Name == ""}
	for _, p := range []struct {
		field   string
		raw, by []byte // by is the picture that raw replaces
		to      *[]byte
	}{
		{"Logo", b.Logo, b.Logo, &drawn.Logo}, {"LogoDark", b.LogoDark, b.Logo, &drawn.LogoDark},
		{"Wordmark", b.Wordmark, b.Wordmark, &drawn.Wordmark}, {"WordmarkDark", b.WordmarkDark, b.Wordmark, &drawn.WordmarkDark},
		{"Favicon", b.Favicon, b.Favicon, &drawn.Favicon},
	} {
		if len(p.raw) == 0 {
			continue
		}
		if len(p.by) == 0 {
			return drawn, wrongField("Brand."+p.field, "takes the place of a picture for the day, which is missing")
		}
		var err error
		if *p.to, _, err = picture.ToPNG(context.Background(), p.raw); err != nil {
			return drawn, &FieldError{"Brand." + p.field, err}
		}
	}
	return drawn, nil
}

// newTheme returns the look of the screens.
func (b Brand) newTheme() (*theme.Theme, error) {
	cfg := theme.Config{Theme: b.Theme, ButtonColor: b.ButtonColor, Scheme: b.Scheme, Font: b.Font, Stylesheet: b.Stylesheet}
	if len(b.Background) > 0 {
		content, mediaType, err := picture.Redraw(context.Background(), b.Background)
		if err != nil {
			return nil, &FieldError{"Brand.Background", err}
		}
		cfg.Background = theme.Asset{MediaType: mediaType, Bytes: content}
	}
	made, err := theme.New(cfg)
	var wrong *theme.Error
	if errors.As(err, &wrong) {
		return nil, &FieldError{"Brand." + wrong.Field, wrong.Err}
	}
	return made, err
}

// newButton returns the sign-in button for other people's pages.
func (b Brand) newButton(fedCM bool) (*widget.Widget, error) {
	color := cmp.Or(b.ButtonColor, theme.DefaultButtonColor)
	brand := widget.Brand{Name: b.name(), Color: color, LabelColor: theme.LabelColor(color), FedCM: fedCM}
	if _, err := widget.New(brand); err != nil {
		return nil, &FieldError{"Brand.Name", err} // the colour has been checked
	}
	brand.Code = b.Code
	if _, err := widget.New(brand); err != nil {
		return nil, &FieldError{"Brand.Code", err}
	}
	brand.Mark = b.Mark
	button, err := widget.New(brand)
	if err != nil {
		return nil, &FieldError{"Brand.Mark", err}
	}
	return button, nil
}

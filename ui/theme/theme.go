package theme

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Scheme is the colours of a screen: by day, by night, or as the device is set.
type Scheme string

// The schemes.
const (
	SchemeAuto  Scheme = ""
	SchemeLight Scheme = "light"
	SchemeDark  Scheme = "dark"
)

// Asset is a static file that screens load.
type Asset struct {
	// Name is the file's name with a digest of its content, so that it may be
	// cached for ever.
	Name string
	// MediaType is the value for the Content-Type header.
	MediaType string
	// Bytes is the content, which must not be changed.
	Bytes []byte
}

const cssType = "text/css; charset=utf-8"

// Config is what a host chooses. What is wrong with it is an [Error].
type Config struct {
	// Theme is the colours and corners.
	Theme Tokens

	// ButtonColor is #rrggbb.
	// Defaults to #0b5cff.
	ButtonColor string

	// Scheme has the screens light or dark, whatever the device is set to.
	// Defaults to the device's.
	Scheme Scheme

	// Font is that of all text.
	// Defaults to the device's.
	Font Font

	// Background is a picture behind the card on wide screens, which has been decoded
	// before; its Name does not matter.
	// Defaults to none.
	Background Asset

	// Stylesheet comes last, so that it wins over every rule of the screens.
	// Defaults to none.
	Stylesheet []byte
}

// Theme is the look of the screens of a service. A nil Theme is that of a Config without
// anything. It is safe for concurrent use.
type Theme struct {
	scheme      Scheme
	light, dark colors
	// given are the palettes that the host chose, for the colours of applications.
	given [2]chosen
	// radius is in pixels.
	radius float64

	own, last string
	files     map[string]Asset
	id        string
	served    bool // whether the browser has to load a font of ours
}

// New returns a theme. Its error is an [Error].
func New(cfg Config) (*Theme, error) {
	t := &Theme{scheme: cfg.Scheme, files: map[string]Asset{}}
	if cfg.Scheme != SchemeAuto && cfg.Scheme != SchemeLight && cfg.Scheme != SchemeDark {
		return nil, &Error{"Scheme", fmt.Errorf("%q is neither light nor dark", cfg.Scheme)}
	}
	if err := t.paint(cfg); err != nil {
		return nil, err
	}
	radius, err := t.parseRadius(cfg.Theme.Radius)
	if err != nil {
		return nil, &Error{"Theme.Radius", err}
	}
	if err := t.addStylesheet(cfg.Stylesheet); err != nil {
		return nil, &Error{"Stylesheet", err}
	}
	face, err := t.addFont(cfg.Font)
	if err != nil {
		return nil, err
	}
	css := t.palettes(cfg) + radius + face + t.addBackground(cfg.Background)
	sum := sha256.Sum256([]byte(css + t.buttonCSS(ownButton)))
	t.id = hex.EncodeToString(sum[:6])
	if css != "" {
		t.own = t.add("theme", "css", cssType, []byte(css))
	}
	return t, nil
}

var own = sync.OnceValue(func() *Theme {
	t, err := New(Config{})
	if err != nil {
		panic(err) // there is nothing that could be wrong
	}
	return t
})

func (t *Theme) orDefault() *Theme {
	if t == nil {
		return own()
	}
	return t
}

// paint derives both palettes. Of a theme with one scheme only that one counts.
func (t *Theme) paint(cfg Config) error {
	var brand *Color
	if cfg.ButtonColor != "" {
		c, err := ParseColor(cfg.ButtonColor)
		if err != nil {
			return &Error{"ButtonColor", err}
		}
		brand = &c
	}
	for i, p := range []struct {
		name    string
		palette Palette
		own     colors
		to      *colors
		scheme  Scheme
	}{{"Light", cfg.Theme.Light, day, &t.light, SchemeLight}, {"Dark", cfg.Theme.Dark, night, &t.dark, SchemeDark}} {
		var wrong *Error
		var err error
		*p.to, err = resolve(p.palette, p.own, brand)
		if errors.As(err, &wrong) {
			return &Error{"Theme." + p.name + "." + wrong.Field, wrong.Err}
		}
		if t.given[i], err = p.palette.chosen(); err != nil {
			return err
		}
	}
	switch t.scheme {
	case SchemeLight:
		t.dark, t.given[1] = t.light, t.given[0]
	case SchemeDark:
		t.light, t.given[0] = t.dark, t.given[1]
	}
	return nil
}

var radius = regexp.MustCompile(`^(0|[0-9]{1,2}(\.[0-9]{1,4})?(px|rem))$`)

// ownRadius is what the stylesheet of all screens has, in pixels.
const ownRadius = 12

// parseRadius keeps the radius and returns the rule for corners.
func (t *Theme) parseRadius(s string) (string, error) {
	t.radius = ownRadius
	if s == "" {
		return "", nil
	}
	if !radius.MatchString(s) {
		return "", fmt.Errorf("%q is not of the form 0, 8px or 0.5rem", s)
	}
	number, isRem := strings.CutSuffix(strings.TrimSuffix(s, "px"), "rem")
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return "", err
	}
	if isRem {
		value *= 16
	}
	if value > 32 {
		return "", fmt.Errorf("%q is more than 32px", s)
	}
	if t.radius = value; value == 0 {
		s = "0px" // calc needs a unit
	}
	return inTokens("  --radius: " + s + ";\n"), nil
}

// maxStylesheet is generous: the stylesheet of all screens has a tenth of it.
const maxStylesheet = 256 << 10

func (t *Theme) addStylesheet(css []byte) error {
	switch {
	case len(css) > maxStylesheet:
		return errors.New("is larger than 256 KiB")
	case !utf8.Valid(css):
		return errors.New("is not text in UTF-8")
	case len(css) > 0:
		t.last = t.add("host", "css", cssType, css)
	}
	return nil
}

// add keeps a file and returns its name.
func (t *Theme) add(stem, ext, mediaType string, content []byte) string {
	sum := sha256.Sum256(content)
	name := fmt.Sprintf("%s.%s.%s", stem, hex.EncodeToString(sum[:6]), ext)
	t.files[name] = Asset{Name: name, MediaType: mediaType, Bytes: content}
	return name
}

// Scheme returns whether the screens are light or dark whatever the device is set to.
func (t *Theme) Scheme() Scheme { return t.orDefault().scheme }

// HasFont reports whether the screens load a font, which a content security policy has to
// allow (font-src).
func (t *Theme) HasFont() bool { return t.orDefault().served }

// Surfaces returns what pictures are shown on by day and by night.
func (t *Theme) Surfaces() (light, dark Color) {
	t = t.orDefault()
	return t.light.surface, t.dark.surface
}

// Stylesheets returns the names of what a page loads after the stylesheet of all screens,
// in this order: the theme, the colour of an application where it has one (#rrggbb), and
// the host's own.
func (t *Theme) Stylesheets(button string) []string {
	t = t.orDefault()
	var names []string
	for _, name := range []string{t.own, t.buttonName(button), t.last} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Asset returns the file with a name that [Theme.Stylesheets] returns, or that one of them
// loads; false for every other name.
func (t *Theme) Asset(name string) (Asset, bool) {
	t = t.orDefault()
	if a, ok := t.files[name]; ok {
		return a, true
	}
	return t.buttonAsset(name)
}

// Assets returns the files of the theme, without those of applications.
func (t *Theme) Assets() []Asset {
	t = t.orDefault()
	all := make([]Asset, 0, len(t.files))
	for _, a := range t.files {
		all = append(all, a)
	}
	return all
}

// The stylesheet of an application has a name that holds the colour, so that no table of
// applications is needed to serve it, and the theme that it is made for.
const (
	buttonPrefix = "button-"
	buttonSuffix = ".css"
)

func (t *Theme) buttonName(button string) string {
	c, err := ParseColor(button)
	if err != nil {
		return ""
	}
	return buttonPrefix + strings.TrimPrefix(c.String(), "#") + "." + t.id + buttonSuffix
}

func (t *Theme) buttonAsset(name string) (Asset, bool) {
	color, _, _ := strings.Cut(strings.TrimPrefix(name, buttonPrefix), ".")
	if t.buttonName("#"+color) != name || name == "" {
		return Asset{}, false
	}
	return Asset{Name: name, MediaType: cssType, Bytes: []byte(t.buttonCSS(mustColor("#" + color)))}, true
}

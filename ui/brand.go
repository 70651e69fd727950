package ui

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// The surfaces that buttons stand on. The stylesheet has the same.
var (
	surfaceLight = rgb{0xff, 0xff, 0xff}
	surfaceDark  = rgb{0x17, 0x1a, 0x20}
)

var (
	black = rgb{0, 0, 0}
	white = rgb{0xff, 0xff, 0xff}
)

var hexColor = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// BrandCSS returns a stylesheet that gives the buttons of the screens a
// colour, written "#rrggbb"; anything else is an error. The label becomes
// black or white, whichever is easier to read, and so has a contrast of at
// least 4.58:1 on every colour. The shades for hovering and pressing are
// derived. A button that would hardly stand out from the screen, by day or by
// night, gets an outline there; one that would look like a button without a
// colour, as black by night does, is drawn there in the colour of its label,
// with a label in its own. [ContrastOf] measures it. The stylesheet goes into
// [Page.BrandStylesheet].
func BrandCSS(button string) ([]byte, error) {
	c, err := colorFrom(button)
	if err != nil {
		return nil, err
	}
	day, night := c.on(surfaceLight, black), c.on(surfaceDark, white)
	return fmt.Appendf(nil, ":root {\n"+
		"  --brand: %s;\n  --brand-label: %s;\n  --brand-hover: %s;\n  --brand-active: %s;\n"+
		"  --brand-outline: light-dark(%s, %s);\n}\n",
		either(day.fill, night.fill), either(day.label, night.label), either(day.hover, night.hover),
		either(day.active, night.active), day.outline, night.outline), nil
}

// buttonColors are those of a button on one surface.
type buttonColors struct {
	fill, label, hover, active rgb
	outline                    string
}

// on returns how a button of this colour is drawn on a surface.
func (c rgb) on(surface, ink rgb) buttonColors {
	fill, label, hover, active := c, c.label(), 1.15, 1.35
	if c.isLost(surface) {
		fill, label = label, fill
		hover, active = 1.1, 1.2 // towards the label, which has to stay readable
	}
	return buttonColors{fill, label, fill.shade(label, hover), fill.shade(label, active), fill.outline(surface, ink)}
}

// How far a colour is from the surface, and from grey, that it does not look like the
// surface with a line around it.
const (
	minFillContrast = 1.25
	minChroma       = 0x40
)

// isLost reports whether a button of this colour would look as one that is only outlined,
// and so as the other choice: it hardly stands out, and no colour tells it apart.
func (c rgb) isLost(surface rgb) bool {
	chroma := max(c[0], c[1], c[2]) - min(c[0], c[1], c[2])
	found := contrast(c, surface)
	return found < minFillContrast || found < minOutlineContrast && chroma < minChroma
}

// either is a colour by day and one by night.
func either(day, night rgb) string {
	if day == night {
		return day.String()
	}
	return fmt.Sprintf("light-dark(%s, %s)", day, night)
}

// The stylesheet of a colour has a name that holds the colour, so that it can be
// served to whoever asks for it, and cached for ever.
const (
	brandAssetPrefix = "brand-"
	brandAssetSuffix = ".css"
)

// BrandAssetName returns the name of the stylesheet of a colour, of which
// [BrandAsset] is the file. Like [Assets] it is to be served at [Page.AssetPath]
// followed by its name. What is not of the form #rrggbb returns the empty string.
func BrandAssetName(button string) string {
	c, err := colorFrom(button)
	if err != nil {
		return ""
	}
	return brandAssetPrefix + strings.TrimPrefix(c.String(), "#") + brandAssetSuffix
}

// BrandAsset returns the stylesheet with a name that [BrandAssetName] returns, and
// false for every other name.
func BrandAsset(name string) (Asset, bool) {
	color := strings.TrimSuffix(strings.TrimPrefix(name, brandAssetPrefix), brandAssetSuffix)
	css, err := BrandCSS("#" + color)
	if err != nil || BrandAssetName("#"+color) != name {
		return Asset{}, false
	}
	return Asset{Name: name, MediaType: mediaTypes["css"], Bytes: css}, true
}

// LabelColor returns black or white, "#000000" or "#ffffff", whichever is easier to
// read on a button of this colour; black when the colour is not of the form #rrggbb.
func LabelColor(button string) string {
	c, err := colorFrom(button)
	if err != nil {
		return black.String()
	}
	return c.label().String()
}

// rgb is a colour of the sRGB space.
type rgb [3]uint8

// colorFrom reads a colour that somebody chose.
func colorFrom(s string) (rgb, error) {
	if !hexColor.MatchString(s) {
		return rgb{}, fmt.Errorf("color %q is not of the form #rrggbb", s)
	}
	return parseColor(s), nil
}

// parseColor reads what hexColor matches.
func parseColor(s string) rgb {
	n, err := strconv.ParseUint(s[1:], 16, 24)
	if err != nil {
		panic(err)
	}
	return rgb{uint8(n >> 16), uint8(n >> 8), uint8(n)}
}

func (c rgb) String() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

// luminance is the relative luminance that WCAG 2.2 defines.
func (c rgb) luminance() float64 {
	linear := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

// contrast is the contrast ratio that WCAG 2.2 defines, from 1 to 21.
func contrast(a, b rgb) float64 {
	la, lb := a.luminance(), b.luminance()
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// label returns black or white, whichever is easier to read on c.
func (c rgb) label() rgb {
	if contrast(c, white) >= contrast(c, black) {
		return white
	}
	return black
}

// step is how finely a shade is searched for between two colours.
const step = 0.04

// mix returns the colour that lies the given part of the way to another.
func (c rgb) mix(to rgb, part float64) rgb {
	for i := range c {
		c[i] = uint8(math.Round(float64(c[i]) + (float64(to[i])-float64(c[i]))*part))
	}
	return c
}

// shade returns a colour that differs from c by the given contrast and keeps
// the label readable: away from the label where there is room, else towards it,
// where there is more than enough.
func (c rgb) shade(label rgb, difference float64) rgb {
	away := white
	if label.luminance() > c.luminance() {
		away = black
	}
	for _, to := range []rgb{away, label} {
		for part := step; part < 1; part += step {
			if s := c.mix(to, part); contrast(s, c) >= difference {
				return s
			}
		}
	}
	return c
}

// outline returns the colour of the line around a button on a surface: none
// when the button stands out by itself, else the first mixture with ink that
// does.
func (c rgb) outline(surface, ink rgb) string {
	if contrast(c, surface) >= minOutlineContrast {
		return "transparent"
	}
	for part := step; part < 1; part += step {
		if line := c.mix(ink, part); contrast(line, surface) >= minOutlineContrast {
			return line.String()
		}
	}
	return ink.String()
}

package theme

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// Color is a colour of the sRGB space.
type Color [3]uint8

var (
	black = Color{0, 0, 0}
	white = Color{0xff, 0xff, 0xff}
)

var hexColor = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// ParseColor reads a colour written #rrggbb; anything else is an error.
func ParseColor(s string) (Color, error) {
	if !hexColor.MatchString(s) {
		return Color{}, fmt.Errorf("%q is not of the form #rrggbb", s)
	}
	n, err := strconv.ParseUint(s[1:], 16, 24)
	if err != nil {
		return Color{}, err
	}
	return Color{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
}

// mustColor reads a colour of this package.
func mustColor(s string) Color {
	c, err := ParseColor(s)
	if err != nil {
		panic(err)
	}
	return c
}

// String returns the colour as #rrggbb.
func (c Color) String() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

// Luminance is the relative luminance that WCAG 2.2 defines, from 0 to 1.
func (c Color) Luminance() float64 {
	linear := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

// Contrast is the contrast ratio to another colour that WCAG 2.2 defines, from 1 to 21.
func (c Color) Contrast(to Color) float64 {
	a, b := c.Luminance(), to.Luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// Label returns black or white, whichever is easier to read on c. The contrast is at least
// 4.58 on every colour.
func (c Color) Label() Color {
	if c.Contrast(white) >= c.Contrast(black) {
		return white
	}
	return black
}

// LabelColor is Label for a colour written #rrggbb; black for anything else.
func LabelColor(s string) string {
	c, err := ParseColor(s)
	if err != nil {
		return black.String()
	}
	return c.Label().String()
}

// step is how finely a colour is searched for between two others.
const step = 0.04

// mix returns the colour that lies the given part of the way to another.
func (c Color) mix(to Color, part float64) Color {
	for i := range c {
		c[i] = uint8(math.Round(float64(c[i]) + (float64(to[i])-float64(c[i]))*part))
	}
	return c
}

// stands reports whether a colour has a contrast to all of others.
func (c Color) stands(least float64, others ...Color) bool {
	return !slices.ContainsFunc(others, func(other Color) bool { return c.Contrast(other) < least })
}

// reach returns the first colour on the way to ink that has a contrast to all of others, or
// ink.
func (c Color) reach(ink Color, least float64, others ...Color) Color {
	for part := 0.0; part < 1; part += step {
		if found := c.mix(ink, part); found.stands(least, others...) {
			return found
		}
	}
	return ink
}

// under returns a colour that lies at most the given part of the way to tone, and that
// everything which stands on it can still be read on.
func (c Color) under(tone Color, part float64, fronts ...Color) Color {
	for ; part > 0; part -= 0.01 {
		if back := c.mix(tone, part); back.stands(minText, fronts...) {
			return back
		}
	}
	return c
}

// shade returns a colour that differs from c by the given contrast, or as much of it as keeps
// the label readable: away from the label where there is room, else towards it, where there
// is more than enough.
func (c Color) shade(label Color, difference float64) Color {
	away := white
	if label.Luminance() > c.Luminance() {
		away = black
	}
	best := c
	for _, to := range []Color{away, label} {
		for part := step; part < 1; part += step {
			s := c.mix(to, part)
			if s.Contrast(label) < minText {
				break
			}
			best = s
			if s.Contrast(c) >= difference {
				return s
			}
		}
	}
	return best
}

// chroma is how far a colour is from grey, from 0 to 255.
func (c Color) chroma() uint8 { return max(c[0], c[1], c[2]) - min(c[0], c[1], c[2]) }

// isGrey reports whether a colour has hardly a hue, so that what is derived from it would
// be a grey that nobody chose.
func (c Color) isGrey() bool { return c.chroma() < 0x18 }

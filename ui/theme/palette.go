package theme

import (
	"fmt"
	"math"
)

// Palette is the colours of the screens by day or by night, each #rrggbb. One that is left
// out is derived from the others, or is the default's when none is given.
type Palette struct {
	// Page is behind everything, Surface what text and fields are on.
	Page    string `json:"page,omitempty"`
	Surface string `json:"surface,omitempty"`

	// Text and SoftText have a contrast of at least 4.5:1 to Page and Surface.
	Text     string `json:"text,omitempty"`
	SoftText string `json:"soft_text,omitempty"`

	// Link has a contrast of at least 4.5:1 to Surface, and Focus, the ring, of 3:1 to Page and
	// Surface.
	// Defaults to the colour of buttons, or a shade of it with that contrast.
	Link  string `json:"link,omitempty"`
	Focus string `json:"focus,omitempty"`

	// Button is that of the main buttons. The label becomes black or white.
	// Defaults to that of the brand.
	Button string `json:"button,omitempty"`

	// Line is between rows and around cards.
	Line string `json:"line,omitempty"`
}

// Tokens are the colours and shapes of the screens.
type Tokens struct {
	// Light and Dark are the colours by day and by night.
	Light Palette `json:"light,omitzero"`
	Dark  Palette `json:"dark,omitzero"`

	// Radius is that of the corners of fields and buttons, such as 0, 8px or 0.5rem, at
	// most 32px. Those of cards are larger, those of what is inside smaller.
	// Defaults to 0.75rem.
	Radius string `json:"radius,omitempty"`
}

// Error is what is wrong with a field.
type Error struct {
	// Field is its path from the Config, such as Theme.Light.SoftText.
	Field string
	Err   error
}

// Error implements error.
func (e *Error) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// chosen are the colours of a Palette by the name of the field; what is left out is not in
// it.
type chosen map[string]Color

func (p Palette) chosen() (chosen, error) {
	all := chosen{}
	for _, f := range []struct{ name, value string }{
		{"Page", p.Page}, {"Surface", p.Surface}, {"Text", p.Text}, {"SoftText", p.SoftText},
		{"Link", p.Link}, {"Focus", p.Focus}, {"Button", p.Button}, {"Line", p.Line},
	} {
		if f.value == "" {
			continue
		}
		c, err := ParseColor(f.value)
		if err != nil {
			return nil, &Error{f.name, err}
		}
		all[f.name] = c
	}
	return all, nil
}

// or returns the colour of a field, or another when it is left out.
func (c chosen) or(name string, other Color) Color {
	if color, ok := c[name]; ok {
		return color
	}
	return other
}

// has reports whether one of these fields is given.
func (c chosen) has(names ...string) bool {
	for _, name := range names {
		if _, ok := c[name]; ok {
			return true
		}
	}
	return false
}

// checkContrast names the first field of those that are given that cannot be read or found.
func (c chosen) checkContrast(r colors) error {
	for _, pair := range []struct {
		front, said string
		color       Color
		least       float64
		backs       []string
	}{
		{"Text", "text", r.ink, minText, []string{"Surface", "Page"}},
		{"SoftText", "soft text", r.soft, minText, []string{"Surface", "Page"}},
		{"Link", "links", r.link, minText, []string{"Surface"}},
		{"Focus", "focus", r.focus, minFound, []string{"Surface", "Page"}},
	} {
		for _, back := range pair.backs {
			behind, called := r.surface, "surface"
			if back == "Page" {
				behind, called = r.page, "page"
			}
			ratio := pair.color.Contrast(behind)
			if ratio >= pair.least {
				continue
			}
			wrong, color, other := pair.front, pair.color, fmt.Sprintf("%s %s", called, behind)
			if !c.has(pair.front) {
				wrong, color, other = back, behind, fmt.Sprintf("%s %s", pair.said, pair.color)
			}
			return &Error{wrong, fmt.Errorf("%s has a contrast of %s:1 to the %s, and needs %v:1", color, cutOff(ratio), other, pair.least)}
		}
	}
	return nil
}

// cutOff writes a ratio, never rounded up: 4.49 does not reach 4.5.
func cutOff(ratio float64) string { return fmt.Sprintf("%.1f", math.Floor(ratio*10)/10) }

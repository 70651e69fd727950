package ui

// Contrast is how easily a button is read and found, measured as WCAG 2.2 does:
// ratios from 1, which nobody can see, to 21, black on white.
type Contrast struct {
	// LabelColor is black or white, "#000000" or "#ffffff", and Label its
	// contrast to the button. It is at least 4.58 on every colour.
	LabelColor string
	Label      float64
	// Light and Dark are the contrast of the button to the screen it stands
	// on, by day and by night.
	Light, Dark float64
	// ExchangedLight and ExchangedDark report whether [BrandCSS] exchanges the
	// colours of button and label there, because the button would look like one
	// without a colour.
	ExchangedLight, ExchangedDark bool
}

// The least contrasts of WCAG 2.2: 1.4.3 and, for its level AAA, 1.4.6 for the
// label of a button; 1.4.11 for its outline.
const (
	minTextContrast    = 4.5
	minTextContrastAAA = 7
	minOutlineContrast = 3
)

// ContrastOf measures a colour for buttons, written "#rrggbb"; anything else is
// an error.
func ContrastOf(button string) (Contrast, error) {
	c, err := colorFrom(button)
	if err != nil {
		return Contrast{}, err
	}
	label := c.label()
	return Contrast{
		LabelColor: label.String(), Label: contrast(c, label),
		Light: contrast(c, surfaceLight), Dark: contrast(c, surfaceDark),
		ExchangedLight: c.isLost(surfaceLight), ExchangedDark: c.isLost(surfaceDark),
	}, nil
}

// Grade is the level of WCAG 2.2 that the label reaches: "AAA", "AA" or "".
func (c Contrast) Grade() string {
	switch {
	case c.Label >= minTextContrastAAA:
		return "AAA"
	case c.Label >= minTextContrast:
		return "AA"
	default:
		return ""
	}
}

// OutlinedLight and OutlinedDark report whether [BrandCSS] draws a line around
// the button, by day and by night, because it would hardly stand out from the
// screen.
func (c Contrast) OutlinedLight() bool { return c.Light < minOutlineContrast && !c.ExchangedLight }

// OutlinedDark is OutlinedLight by night.
func (c Contrast) OutlinedDark() bool { return c.Dark < minOutlineContrast && !c.ExchangedDark }

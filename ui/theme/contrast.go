package theme

// The least contrasts of WCAG 2.2: 1.4.3 and, for its level AAA, 1.4.6 for text; 1.4.11 for
// what has to be found.
const (
	minText    = 4.5
	minTextAAA = 7
	minFound   = 3
)

// Contrast is how easily a button is read and found, measured as WCAG 2.2 does: ratios from
// 1, which nobody can see, to 21, black on white.
type Contrast struct {
	// LabelColor is black or white, "#000000" or "#ffffff", and Label its
	// contrast to the button. It is at least 4.58 on every colour.
	LabelColor string
	Label      float64
	// Light and Dark are the contrast of the button to the surface it stands
	// on, by day and by night.
	Light, Dark float64
	// ExchangedLight and ExchangedDark report whether the colours of button and label
	// are exchanged there, because the button would look like one without a colour.
	ExchangedLight, ExchangedDark bool
}

// Contrast measures a colour for buttons, written "#rrggbb"; anything else is an error.
func (t *Theme) Contrast(button string) (Contrast, error) {
	c, err := ParseColor(button)
	if err != nil {
		return Contrast{}, err
	}
	t = t.orDefault()
	label := c.Label()
	return Contrast{
		LabelColor: label.String(), Label: c.Contrast(label),
		Light: c.Contrast(t.light.surface), Dark: c.Contrast(t.dark.surface),
		ExchangedLight: c.isLost(t.light.surface), ExchangedDark: c.isLost(t.dark.surface),
	}, nil
}

// Grade is the level of WCAG 2.2 that the label reaches: "AAA", "AA" or "".
func (c Contrast) Grade() string {
	switch {
	case c.Label >= minTextAAA:
		return "AAA"
	case c.Label >= minText:
		return "AA"
	default:
		return ""
	}
}

// OutlinedLight and OutlinedDark report whether a line is drawn around the button, by day
// and by night, because it would hardly stand out from the screen.
func (c Contrast) OutlinedLight() bool { return c.Light < minFound && !c.ExchangedLight }

// OutlinedDark is OutlinedLight by night.
func (c Contrast) OutlinedDark() bool { return c.Dark < minFound && !c.ExchangedDark }

package theme

// Colors are the colours of a document that cannot have the stylesheets, such as an e-mail,
// by day or by night, each #rrggbb. They have the contrasts that [Palette] names.
type Colors struct {
	// Page is behind everything, Surface what text is on, Sunken behind what stands out
	// in it, and Line around it.
	Page, Surface, Sunken, Line string
	Text, SoftText, Link        string
	// Button is the colour of the main button, ButtonLabel that of the words on it, and
	// ButtonOutline the line around it, which is that of the button where it needs none.
	Button, ButtonLabel, ButtonOutline string
}

// Colors returns the colours by day and by night.
func (t *Theme) Colors() (light, dark Colors) {
	t = t.orDefault()
	return t.light.named(), t.dark.named()
}

// Radius returns that of the corners of fields and buttons in pixels of CSS.
func (t *Theme) Radius() float64 { return t.orDefault().radius }

func (c colors) named() Colors {
	n := Colors{
		Page: c.page.String(), Surface: c.surface.String(), Sunken: c.sunken.String(), Line: c.line.String(),
		Text: c.ink.String(), SoftText: c.soft.String(), Link: c.link.String(),
		Button: c.button.fill.String(), ButtonLabel: c.button.label.String(), ButtonOutline: c.button.fill.String(),
	}
	if c.button.outline != nil {
		n.ButtonOutline = c.button.outline.String()
	}
	return n
}

package theme

// DefaultButtonColor is the colour of buttons where the host has chosen none.
const DefaultButtonColor = "#0b5cff"

var ownButton = mustColor(DefaultButtonColor)

// button is the colours of the main buttons on one surface.
type button struct {
	fill, label, hover, active Color
	// outline is the line around a button that would hardly stand out from the surface;
	// nil when it does.
	outline *Color
}

// newButton returns how a button of this colour is drawn on a surface. The label has a
// contrast of at least 4.5:1 to it in every state.
func newButton(fill, surface Color) button {
	label, hover, active := fill.Label(), 1.15, 1.35
	if fill.isLost(surface) {
		fill, label = label, fill
		hover, active = 1.1, 1.2 // towards the label, which has to stay readable
	}
	b := button{fill: fill, label: label, hover: fill.shade(label, hover), active: fill.shade(label, active)}
	if fill.Contrast(surface) < minFound {
		ink := surface.Label()
		line := fill.mix(ink, step).reach(ink, minFound, surface)
		b.outline = &line
	}
	return b
}

// How far a colour is from the surface, and from grey, that it does not look like the
// surface with a line around it.
const (
	minFill   = 1.25
	minChroma = 0x40
)

// isLost reports whether a button of this colour would look as one that is only outlined,
// and so as the other choice: it hardly stands out, and no colour tells it apart.
func (c Color) isLost(surface Color) bool {
	found := c.Contrast(surface)
	return found < minFill || found < minFound && c.chroma() < minChroma
}

// line returns the colour of the outline.
func (b button) line() string {
	if b.outline == nil {
		return "transparent"
	}
	return b.outline.String()
}

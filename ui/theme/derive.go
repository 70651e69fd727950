package theme

// colors are what the stylesheet knows by day or by night.
type colors struct {
	page, surface, sunken, line, edge, tint Color
	ink, soft                               Color
	link, focus, newBack                    Color
	good, goodBack, bad, badBack            Color
	warn, warnBack, danger, dangerHover     Color
	mark                                    Color
	button                                  button
}

// day and night are the service's own. The stylesheet has the same.
var (
	day = colors{
		page: mustColor("#f3f4f6"), surface: white, sunken: mustColor("#f7f8f9"),
		line: mustColor("#e3e6ea"), edge: mustColor("#858d99"), tint: mustColor("#e9ecf0"),
		ink: mustColor("#14171c"), soft: mustColor("#565e6a"),
		link: mustColor("#1f4fd0"), focus: mustColor("#1f4fd0"), newBack: mustColor("#e8eefd"),
		good: mustColor("#116240"), goodBack: mustColor("#e6f5ed"), bad: mustColor("#b0261d"), badBack: mustColor("#fdefed"),
		warn: mustColor("#7a4b00"), warnBack: mustColor("#fff5e1"), danger: mustColor("#b0261d"), dangerHover: mustColor("#951d15"),
	}
	night = colors{
		page: mustColor("#0e1014"), surface: mustColor("#171a20"), sunken: mustColor("#1e222a"),
		line: mustColor("#2c323c"), edge: mustColor("#6f7885"), tint: mustColor("#2a303a"),
		ink: mustColor("#f1f3f5"), soft: mustColor("#a6aeba"),
		link: mustColor("#93b4ff"), focus: mustColor("#93b4ff"), newBack: mustColor("#1c2740"),
		good: mustColor("#6ed6a2"), goodBack: mustColor("#12291f"), bad: mustColor("#ff9d93"), badBack: mustColor("#331917"),
		warn: mustColor("#f2c264"), warnBack: mustColor("#2e2413"), danger: mustColor("#c8382e"), dangerHover: mustColor("#b22d24"),
	}
)

// resolve derives what is left out of a palette. brand is the colour of buttons; nil when
// the host has chosen none.
func resolve(p Palette, own colors, brand *Color) (colors, error) {
	c, err := p.chosen()
	if err != nil {
		return colors{}, err
	}
	r := own
	if c.has("Page", "Surface", "Text", "SoftText", "Line") {
		r = ground(c, own)
	}
	fill := c.or("Button", ownButton)
	if brand != nil {
		fill = c.or("Button", *brand)
	}
	r.button, r.mark = newButton(fill, r.surface), fill
	if brand != nil || c.has("Button", "Page", "Surface") {
		r.link, r.focus = r.linkOf(fill), r.focusOf(fill)
	}
	r.link, r.focus = c.or("Link", r.link), c.or("Focus", r.focus)
	r.newBack = r.surface.under(r.link, 0.12, r.link)
	if r.surface == own.surface && r.link == own.link {
		r.newBack = own.newBack
	}
	return r, c.checkContrast(r)
}

// ground derives what text stands on, and the text.
func ground(c chosen, own colors) colors {
	r := own
	r.page, r.surface = grounds(c, own)
	r.ink = c.or("Text", inkOn(r.page, r.surface, own.ink))
	r.soft = c.or("SoftText", r.ink.mix(r.surface, 0.34).reach(r.ink, 5.5, r.page, r.surface))
	r.sunken = r.surface.under(r.ink, 0.03, r.ink, r.soft)
	r.tint = r.surface.under(r.ink, 0.09, r.ink, r.soft)
	r.line = c.or("Line", r.surface.mix(r.ink, 0.12))
	r.edge = r.line.reach(r.ink, minFound, r.surface)
	said := day
	if r.surface.Label() == white {
		said = night
	}
	r.danger, r.dangerHover = said.danger, said.dangerHover
	for _, s := range []struct{ front, back, from *Color }{
		{&r.good, &r.goodBack, &said.good}, {&r.bad, &r.badBack, &said.bad}, {&r.warn, &r.warnBack, &said.warn},
	} {
		*s.back = r.surface.under(*s.from, 0.1, r.ink, r.soft)
		*s.front = s.from.reach(r.ink, minText, r.surface, *s.back)
	}
	return r
}

// grounds returns the page and the surface on it.
func grounds(c chosen, own colors) (page, surface Color) {
	switch {
	case c.has("Page") && !c.has("Surface"):
		page, surface = c["Page"], white
		if page.Label() == white {
			surface = page.mix(white, 0.055)
		}
	case c.has("Surface") && !c.has("Page"):
		surface = c["Surface"]
		page = surface.mix(surface.Label(), 0.045)
	default:
		page, surface = c.or("Page", own.page), c.or("Surface", own.surface)
	}
	return page, surface
}

// inkOn returns the text of the service where it is easy to read, else the first that is.
func inkOn(page, surface, own Color) Color {
	for _, least := range []float64{minTextAAA, minText} {
		for _, ink := range []Color{own, day.ink, night.ink, surface.Label()} {
			if ink.stands(least, page, surface) {
				return ink
			}
		}
	}
	return own
}

// linkOf returns the colour of links beside buttons of this one.
func (r colors) linkOf(fill Color) Color {
	if fill.isGrey() {
		return r.ink
	}
	return fill.reach(r.surface.Label(), minText, r.surface, r.sunken)
}

// focusOf returns the colour of the ring beside buttons of this one.
func (r colors) focusOf(fill Color) Color {
	if fill.isGrey() {
		return r.ink
	}
	return fill.reach(r.surface.Label(), minFound, r.page, r.surface, r.sunken)
}

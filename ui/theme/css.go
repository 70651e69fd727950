package theme

import (
	"fmt"
	"strings"
)

// inTokens puts custom properties where those of the stylesheet of all screens are, so that
// they take their place and still give way to what a reader asks for, such as more contrast.
func inTokens(properties string) string {
	return "@layer tokens {\n:root {\n" + properties + "}\n}\n"
}

// palettes returns the colours as custom properties; nothing when they are the service's
// own.
func (t *Theme) palettes(cfg Config) string {
	if cfg.ButtonColor == "" && t.scheme == SchemeAuto && cfg.Theme.Light == (Palette{}) && cfg.Theme.Dark == (Palette{}) {
		return ""
	}
	var b strings.Builder
	if t.scheme != SchemeAuto {
		fmt.Fprintf(&b, "  color-scheme: %s;\n", t.scheme)
	}
	l, d := t.light, t.dark
	for _, p := range []struct {
		name        string
		light, dark Color
	}{
		{"page", l.page, d.page}, {"surface", l.surface, d.surface}, {"sunken", l.sunken, d.sunken},
		{"line", l.line, d.line}, {"edge", l.edge, d.edge}, {"tint", l.tint, d.tint},
		{"ink", l.ink, d.ink}, {"soft", l.soft, d.soft}, {"focus", l.focus, d.focus}, {"link", l.link, d.link}, {"new-back", l.newBack, d.newBack},
		{"good", l.good, d.good}, {"good-back", l.goodBack, d.goodBack}, {"bad", l.bad, d.bad}, {"bad-back", l.badBack, d.badBack},
		{"warn", l.warn, d.warn}, {"warn-back", l.warnBack, d.warnBack},
		{"danger", l.danger, d.danger}, {"danger-hover", l.dangerHover, d.dangerHover},
		{"mark", l.button.fill, d.button.fill}, {"mark-label", l.button.label, d.button.label},
	} {
		property(&b, p.name, p.light.String(), p.dark.String())
	}
	property(&b, "mark-outline", l.button.line(), d.button.line())
	buttons(&b, l.button, d.button)
	return inTokens(b.String())
}

// property writes one for day and night.
func property(b *strings.Builder, name, light, dark string) {
	if light == dark && !strings.HasSuffix(name, "-outline") {
		fmt.Fprintf(b, "  --%s: %s;\n", name, light)
		return
	}
	fmt.Fprintf(b, "  --%s: light-dark(%s, %s);\n", name, light, dark)
}

func buttons(b *strings.Builder, light, dark button) {
	property(b, "brand", light.fill.String(), dark.fill.String())
	property(b, "brand-label", light.label.String(), dark.label.String())
	property(b, "brand-hover", light.hover.String(), dark.hover.String())
	property(b, "brand-active", light.active.String(), dark.active.String())
	property(b, "brand-outline", light.line(), dark.line())
}

// buttonCSS returns the stylesheet of an application's colour: its buttons, and links and
// focus that go with them, where the host has not chosen others.
func (t *Theme) buttonCSS(fill Color) string {
	var b strings.Builder
	l, d := t.light, t.dark
	buttons(&b, newButton(fill, l.surface), newButton(fill, d.surface))
	property(&b, "link", t.given[0].or("Link", l.linkOf(fill)).String(), t.given[1].or("Link", d.linkOf(fill)).String())
	property(&b, "focus", t.given[0].or("Focus", l.focusOf(fill)).String(), t.given[1].or("Focus", d.focusOf(fill)).String())
	return inTokens(b.String())
}

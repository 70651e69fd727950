package ui

import (
	"fmt"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui/theme"
)

// mailLook is the theme as an e-mail can have it: each element has the colours of the day
// in it, and a stylesheet, for programs that read one, has those of the night.
type mailLook struct {
	light, dark theme.Colors
	radius      float64
	// schemes are what the mail is made for, and night the media query of the dark colours.
	schemes, night string
}

func (v MailView) look() mailLook {
	k := mailLook{radius: v.Theme.Radius(), schemes: "light dark", night: "(prefers-color-scheme: dark)"}
	k.light, k.dark = v.Theme.Colors()
	if s := v.Theme.Scheme(); s != SchemeAuto {
		k.schemes = string(s) // both palettes are the same
	}
	switch v.scheme {
	case SchemeLight:
		k.night = "not all"
	case SchemeDark:
		k.night = "all"
	}
	return k
}

func mailStyle(format string, args ...any) templ.Attributes {
	return templ.Attributes{"style": fmt.Sprintf(format, args...)}
}

func (k mailLook) page() templ.Attributes {
	return mailStyle("margin:0;padding:0;background:%s;color:%s;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Noto Sans,sans-serif", k.light.Page, k.light.Text)
}

func (k mailLook) logo() templ.Attributes {
	return mailStyle("vertical-align:middle;border-radius:%.4gpx", k.radius*2/3)
}

func (k mailLook) card() templ.Attributes {
	return mailStyle("padding:28px;background:%s;border:1px solid %s;border-radius:%.4gpx", k.light.Surface, k.light.Line, k.radius*5/3)
}

func (k mailLook) code() templ.Attributes {
	return mailStyle("display:block;margin:12px 0 0;padding:12px 16px;border-radius:%.4gpx;background:%s;font:600 28px/1.3 ui-monospace,Menlo,Consolas,monospace;letter-spacing:0.2em", k.radius, k.light.Sunken)
}

func (k mailLook) button() templ.Attributes {
	return mailStyle("display:inline-block;padding:12px 24px;border:1px solid %s;border-radius:%.4gpx;background:%s;color:%s;font-weight:600;text-decoration:none", k.light.ButtonOutline, k.radius, k.light.Button, k.light.ButtonLabel)
}

func (k mailLook) link() templ.Attributes { return mailStyle("color:%s", k.light.Link) }

// nightStyles are for programs that know the night.
func (k mailLook) nightStyles() string {
	d := k.dark
	return fmt.Sprintf(`<style>
@media %s {
  .page { background: %s !important; color: %s !important; }
  .card { background: %s !important; border-color: %s !important; }
  .code { background: %s !important; }
  .link { color: %s !important; }
  .button { background: %s !important; border-color: %s !important; color: %s !important; }
}
</style>
`, k.night, d.Page, d.Text, d.Surface, d.Line, d.Sunken, d.Link, d.Button, d.ButtonOutline, d.ButtonLabel)
}

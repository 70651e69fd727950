package developer

import (
	"fmt"
	"math"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/theme"
)

// heading names a preview, for those who cannot see it as well.
func (p Preview) heading(l *ui.Locale) string {
	t := textOf(l).Branding
	scheme := t.Light
	if p.Scheme == ui.SchemeDark {
		scheme = t.Dark
	}
	if p.RightToLeft {
		scheme = t.RightToLeft
	}
	screen := map[ui.PreviewScreen]ui.Message{ui.PreviewSignIn: t.SignIn, ui.PreviewConsent: t.Consent, ui.PreviewError: t.Error}
	return l.Plain(t.Screen, ui.With("screen", ui.Words(l.Plain(screen[p.Screen]))), ui.With("scheme", ui.Words(l.Plain(scheme))))
}

// texts returns what a picture is called, what is said about it and about removing it.
func (p Picture) texts(l *ui.Locale) (label, hint, remove string) {
	t := textOf(l).Branding
	switch p.Field {
	case FieldLogoDark:
		return l.Plain(t.LogoDark), l.Plain(t.LogoDarkHint), l.Plain(t.RemovePicture)
	case FieldWordmark:
		return l.Plain(t.Wordmark), l.Plain(t.WordmarkHint), l.Plain(t.RemovePicture)
	case FieldWordmarkDark:
		return l.Plain(t.WordmarkDark), l.Plain(t.WordmarkDarkHint), l.Plain(t.RemovePicture)
	default:
		return l.Plain(t.Logo), l.Plain(t.LogoHint), l.Plain(t.RemoveLogo)
	}
}

// picture is shown on the ground that it is made for, whatever the device is set to.
func (p Picture) picture() ui.Picture {
	plate := ui.PlateLight
	if p.Field == FieldLogoDark || p.Field == FieldWordmarkDark {
		plate = ui.PlateDark
	}
	return ui.Picture{URL: p.URL, Plate: plate, DarkPlate: plate}
}

// ratio writes a contrast as WCAG does, cut off and never rounded up: 2.999 is below 3.
func ratio(l *ui.Locale, r float64) ui.Words {
	hundredths := int(math.Floor(r*100 + 1e-9))
	return ui.Words(l.Plain(textOf(l).Branding.Ratio,
		ui.With("whole", hundredths/100), ui.With("part", ui.Words(fmt.Sprintf("%02d", hundredths%100)))))
}

// contrastText says whether the label of a button can be read.
func contrastText(l *ui.Locale, c theme.Contrast) string {
	t := textOf(l).Branding
	color, grade := t.White, t.GradeAA
	if c.LabelColor == "#000000" {
		color = t.Black
	}
	if c.Grade() == "AAA" {
		grade = t.GradeAAA
	}
	return l.Plain(color) + ", " + l.Plain(grade)
}

// edgeText says how a button is found.
func edgeText(l *ui.Locale, outlined, exchanged bool) string {
	t := textOf(l).Branding
	switch {
	case exchanged:
		return l.Plain(t.Exchanged)
	case outlined:
		return l.Plain(t.Outlined)
	default:
		return l.Plain(t.StandsOut)
	}
}

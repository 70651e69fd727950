package ui

import (
	"fmt"
	"math"

	"github.com/bonafide-id/bonafide/ui/theme"
)

// heading names a preview, for those who cannot see it as well.
func (p DeveloperPreview) heading(l *Locale) string {
	t := l.developer().Branding
	scheme := t.Light
	if p.Scheme == SchemeDark {
		scheme = t.Dark
	}
	if p.RightToLeft {
		scheme = t.RightToLeft
	}
	screen := map[PreviewScreen]message{PreviewSignIn: t.SignIn, PreviewConsent: t.Consent, PreviewError: t.Error}
	return l.plain(t.Screen, arg{"screen", words(l.plain(screen[p.Screen]))}, arg{"scheme", words(l.plain(scheme))})
}

// texts returns what a picture is called, what is said about it and about removing it.
func (p DeveloperPicture) texts(l *Locale) (label, hint, remove string) {
	t := l.developer().Branding
	switch p.Field {
	case FieldLogoDark:
		return l.plain(t.LogoDark), l.plain(t.LogoDarkHint), l.plain(t.RemovePicture)
	case FieldWordmark:
		return l.plain(t.Wordmark), l.plain(t.WordmarkHint), l.plain(t.RemovePicture)
	case FieldWordmarkDark:
		return l.plain(t.WordmarkDark), l.plain(t.WordmarkDarkHint), l.plain(t.RemovePicture)
	default:
		return l.plain(t.Logo), l.plain(t.LogoHint), l.plain(t.RemoveLogo)
	}
}

// picture is shown on the ground that it is made for, whatever the device is set to.
func (p DeveloperPicture) picture() Picture {
	plate := PlateLight
	if p.Field == FieldLogoDark || p.Field == FieldWordmarkDark {
		plate = PlateDark
	}
	return Picture{URL: p.URL, Plate: plate, DarkPlate: plate}
}

// ratio writes a contrast as WCAG does, cut off and never rounded up: 2.999 is below 3.
func (l *Locale) ratio(r float64) words {
	hundredths := int(math.Floor(r*100 + 1e-9))
	return words(l.plain(l.developer().Branding.Ratio,
		arg{"whole", hundredths / 100}, arg{"part", words(fmt.Sprintf("%02d", hundredths%100))}))
}

// contrastText says whether the label of a button can be read.
func contrastText(l *Locale, c theme.Contrast) string {
	t := l.developer().Branding
	color, grade := t.White, t.GradeAA
	if c.LabelColor == "#000000" {
		color = t.Black
	}
	if c.Grade() == "AAA" {
		grade = t.GradeAAA
	}
	return l.plain(color) + ", " + l.plain(grade)
}

// edgeText says how a button is found.
func edgeText(l *Locale, outlined, exchanged bool) string {
	t := l.developer().Branding
	switch {
	case exchanged:
		return l.plain(t.Exchanged)
	case outlined:
		return l.plain(t.Outlined)
	default:
		return l.plain(t.StandsOut)
	}
}

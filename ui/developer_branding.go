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
	screen := map[PreviewScreen]Message{PreviewSignIn: t.SignIn, PreviewConsent: t.Consent, PreviewError: t.Error}
	return l.Plain(t.Screen, With("screen", Words(l.Plain(screen[p.Screen]))), With("scheme", Words(l.Plain(scheme))))
}

// texts returns what a picture is called, what is said about it and about removing it.
func (p DeveloperPicture) texts(l *Locale) (label, hint, remove string) {
	t := l.developer().Branding
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
func (p DeveloperPicture) picture() Picture {
	plate := PlateLight
	if p.Field == FieldLogoDark || p.Field == FieldWordmarkDark {
		plate = PlateDark
	}
	return Picture{URL: p.URL, Plate: plate, DarkPlate: plate}
}

// ratio writes a contrast as WCAG does, cut off and never rounded up: 2.999 is below 3.
func (l *Locale) ratio(r float64) Words {
	hundredths := int(math.Floor(r*100 + 1e-9))
	return Words(l.Plain(l.developer().Branding.Ratio,
		With("whole", hundredths/100), With("part", Words(fmt.Sprintf("%02d", hundredths%100)))))
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
	return l.Plain(color) + ", " + l.Plain(grade)
}

// edgeText says how a button is found.
func edgeText(l *Locale, outlined, exchanged bool) string {
	t := l.developer().Branding
	switch {
	case exchanged:
		return l.Plain(t.Exchanged)
	case outlined:
		return l.Plain(t.Outlined)
	default:
		return l.Plain(t.StandsOut)
	}
}

package signin

import "github.com/bonafide-id/bonafide/ui"

// heading says what the page is about.
func (v FactorView) heading() ui.Message {
	if v.Again {
		return textOf(v.Locale).Factor.Again
	}
	return textOf(v.Locale).Factor.Heading
}

// with returns the form with the factor that it has.
func (v FactorView) with() ui.Form {
	f := v.Form
	f.Hidden = append(f.Hidden[:len(f.Hidden):len(f.Hidden)], ui.Field{Name: FieldWay, Value: string(v.Way)})
	return f
}

// hint says beside the title of a factor what it takes.
func (o FactorLink) hint(l *ui.Locale) string {
	if o.Way == FactorPassword {
		return ""
	}
	return l.Plain(textOf(l).Recovery.Ways[RecoveryWay(o.Way)].Hint)
}

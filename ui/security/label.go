package security

import (
	"cmp"

	"github.com/bonafide-id/bonafide/ui"
)

// deviceName names a browser.
func deviceName(l *ui.Locale, d Device) string {
	t := textOf(l).Common
	switch {
	case d.Browser != "" && d.System != "":
		return l.Plain(t.BrowserOnSystem, ui.With("browser", d.Browser), ui.With("system", d.System))
	case d.Browser != "" || d.System != "":
		return ui.Clean(d.Browser+d.System, ui.MaxName)
	default:
		return l.Plain(t.UnknownDevice)
	}
}

// with returns a form that posts another field.
func with(f ui.Form, name, value string) ui.Form {
	f.Hidden = append(f.Hidden[:len(f.Hidden):len(f.Hidden)], ui.Field{Name: name, Value: value})
	return f
}

func (v AppView) heading() ui.Message {
	if v.Replaces {
		return textOf(v.Locale).App.HeadingReplace
	}
	return textOf(v.Locale).App.Heading
}

func (v AppView) submit() ui.Message {
	if v.Replaces {
		return textOf(v.Locale).App.SubmitReplace
	}
	return textOf(v.Locale).App.Submit
}

func (v RemoveAppView) effects() []ui.Message {
	t := textOf(v.Locale).App
	effects := []ui.Message{t.RemoveCodes}
	if v.EndsStep {
		effects = append(effects, t.RemoveStep)
	}
	return append(effects, t.RemoveIn)
}

func (v EnrolView) heading() ui.Message {
	t := textOf(v.Locale).Enrol
	switch {
	case v.PasskeyURL+v.AppURL == "":
		return t.NothingLeft
	case v.TooNew:
		return t.TooNew
	default:
		return t.Heading
	}
}

// asker is who asks for more: the application, or the service.
func (v EnrolView) asker() string {
	return cmp.Or(ui.Clean(v.Client.Name, ui.MaxName), v.Client.Host, v.Brand.Name)
}

func (v EnrolView) lead() ui.Message {
	t := textOf(v.Locale).Enrol
	switch {
	case v.PasskeyURL+v.AppURL == "":
		return t.NothingLeftFor
	case v.TooNew:
		return t.TooNewText
	default:
		return t.Text
	}
}

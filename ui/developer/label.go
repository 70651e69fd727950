package developer

import (
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// heading names the page of an organization.
func (v OrganizationView) heading() string {
	t := textOf(v.locale()).Organization
	if v.New {
		return v.locale().Plain(t.CreateHeading)
	}
	return v.locale().Plain(t.Settings)
}

// roles are what an invited user may become.
func (v MembersView) roles() []ui.Option {
	l := v.locale()
	t := textOf(l).Members
	options := []ui.Option{
		{Value: string(RoleDeveloper), Label: roleLabel(l, RoleDeveloper), Text: l.Plain(t.DeveloperText)},
		{Value: string(RoleViewer), Label: roleLabel(l, RoleViewer), Text: l.Plain(t.ViewerText)},
		{Value: string(RoleOwner), Label: roleLabel(l, RoleOwner), Text: l.Plain(t.OwnerText)},
	}
	chosen := slices.IndexFunc(options, func(o ui.Option) bool { return o.Value == string(v.Role) })
	options[max(0, chosen)].Chosen = true
	return options
}

// roleLabel names a role.
func roleLabel(l *ui.Locale, r Role) string {
	t := textOf(l).Common
	switch r {
	case RoleOwner:
		return l.Plain(t.RoleOwner)
	case RoleDeveloper:
		return l.Plain(t.RoleDeveloper)
	default:
		return l.Plain(t.RoleViewer)
	}
}

// actLabel says what was done.
func actLabel(l *ui.Locale, act string) string {
	if m, ok := textOf(l).Activity.Acts[act]; ok {
		return l.Plain(m)
	}
	return ui.Clean(act, ui.MaxName)
}

// label is what a persona is called.
func (p Persona) label() ui.Label {
	if ui.Clean(p.Title.Text, ui.MaxValue) != "" {
		return p.Title
	}
	return ui.Label{Text: p.Name, Lang: ui.Undetermined}
}

// options are the faults, and none.
func (v FaultsView) options() []ui.Option {
	l := v.locale()
	t := textOf(l).Sandbox
	options := []ui.Option{{Label: l.Plain(t.FaultNone), Chosen: v.Fault == ""}}
	for _, name := range v.Faults {
		f := t.FaultNames[name]
		options = append(options, ui.Option{Value: name, Label: l.Plain(f.Name), Text: l.Plain(f.Text), Chosen: v.Fault == name})
	}
	return options
}

// span says how long a time is, in the unit that tells it best.
func span(l *ui.Locale, d time.Duration) string {
	t := textOf(l).Sandbox
	switch {
	case d < 2*time.Hour:
		return l.Plain(t.Minutes, ui.Count(int(d/time.Minute)))
	case d < 48*time.Hour:
		return l.Plain(t.Hours, ui.Count(int(d/time.Hour)))
	default:
		return l.Plain(t.Days, ui.Count(int(d/(24*time.Hour))))
	}
}

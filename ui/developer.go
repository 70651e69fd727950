package ui

import (
	"slices"
	"time"
)

// heading names the page of an organization.
func (v DeveloperOrganizationView) heading() string {
	t := v.locale().developer().Organization
	if v.New {
		return v.locale().Plain(t.CreateHeading)
	}
	return v.locale().Plain(t.Settings)
}

// roles are what an invited user may become.
func (v DeveloperMembersView) roles() []option {
	l := v.locale()
	t := l.developer().Members
	options := []option{
		{Value: string(DeveloperDeveloper), Label: roleLabel(l, DeveloperDeveloper), Text: l.Plain(t.DeveloperText)},
		{Value: string(DeveloperViewer), Label: roleLabel(l, DeveloperViewer), Text: l.Plain(t.ViewerText)},
		{Value: string(DeveloperOwner), Label: roleLabel(l, DeveloperOwner), Text: l.Plain(t.OwnerText)},
	}
	chosen := slices.IndexFunc(options, func(o option) bool { return o.Value == string(v.Role) })
	options[max(0, chosen)].Chosen = true
	return options
}

// roleLabel names a role.
func roleLabel(l *Locale, r DeveloperRole) string {
	t := l.developer().Common
	switch r {
	case DeveloperOwner:
		return l.Plain(t.RoleOwner)
	case DeveloperDeveloper:
		return l.Plain(t.RoleDeveloper)
	default:
		return l.Plain(t.RoleViewer)
	}
}

// actLabel says what was done.
func actLabel(l *Locale, act string) string {
	if m, ok := l.developer().Activity.Acts[act]; ok {
		return l.Plain(m)
	}
	return Clean(act, MaxName)
}

// label is what a persona is called.
func (p DeveloperPersona) label() Label {
	if Clean(p.Title.Text, MaxValue) != "" {
		return p.Title
	}
	return Label{Text: p.Name, Lang: Undetermined}
}

// options are the faults, and none.
func (v DeveloperFaultsView) options() []option {
	l := v.locale()
	t := l.developer().Sandbox
	options := []option{{Label: l.Plain(t.FaultNone), Chosen: v.Fault == ""}}
	for _, name := range v.Faults {
		f := t.FaultNames[name]
		options = append(options, option{Value: name, Label: l.Plain(f.Name), Text: l.Plain(f.Text), Chosen: v.Fault == name})
	}
	return options
}

// span says how long a time is, in the unit that tells it best.
func (l *Locale) span(d time.Duration) string {
	t := l.developer().Sandbox
	switch {
	case d < 2*time.Hour:
		return l.Plain(t.Minutes, Count(int(d/time.Minute)))
	case d < 48*time.Hour:
		return l.Plain(t.Hours, Count(int(d/time.Hour)))
	default:
		return l.Plain(t.Days, Count(int(d/(24*time.Hour))))
	}
}

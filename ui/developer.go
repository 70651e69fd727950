package ui

import "slices"

// heading names the page of an organization.
func (v DeveloperOrganizationView) heading() string {
	t := v.locale().text.Developer.Organization
	if v.New {
		return v.locale().plain(t.CreateHeading)
	}
	return v.locale().plain(t.Settings)
}

// roles are what an invited user may become.
func (v DeveloperMembersView) roles() []option {
	l := v.locale()
	t := l.text.Developer.Members
	options := []option{
		{Value: string(DeveloperDeveloper), Label: roleLabel(l, DeveloperDeveloper), Text: l.plain(t.DeveloperText)},
		{Value: string(DeveloperViewer), Label: roleLabel(l, DeveloperViewer), Text: l.plain(t.ViewerText)},
		{Value: string(DeveloperOwner), Label: roleLabel(l, DeveloperOwner), Text: l.plain(t.OwnerText)},
	}
	chosen := slices.IndexFunc(options, func(o option) bool { return o.Value == string(v.Role) })
	options[max(0, chosen)].Chosen = true
	return options
}

// roleLabel names a role.
func roleLabel(l *Locale, r DeveloperRole) string {
	t := l.text.Developer.Common
	switch r {
	case DeveloperOwner:
		return l.plain(t.RoleOwner)
	case DeveloperDeveloper:
		return l.plain(t.RoleDeveloper)
	default:
		return l.plain(t.RoleViewer)
	}
}

// actLabel says what was done.
func actLabel(l *Locale, act string) string {
	if m, ok := l.text.Developer.Activity.Acts[act]; ok {
		return l.plain(m)
	}
	return clean(act, maxName)
}

// label is what a persona is called.
func (p DeveloperPersona) label() string {
	if s := clean(p.Title, maxValue); s != "" {
		return s
	}
	return p.Name
}

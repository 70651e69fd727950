package sandbox

// year is in seconds.
const year = 365 * 24 * 60 * 60

// DefaultPersonas returns personas for the cases that applications come across. They fit
// the default catalogue.
func DefaultPersonas() []Persona {
	return []Persona{
		{Name: "new-user", Title: "Nora – new, belongs to no group", EmailVerified: true,
			Attributes: named("Nora", "Newcomer")},
		{Name: "active-duty", Title: "Daniel – verified, active duty", EmailVerified: true,
			Attributes: person("Daniel", "Reyes", "1996-05-17", "28307"), Statuses: member("military", "Active Duty")},
		{Name: "veteran", Title: "Maria – verified veteran", EmailVerified: true,
			Attributes: person("Maria", "Alvarez", "1979-11-02", "22030"), Statuses: member("military", "Veteran")},
		{Name: "military-spouse", Title: "Grace – verified military spouse", EmailVerified: true,
			Attributes: person("Grace", "Okafor", "1988-03-29", "92134"), Statuses: member("military", "Military Spouse")},
		{Name: "student", Title: "Leo – verified student", EmailVerified: true,
			Attributes: person("Leo", "Fischer", "2004-08-09", "02139"), Statuses: member("student", "University")},
		{Name: "student-expired", Title: "Emma – student, expired a month ago", EmailVerified: true,
			Attributes: person("Emma", "Larsen", "2001-01-23", "48109"),
			Statuses:   []Status{{Group: "student", Subgroups: []string{"University"}, Verified: true, ExpiresIn: -30 * 24 * 60 * 60}}},
		{Name: "firefighter", Title: "Sam – verified firefighter", EmailVerified: true,
			Attributes: person("Sam", "Whitfield", "1985-07-14", "60614"), Statuses: member("responder", "Firefighter")},
		{Name: "emt", Title: "Ines – verified EMT", EmailVerified: true,
			Attributes: person("Ines", "Moreau", "1992-12-05", "70118"), Statuses: member("responder", "EMT")},
		{Name: "multi-group", Title: "Jordan – veteran, nurse and student", EmailVerified: true,
			Attributes: person("Jordan", "Bell", "1983-04-30", "98105"),
			Statuses: append(append(member("military", "Veteran", "Military Family"), member("nurse", "Registered Nurse")...),
				member("student", "University")...)},
		{Name: "pending-review", Title: "Pat – under review, nothing verified yet", EmailVerified: true,
			Attributes: person("Pat", "Nowak", "1990-06-11", "10027"),
			Statuses:   []Status{{Group: "military", Subgroups: []string{"Veteran"}, Pending: true}}},
		{Name: "denies", Title: "Dana – does not allow it", EmailVerified: true, Consent: Deny,
			Attributes: person("Dana", "Cole", "1975-02-18", "30309"), Statuses: member("military", "Retiree")},
		{Name: "revoked", Title: "Rosa – status ends one minute after the sign-in", EmailVerified: true,
			Attributes: person("Rosa", "Lindqvist", "1994-10-21", "78705"),
			Statuses:   []Status{{Group: "military", Subgroups: []string{"Reserves"}, Verified: true, ExpiresIn: 60}}},
		{Name: "changes", Title: "Chris – in another subgroup at every second sign-in", EmailVerified: true,
			Attributes: person("Chris", "Tanaka", "1998-09-03", "96813"), Statuses: member("military", "Active Duty"),
			Next: &Change{Statuses: member("military", "Veteran")}},
		{Name: "locked", Title: "Lou – locked account", EmailVerified: true, Locked: true,
			Attributes: person("Lou", "Grant", "1969-12-31", "55403")},
		{Name: "unverified-email", Title: "Uma – e-mail address not verified",
			Attributes: person("Uma", "Patel", "1999-03-15", "94110"), Statuses: member("student", "University")},
		{Name: "rtl-name", Title: "Layla – name in Arabic", EmailVerified: true,
			Attributes: person("ليلى", "بنت عبد الرحمن الهاشمي", "1991-05-25", "48126"), Statuses: member("teacher", "K-12")},
		{Name: "long-name", Title: "Wolfeschlegel… – a very long name", EmailVerified: true,
			Attributes: person("Hubert Blaine Želmíra-Þórgunnur 紫式部 Nguyễn Thị 👩‍🚒",
				"Wolfeschlegelsteinhausenbergerdorff-O’Ṣóyínká y García-Õunapuu von und zu Ångström", "1980-02-29", "19103"),
			Statuses: member("government", "Federal")},
		{Name: "minimal", Title: "somebody without a name, only an e-mail address", EmailVerified: true},
	}
}

// member is a status that is verified for another year.
func member(group string, subgroups ...string) []Status {
	return []Status{{Group: group, Subgroups: subgroups, Verified: true, ExpiresIn: year}}
}

func named(first, last string) map[string]any {
	return map[string]any{"fname": first, "lname": last}
}

func person(first, last, born, zip string) map[string]any {
	values := named(first, last)
	values["birthdate"], values["zip"], values["country"] = born, zip, "US"
	return values
}

package catalogue

import "slices"

// DefaultScopes are the scopes of the default catalogue: identity, login, one for each of the
// default groups, and StandardScopes. A group's releases its status alone, and to applications of the
// V3 dialect name, address and postal code. They are in force while Config.Scopes is empty.
func DefaultScopes() []Scope {
	basic := []string{"uuid", "email", "fname", "lname"}
	scopes := []Scope{{
		Name: "identity", Title: "Your identity",
		Attributes: append(slices.Clone(basic), "phone", "street", "city", "state", "zip", "country", "birthdate", "age",
			"covid_vaccine_records", "previous_addresses"),
	}, {
		Name: "login", Title: "Your contact details",
		Attributes: append(slices.Clone(basic), "zip"),
	}}
	for _, g := range DefaultGroups() {
		scopes = append(scopes, Scope{
			Name: g.Name, Title: g.Title + " status",
			V3Attributes: append(slices.Clone(basic), "zip"), Groups: []string{g.Name},
		})
	}
	return append(scopes, StandardScopes()...)
}

// StandardScopes are the scopes that OpenID Connect libraries ask for (OpenID Connect Core
// section 5.4): profile, email, address and phone.
func StandardScopes() []Scope {
	return []Scope{
		{
			Name: "profile", Title: "Your profile",
			Attributes: []string{"name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile",
				"picture", "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"},
		},
		{
			Name: "email", Title: "Your email address",
			Attributes: []string{"email", "email_verified"},
		},
		{
			Name: "address", Title: "Your address",
			Attributes: []string{"address"},
		},
		{
			Name: "phone", Title: "Your phone number",
			Attributes: []string{"phone_number", "phone_number_verified"},
		},
	}
}

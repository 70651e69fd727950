package catalogue

import "slices"

// DefaultAttributes are the attributes that are always in the catalogue. They are released
// in this order, and those of the host behind them: fname, lname, email, uuid, zip, phone, street,
// city, state, country, birthdate, age, eid, covid_vaccine_records and previous_addresses, and
// the other claims of OpenID Connect Core section 5.1, such as picture.
func DefaultAttributes() []Attribute {
	return slices.Concat(
		[]Attribute{ // many clients greet by the first
			{Handle: "fname", Name: "First name"},
			{Handle: "lname", Name: "Last name"},
			{Handle: "email", Name: "Email"},
			{Handle: "uuid", Name: "Unique identifier"},
			{Handle: "zip", Name: "Postal code"},
			{Handle: "phone", Name: "Phone"},
			{Handle: "street", Name: "Street"},
			{Handle: "city", Name: "City"},
			{Handle: "state", Name: "State"},
			{Handle: "country", Name: "Country"},
			{Handle: "birthdate", Name: "Date of birth", Type: Date},
			{Handle: "age", Name: "Age", Type: Integer, From: []string{"birthdate"}},
			{Handle: "eid", Name: "External identifier"},
			{Handle: "covid_vaccine_records", Name: "COVID vaccine records", Type: Objects, Sensitive: true,
				Members:     []string{"brand", "date", "type"},
				MemberNames: map[string]string{"brand": "Vaccine", "date": "Date", "type": "Dose"}},
			{Handle: "previous_addresses", Name: "Previous addresses", Type: Objects, Sensitive: true,
				Members: []string{"normalized_street", "street1", "street2", "city", "state",
					"province", "zip", "country", "normalized", "primary"}},
		},
		standardAttributes(),
	)
}

// standardAttributes are the claims of OpenID Connect Core section 5.1 that have no handle
// above.
func standardAttributes() []Attribute {
	return []Attribute{
		{Handle: "name", Name: "Full name", From: []string{"fname", "lname"}},
		{Handle: "given_name", Name: "First name", SameAs: "fname"},
		{Handle: "family_name", Name: "Last name", SameAs: "lname"},
		{Handle: "middle_name", Name: "Middle name"},
		{Handle: "nickname", Name: "Nickname"},
		{Handle: "preferred_username", Name: "User name"},
		{Handle: "profile", Name: "Profile page"},
		{Handle: "picture", Name: "Picture"},
		{Handle: "website", Name: "Website"},
		{Handle: "gender", Name: "Gender"},
		{Handle: "zoneinfo", Name: "Time zone"},
		{Handle: "locale", Name: "Language"},
		{Handle: "updated_at", Name: "Last change", Type: Integer},
		{Handle: "email_verified", Name: "Email verified", Type: Boolean, Verifies: "email"},
		{Handle: "address", Name: "Address", Type: Object,
			Members: []string{"street_address", "locality", "region", "postal_code", "country", "formatted"},
			From:    []string{"street", "city", "state", "zip", "country"}},
		{Handle: "phone_number", Name: "Phone", SameAs: "phone"},
		{Handle: "phone_number_verified", Name: "Phone verified", Type: Boolean, Verifies: "phone"},
	}
}

// Package catalogue is the vocabulary of a provider: the scope values that applications
// ask for, the attributes of a person that they release, and the groups whose members
// can be verified.
//
// Consent screen, ID token, userinfo, attributes and discovery all read it, so that they
// cannot disagree. A host adds to it by Config.Attributes, and replaces the scopes and
// groups by Config.Scopes and Config.Groups:
//
//	Scopes: append(catalogue.DefaultScopes(), catalogue.Scope{
//		Name: "club", Title: "Your membership", Groups: []string{"members"},
//	})
//
// Package provider has the types under the same names, as in provider.Scope.
package catalogue

import "slices"

// Scope is a scope value: what an application asks for by one word, and what the user
// reads before allowing it.
type Scope struct {
	// Name is the scope value (RFC 6749 section 3.3).
	Name string `json:"name"`

	// Title and Description are shown on the consent screen, in the language of the
	// host.
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`

	// Attributes are the handles that the scope releases, Groups the names of the
	// groups whose status it releases.
	Attributes []string `json:"attributes,omitempty"`
	Groups     []string `json:"groups,omitempty"`
}

// AttributeType is the JSON type of an attribute's value. The empty one is String.
type AttributeType string

// The types of attributes.
const (
	// String is a JSON string.
	String AttributeType = "string"
	// Integer is a JSON number without fraction.
	Integer AttributeType = "integer"
	// Date is a JSON string of the form YYYY-MM-DD.
	Date AttributeType = "date"
	// Objects is a JSON array of objects with exactly the members that the
	// attribute names, all strings.
	Objects AttributeType = "objects"
)

// Attribute is one fact about a person that scopes can release.
type Attribute struct {
	// Handle is the machine name; clients index values by it.
	Handle string `json:"handle"`
	// Name is the label for people.
	Name string `json:"name,omitempty"`
	// Type defaults to String.
	Type AttributeType `json:"type,omitempty"`
	// Members are those of each object, for the type Objects.
	Members []string `json:"members,omitempty"`
}

// Group is a group of people whose members can be verified.
type Group struct {
	// Name is the machine name.
	Name string `json:"name"`
	// Title is the label for people.
	Title string `json:"title,omitempty"`
	// Subgroups are the parts that a member can belong to.
	Subgroups []string `json:"subgroups,omitempty"`
}

// DefaultAttributes are the attributes that are always in the catalogue.
func DefaultAttributes() []Attribute {
	return []Attribute{
		{Handle: "uuid", Name: "Unique identifier"},
		{Handle: "email", Name: "Email"},
		{Handle: "fname", Name: "First name"},
		{Handle: "lname", Name: "Last name"},
		{Handle: "phone", Name: "Phone"},
		{Handle: "street", Name: "Street"},
		{Handle: "city", Name: "City"},
		{Handle: "state", Name: "State"},
		{Handle: "zip", Name: "Postal code"},
		{Handle: "country", Name: "Country"},
		{Handle: "birthdate", Name: "Date of birth", Type: Date},
		{Handle: "age", Name: "Age", Type: Integer},
		{Handle: "eid", Name: "External identifier"},
		{Handle: "covid_vaccine_records", Name: "COVID vaccine records", Type: Objects,
			Members: []string{"brand", "date", "type"}},
		{Handle: "previous_addresses", Name: "Previous addresses", Type: Objects,
			Members: []string{"normalized_street", "street1", "street2", "city", "state",
				"province", "zip", "country", "normalized", "primary"}},
	}
}

// DefaultGroups are the groups of the default catalogue. They are in force while
// Config.Groups is empty.
func DefaultGroups() []Group {
	return []Group{
		{"military", "Military", []string{"Active Duty", "Guard", "Reserves", "Veteran", "Retiree",
			"Military Spouse", "Surviving Spouse", "Military Family"}},
		{"responder", "First responder", []string{"EMT", "Firefighter", "Police Officer", "911 Dispatcher"}},
		{"student", "Student", []string{"University", "High School"}},
		{"teacher", "Teacher", []string{"K-12", "University", "Staff"}},
		{"nurse", "Nurse", []string{"Registered Nurse", "Licensed Practical Nurse", "Nurse Practitioner"}},
		{"government", "Government employee", []string{"Federal", "State", "Local"}},
	}
}

// DefaultScopes are the scopes of the default catalogue: identity, and one for
// each of the default groups. They are in force while Config.Scopes is empty.
func DefaultScopes() []Scope {
	basic := []string{"uuid", "email", "fname", "lname"}
	scopes := []Scope{{
		Name: "identity", Title: "Your identity",
		Description: "Your name, address, date of birth and how to reach you.",
		Attributes: append(slices.Clone(basic), "phone", "street", "city", "state", "zip", "country", "birthdate", "age",
			"covid_vaccine_records", "previous_addresses"),
	}}
	for _, g := range DefaultGroups() {
		scopes = append(scopes, Scope{
			Name: g.Name, Title: g.Title + " status",
			Description: "Your name, email address, and whether you belong to this group.",
			Attributes:  append(slices.Clone(basic), "zip"),
			Groups:      []string{g.Name},
		})
	}
	return scopes
}

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
package catalogue

import "github.com/bonafide-id/bonafide/storage"

// Scope is a scope value: what an application asks for by one word, and what the user
// reads before allowing it.
type Scope struct {
	// Name is the scope value (RFC 6749 section 3.3), which may be an address: at most 255
	// printable ASCII characters without space, quotation mark and backslash.
	Name string `json:"name"`

	// Title and Description are shown where people choose among scopes, and by the consent screen
	// if the scope releases nothing. An empty Description of a scope that releases something
	// names all of it. Translations are by BCP 47 tag; the default catalogue has its own.
	Title        string                      `json:"title,omitempty"`
	Description  string                      `json:"description,omitempty"`
	Translations map[string]ScopeTranslation `json:"translations,omitempty"`

	// Attributes and Groups are what the scope releases: attributes by their handles, the status
	// in groups by their names.
	Attributes []string `json:"attributes,omitempty"`
	Groups     []string `json:"groups,omitempty"`

	// V3Attributes are further handles that it releases to applications of the V3 dialect.
	// Defaults to none.
	V3Attributes []string `json:"v3_attributes,omitempty"`

	// Requires is what the scope requires of the user's authentication, for tokens with it and
	// when its data is read.
	// Defaults to none.
	Requires storage.Requirement `json:"requires,omitzero"`

	// NoDevice keeps the scope from devices (RFC 8628): whoever can have a user enter a code
	// would get it.
	// Defaults to false.
	NoDevice bool `json:"no_device,omitempty"`
}

// ScopeTranslation is what a scope is called in one language. What is empty is not
// translated.
type ScopeTranslation struct {
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
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
	// Boolean is true or false.
	Boolean AttributeType = "boolean"
	// Strings is a JSON array of strings.
	Strings AttributeType = "strings"
	// Object is a JSON object with some of the members that the attribute names, all
	// strings that are not empty.
	Object AttributeType = "object"
	// Objects is a JSON array of objects with exactly the members that the
	// attribute names, all strings.
	Objects AttributeType = "objects"
)

// Attribute is one fact about a person that scopes can release, or one that follows from
// others: then SameAs, From or Verifies says from which, and consent is to those.
type Attribute struct {
	// Handle is the machine name; clients index values by it.
	Handle string `json:"handle"`
	// Name is the label for people, Translations those by BCP 47 tag; the default catalogue has
	// its own.
	Name         string            `json:"name,omitempty"`
	Translations map[string]string `json:"translations,omitempty"`
	// Type is that of its values.
	// Defaults to String, or with SameAs that of the other.
	Type AttributeType `json:"type,omitempty"`
	// Members are those of each object, for the types Object and Objects.
	Members []string `json:"members,omitempty"`
	// MemberNames are the labels of members. One without is its value alone, as in an address.
	// Defaults to none.
	MemberNames map[string]string `json:"member_names,omitempty"`

	// Sensitive has the consent screen show the attribute apart, with a caution, as health data.
	// Defaults to false.
	Sensitive bool `json:"sensitive,omitempty"`

	// Findable has the desk find a user by the exact value, such as a customer number; no name,
	// and nothing with few values: a keyed digest in the database tells who has the same.
	// Letter case, spaces and the signs -./() make no difference, and only a String or an
	// Integer can be it. A value that was recorded before is found once Run has looked at it.
	// Defaults to false.
	Findable bool `json:"findable,omitempty"`

	// SameAs is the handle of the attribute that this is another name of. What is
	// recorded under one name is released under both.
	// Defaults to none.
	SameAs string `json:"same_as,omitempty"`

	// From are the handles of the attributes that the value is made of while none is
	// recorded. A String has the texts of those that have one, with a space between; an
	// Object has them as its first members, in their order, and its member formatted is
	// then made of the others, as on a letter. Only age is an Integer, of the years since a
	// Date.
	// Defaults to none.
	From []string `json:"from,omitempty"`

	// Verifies is the handle of the attribute that this Boolean says to be verified, or
	// not: false unless it is recorded. It is released beside that one only, and
	// forgotten when another value of it is recorded.
	// Defaults to none.
	Verifies string `json:"verifies,omitempty"`
}

// Group is a group of people whose members can be verified.
type Group struct {
	// Name is the machine name.
	Name string `json:"name"`
	// Title is the label for people.
	Title string `json:"title,omitempty"`
	// Subgroups are the parts that a member can belong to.
	Subgroups []string `json:"subgroups,omitempty"`
	// Translations are by BCP 47 tag; the default catalogue has its own.
	Translations map[string]GroupTranslation `json:"translations,omitempty"`
}

// GroupTranslation is what a group and its subgroups, by their names, are called in one
// language. What is empty is not translated.
type GroupTranslation struct {
	// Title is the label for people.
	Title string `json:"title,omitempty"`
	// Phrase names the status of a member as it follows "receives": "your club membership".
	// Defaults to one made of the title: your “Club” status.
	Phrase string `json:"phrase,omitempty"`
	// Subgroups are the labels of the parts, by their names.
	Subgroups map[string]string `json:"subgroups,omitempty"`
}

// DefaultGroups are the groups of the default catalogue. They are in force while
// Config.Groups is empty.
func DefaultGroups() []Group {
	return []Group{
		{Name: "military", Title: "Military", Subgroups: []string{"Active Duty", "Guard", "Reserves", "Veteran", "Retiree",
			"Military Spouse", "Surviving Spouse", "Military Family"}},
		{Name: "responder", Title: "First responder", Subgroups: []string{"EMT", "Firefighter", "Police Officer", "911 Dispatcher"}},
		{Name: "student", Title: "Student", Subgroups: []string{"University", "High School"}},
		{Name: "teacher", Title: "Teacher", Subgroups: []string{"K-12", "University", "Staff"}},
		{Name: "nurse", Title: "Nurse", Subgroups: []string{"Registered Nurse", "Licensed Practical Nurse", "Nurse Practitioner"}},
		{Name: "government", Title: "Government employee", Subgroups: []string{"Federal", "State", "Local"}},
	}
}

package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Scope is a scope value: what an application asks for by one word, and what the
// user reads before allowing it. Consent screen, ID token, userinfo, attributes
// and discovery all read it from here.
type Scope struct {
	// Name is the scope value (RFC 6749 section 3.3).
	Name string

	// Title and Description are shown on the consent screen, in the language of
	// the host.
	Title       string
	Description string

	// Attributes are the handles that the scope releases, Groups the names of
	// the groups whose status it releases.
	Attributes []string
	Groups     []string
}

// AttributeType is the JSON type of an attribute's value.
type AttributeType int

// The types of attributes.
const (
	// String is a JSON string.
	String AttributeType = iota
	// Integer is a JSON number without fraction.
	Integer
	// Date is a JSON string of the form YYYY-MM-DD.
	Date
	// Records is a JSON array of objects with exactly the members that the
	// attribute names, all strings.
	Records
)

// Attribute is one fact about a person that scopes can release.
type Attribute struct {
	// Handle is the machine name; clients index values by it.
	Handle string
	// Name is the label for people.
	Name string
	Type AttributeType
	// Members are those of each record, for the type Records.
	Members []string
}

// Group is a group of people whose members can be verified.
type Group struct {
	// Name is the machine name.
	Name string
	// Title is the label for people.
	Title string
	// Subgroups are the parts that a member can belong to.
	Subgroups []string
}

// DefaultAttributes are the attributes of the contract. They are always in the
// catalogue.
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
		{Handle: "covid_vaccine_records", Name: "COVID vaccine records", Type: Records,
			Members: []string{"brand", "date", "type"}},
		{Handle: "previous_addresses", Name: "Previous addresses", Type: Records,
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

// catalogue is the vocabulary of one provider, indexed.
type catalogue struct {
	scopes     []Scope
	attributes map[string]Attribute
	groups     map[string]Group
}

// reservedClaims are members of the ID token that the protocol gives a meaning; no
// attribute may take one.
var reservedClaims = []string{
	"iss", "sub", "aud", "exp", "iat", "nbf", "jti", "auth_time", "nonce", "acr", "amr", "azp",
	"at_hash", "c_hash", "s_hash", "status", "email_verified",
}

func newCatalogue(scopes []Scope, attributes []Attribute, groups []Group) (*catalogue, error) {
	c := &catalogue{attributes: map[string]Attribute{}, groups: map[string]Group{}}
	for i, a := range append(DefaultAttributes(), attributes...) {
		field := "Attributes[" + strconv.Itoa(i-len(DefaultAttributes())) + "]"
		if err := c.addAttribute(a); err != nil {
			return nil, fmt.Errorf("%s: %w", field, err)
		}
	}
	if len(groups) == 0 {
		groups = DefaultGroups()
	}
	for i, g := range groups {
		if _, ok := c.groups[g.Name]; ok || !isName(g.Name) {
			return nil, fmt.Errorf("Groups[%d].Name: %q is repeated or not a name", i, g.Name)
		}
		c.groups[g.Name] = g
	}
	if len(scopes) == 0 {
		scopes = DefaultScopes()
	}
	for i, s := range scopes {
		if err := c.addScope(s); err != nil {
			return nil, fmt.Errorf("Scopes[%d]%w", i, err)
		}
	}
	return c, nil
}

func (c *catalogue) addAttribute(a Attribute) error {
	switch _, exists := c.attributes[a.Handle]; {
	case exists || !isName(a.Handle):
		return fmt.Errorf("handle %q is repeated or not a name", a.Handle)
	case slices.Contains(reservedClaims, a.Handle):
		return fmt.Errorf("handle %q is a claim of the protocol", a.Handle)
	case (a.Type == Records) != (len(a.Members) > 0):
		return fmt.Errorf("attribute %q: members and the type Records go together", a.Handle)
	}
	c.attributes[a.Handle] = a
	return nil
}

func (c *catalogue) addScope(s Scope) error {
	if !isName(s.Name) || isProtocolScope(s.Name) || c.scope(s.Name) != nil {
		return fmt.Errorf(".Name: %q is repeated, reserved or not a scope value", s.Name)
	}
	for _, handle := range s.Attributes {
		if _, ok := c.attributes[handle]; !ok {
			return fmt.Errorf(".Attributes: unknown attribute %q", handle)
		}
	}
	for _, group := range s.Groups {
		if _, ok := c.groups[group]; !ok {
			return fmt.Errorf(".Groups: unknown group %q", group)
		}
	}
	c.scopes = append(c.scopes, s)
	return nil
}

// scope returns the scope with this name, or nil.
func (c *catalogue) scope(name string) *Scope {
	for i := range c.scopes {
		if c.scopes[i].Name == name {
			return &c.scopes[i]
		}
	}
	return nil
}

// isProtocolScope reports whether a scope value is defined by OpenID Connect. They
// release nothing.
func isProtocolScope(name string) bool { return name == scopeOpenID || name == scopeOfflineAccess }

const (
	scopeOpenID        = "openid"
	scopeOfflineAccess = "offline_access"
)

// known reports whether a scope value can be asked for.
func (c *catalogue) known(name string) bool { return isProtocolScope(name) || c.scope(name) != nil }

// release returns the handles and groups that scopes release, each once, in order
// of the catalogue.
func (c *catalogue) release(scopes []string) (handles, groups []string) {
	for _, name := range scopes {
		if s := c.scope(name); s != nil {
			handles, groups = union(handles, s.Attributes), union(groups, s.Groups)
		}
	}
	return handles, groups
}

// union adds to a, which has nothing twice, what is only in b.
func union(a, b []string) []string {
	a = slices.Grow(a, len(b))
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

func isName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-', r == '.', r == ':':
		default:
			return false
		}
	}
	return true
}

// encode returns the JSON of a value, in the exact shape of its attribute.
func (a Attribute) encode(value any) (json.RawMessage, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	switch a.Type {
	case Integer:
		var n int64
		err = json.Unmarshal(raw, &n)
	case Records:
		return a.encodeRecords(raw)
	case Date:
		var s string
		if err = json.Unmarshal(raw, &s); err == nil {
			_, err = time.Parse(time.DateOnly, s)
		}
	default:
		var s string
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return nil, errors.New("the value does not have the attribute's type")
	}
	return raw, nil
}

// encodeRecords gives every record exactly the members of the attribute; those that
// are missing become empty strings.
func (a Attribute) encodeRecords(raw json.RawMessage) (json.RawMessage, error) {
	var records []map[string]string
	if err := json.Unmarshal(raw, &records); err != nil {
		return nil, errors.New("the value is not a list of records of strings")
	}
	out := make([]map[string]string, len(records))
	for i, record := range records {
		out[i] = make(map[string]string, len(a.Members))
		for _, member := range a.Members {
			out[i][member] = record[member]
			delete(record, member)
		}
		for unknown := range record {
			return nil, fmt.Errorf("record %d has an unknown member %q", i, unknown)
		}
	}
	return json.Marshal(out)
}

package claims

import (
	"fmt"
	"slices"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/field"
)

// Catalogue is the vocabulary of one provider, indexed.
type Catalogue struct {
	// Scopes are in the order of the host.
	Scopes []catalogue.Scope

	// Attributes begin with the default ones; Groups are in the order of the host.
	Attributes []catalogue.Attribute
	Groups     []catalogue.Group

	attributes map[string]catalogue.Attribute
	groups     map[string]catalogue.Group

	// names are the other names of an attribute, verifiers the attribute that reports
	// whether it is verified; both by handle.
	names     map[string][]string
	verifiers map[string]string

	// credentials are the scopes of wallets.
	credentials []string

	// demanding reports that a scope requires something of the authentication.
	demanding bool
}

// The scope values that OpenID Connect defines. They release nothing.
const (
	OpenID        = "openid"
	OfflineAccess = "offline_access"
)

// IsProtocolScope reports whether OpenID Connect defines a scope value.
func IsProtocolScope(name string) bool { return name == OpenID || name == OfflineAccess }

// reserved are the claims of the protocol. No attribute may have the name of one.
var reserved = []string{
	"iss", "sub", "aud", "exp", "iat", "nbf", "jti", "auth_time", "nonce", "acr", "amr", "azp", "sid",
	"at_hash", "c_hash", "s_hash", "status",
}

// NewCatalogue returns the catalogue of these scopes, attributes beside the default ones,
// and groups. An invalid field of Config is a *field.Error.
func NewCatalogue(scopes []catalogue.Scope, attributes []catalogue.Attribute, groups []catalogue.Group) (*Catalogue, error) {
	c := &Catalogue{
		attributes: map[string]catalogue.Attribute{}, groups: map[string]catalogue.Group{},
		names: map[string][]string{}, verifiers: map[string]string{},
	}
	defaults := catalogue.DefaultAttributes()
	for i, a := range append(defaults, attributes...) {
		if err := c.addAttribute(a); err != nil {
			return nil, within("Attributes", i-len(defaults), err)
		}
	}
	if len(groups) == 0 {
		groups = catalogue.DefaultGroups()
	}
	for i, g := range groups {
		if _, ok := c.groups[g.Name]; ok || !IsName(g.Name) {
			return nil, within("Groups", i, field.Errorf("Name", "%q is repeated or not a name", g.Name))
		}
		if err := checkGroupTranslations(g); err != nil {
			return nil, within("Groups", i, err)
		}
		c.groups[g.Name] = g
		c.Groups = append(c.Groups, g)
	}
	if len(scopes) == 0 {
		scopes = catalogue.DefaultScopes()
	}
	for i, s := range scopes {
		if err := c.addScope(s); err != nil {
			return nil, within("Scopes", i, err)
		}
	}
	return c, nil
}

// within returns the error of a field in an element of a list.
func within(list string, i int, err *field.Error) error {
	return &field.Error{Field: fmt.Sprintf("%s[%d].%s", list, i, err.Field), Err: err.Err}
}

func (c *Catalogue) addAttribute(a catalogue.Attribute) *field.Error {
	switch _, exists := c.attributes[a.Handle]; {
	case exists || !IsName(a.Handle):
		return field.Errorf("Handle", "%q is repeated or not a name", a.Handle)
	case slices.Contains(reserved, a.Handle):
		return field.Errorf("Handle", "%q is a claim of the protocol", a.Handle)
	}
	a, err := c.related(a)
	if err != nil {
		return err
	}
	switch a.Type {
	case "":
		a.Type = catalogue.String
	case catalogue.String, catalogue.Integer, catalogue.Date, catalogue.Boolean, catalogue.Strings, catalogue.Object, catalogue.Objects:
	default:
		return field.Errorf("Type", "%q of attribute %q is none of string, integer, date, boolean, strings, object and objects", a.Type, a.Handle)
	}
	if err := checkTranslations(a.Translations); err != nil {
		return err
	}
	if (a.Type == catalogue.Objects || a.Type == catalogue.Object) != (len(a.Members) > 0) {
		return field.Errorf("Members", "of attribute %q: members and the types object and objects go together", a.Handle)
	}
	if err := checkFindable(a); err != nil {
		return err
	}
	for member := range a.MemberNames {
		if !slices.Contains(a.Members, member) {
			return field.Errorf("MemberNames", "of attribute %q: %q is not one of its members", a.Handle, member)
		}
	}
	if a.SameAs != "" {
		c.names[a.SameAs] = append(c.names[a.SameAs], a.Handle)
	}
	if a.Verifies != "" {
		c.verifiers[a.Verifies] = a.Handle
	}
	c.attributes[a.Handle] = a
	c.Attributes = append(c.Attributes, a)
	return nil
}

func (c *Catalogue) addScope(s catalogue.Scope) *field.Error {
	if !IsScope(s.Name) || IsProtocolScope(s.Name) || c.Scope(s.Name) != nil {
		return field.Errorf("Name", "%q is repeated, reserved or not a scope value", s.Name)
	}
	for _, handle := range slices.Concat(s.Attributes, s.V3Attributes) {
		if _, ok := c.attributes[handle]; !ok {
			return field.Errorf("Attributes", "unknown attribute %q", handle)
		}
	}
	for _, group := range s.Groups {
		if _, ok := c.groups[group]; !ok {
			return field.Errorf("Groups", "unknown group %q", group)
		}
	}
	if err := checkTranslations(s.Translations); err != nil {
		return err
	}
	if !s.Requires.IsZero() {
		if err := checkRequirement(s.Requires); err != nil {
			return err
		}
		c.demanding = true
	}
	c.Scopes = append(c.Scopes, s)
	return nil
}

// Scope returns the scope with this name, or nil.
func (c *Catalogue) Scope(name string) *catalogue.Scope {
	for i := range c.Scopes {
		if c.Scopes[i].Name == name {
			return &c.Scopes[i]
		}
	}
	return nil
}

// Attribute returns the attribute with this handle.
func (c *Catalogue) Attribute(handle string) (catalogue.Attribute, bool) {
	a, ok := c.attributes[handle]
	return a, ok
}

// Group returns the group with this name.
func (c *Catalogue) Group(name string) (catalogue.Group, bool) {
	g, ok := c.groups[name]
	return g, ok
}

// Known reports whether a scope value can be requested.
func (c *Catalogue) Known(name string) bool { return IsProtocolScope(name) || c.Scope(name) != nil }

// Release returns the handles and groups that scopes release to any application, each once:
// handles in the order of the attributes, groups in that of the scopes.
func (c *Catalogue) Release(scopes []string) (handles, groups []string) {
	return c.releaseTo(true, scopes)
}

// releaseTo is Release for applications that get V3Attributes, or that do not.
func (c *Catalogue) releaseTo(v3 bool, scopes []string) (handles, groups []string) {
	for _, name := range scopes {
		if s := c.Scope(name); s != nil {
			handles, groups = Union(handles, s.Attributes), Union(groups, s.Groups)
			if v3 {
				handles = Union(handles, s.V3Attributes)
			}
		}
	}
	return c.inOrder(handles), groups
}

// inOrder returns handles in the order of the attributes, without those that are none.
func (c *Catalogue) inOrder(handles []string) []string {
	if len(handles) == 0 {
		return handles
	}
	if _, ok := c.attributes[handles[0]]; ok && len(handles) == 1 {
		return handles
	}
	ordered := make([]string, 0, len(handles))
	for _, a := range c.Attributes {
		if slices.Contains(handles, a.Handle) {
			ordered = append(ordered, a.Handle)
		}
	}
	return ordered
}

// Union returns a, whose values are distinct, with the values that only b has. It may
// append to a.
func Union(a, b []string) []string {
	if Covers(a, b) {
		return a
	}
	a = slices.Grow(a, len(b))
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// Covers reports whether a set has every value of another.
func Covers(set, subset []string) bool {
	return !slices.ContainsFunc(subset, func(v string) bool { return !slices.Contains(set, v) })
}

// Without returns the values of a list that another lacks.
func Without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(v string) bool { return slices.Contains(other, v) })
}

// Intersection returns the allowed values of a list, in its order.
func Intersection(list, allowed []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(v string) bool { return !slices.Contains(allowed, v) })
}

// IsName reports whether a text can name a client, an attribute or a group: 1 to 64
// letters, digits, or -_.:
func IsName(s string) bool {
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

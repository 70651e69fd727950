package provider

import "github.com/bonafide-id/bonafide/provider/catalogue"

// The vocabulary is that of package catalogue.
type (
	// Scope is a scope value, which requests its attributes and groups.
	Scope = catalogue.Scope
	// Attribute is a user attribute that scopes can release.
	Attribute = catalogue.Attribute
	// AttributeType is the JSON type of an attribute's value.
	AttributeType = catalogue.AttributeType
	// ScopeTranslation is the text of a scope in another language.
	ScopeTranslation = catalogue.ScopeTranslation
	// GroupTranslation is the text of a group in another language.
	GroupTranslation = catalogue.GroupTranslation
	// Group is a group of people in which membership can be verified.
	Group = catalogue.Group
)

// The types of attributes.
const (
	String  = catalogue.String
	Integer = catalogue.Integer
	Date    = catalogue.Date
	Boolean = catalogue.Boolean
	Strings = catalogue.Strings
	Object  = catalogue.Object
	Objects = catalogue.Objects
)

// DefaultScopes are the scopes in force while Config.Scopes is empty.
func DefaultScopes() []Scope { return catalogue.DefaultScopes() }

// StandardScopes are the scopes of OpenID Connect Core section 5.4: profile, email, address
// and phone. DefaultScopes include them.
func StandardScopes() []Scope { return catalogue.StandardScopes() }

// DefaultGroups are the groups in force while Config.Groups is empty.
func DefaultGroups() []Group { return catalogue.DefaultGroups() }

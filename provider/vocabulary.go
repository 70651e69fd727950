package provider

import "github.com/bonafide-id/bonafide/provider/catalogue"

// The vocabulary is that of package catalogue.
type (
	// Scope is a scope value: what an application asks for by one word.
	Scope = catalogue.Scope
	// Attribute is one fact about a person that scopes can release.
	Attribute = catalogue.Attribute
	// AttributeType is the JSON type of an attribute's value.
	AttributeType = catalogue.AttributeType
	// ScopeTranslation is what a scope is called in another language.
	ScopeTranslation = catalogue.ScopeTranslation
	// GroupTranslation is what a group is called in another language.
	GroupTranslation = catalogue.GroupTranslation
	// Group is a group of people whose members can be verified.
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

// DefaultScopes are the scopes that are in force while Config.Scopes is empty.
func DefaultScopes() []Scope { return catalogue.DefaultScopes() }

// StandardScopes are those that OpenID Connect libraries ask for: profile, email, address
// and phone. They are among DefaultScopes.
func StandardScopes() []Scope { return catalogue.StandardScopes() }

// DefaultGroups are the groups that are in force while Config.Groups is empty.
func DefaultGroups() []Group { return catalogue.DefaultGroups() }

package reference

import (
	"fmt"
	"strings"
)

// Change is one difference between the example of an endpoint and a request that gets an
// error.
type Change struct {
	Kind        ChangeKind
	Name, Value string
	Length      int
}

// ChangeKind is what a change does.
type ChangeKind int

// The kinds of changes.
const (
	Set       ChangeKind = iota // the parameter Name has the Value
	Remove                      // there is no parameter Name
	Repeat                      // the parameter Name is sent once more
	Lengthen                    // the parameter Name has Length bytes
	Crowd                       // there are Length more parameters
	SetHeader                   // the header Name has the Value; without Value there is none
	AddQuery                    // the address has Name=Value in its query
	SetBody                     // the body is Value, of the media type Name
	SetMethod                   // the method is Value
)

func with(name, value string) Change { return Change{Kind: Set, Name: name, Value: value} }
func without(name string) Change     { return Change{Kind: Remove, Name: name} }
func twice(name string) Change       { return Change{Kind: Repeat, Name: name} }
func long(name string, n int) Change { return Change{Kind: Lengthen, Name: name, Length: n} }
func crowd(n int) Change             { return Change{Kind: Crowd, Length: n} }
func header(authorization string) Change {
	return Change{Kind: SetHeader, Name: "Authorization", Value: authorization}
}

func query(name, value string) Change { return Change{Kind: AddQuery, Name: name, Value: value} }
func body(media, text string) Change  { return Change{Kind: SetBody, Name: media, Value: text} }
func method(name string) Change       { return Change{Kind: SetMethod, Value: name} }

// String says what the change is, in the notation of the texts.
func (c Change) String() string {
	switch c.Kind {
	case Set:
		return fmt.Sprintf("`%s=%s`", c.Name, strings.ReplaceAll(c.Value, "\t", "%09"))
	case Remove:
		return fmt.Sprintf("no `%s`", c.Name)
	case Repeat:
		return fmt.Sprintf("`%s` twice", c.Name)
	case Lengthen:
		return fmt.Sprintf("`%s` of %d bytes", c.Name, c.Length)
	case Crowd:
		return fmt.Sprintf("%d more parameters", c.Length)
	case SetHeader:
		if c.Value == "" {
			return fmt.Sprintf("no header `%s`", c.Name)
		}
		return fmt.Sprintf("the header `%s: %s`", c.Name, c.Value)
	case AddQuery:
		return fmt.Sprintf("`?%s=%s`", c.Name, c.Value)
	case SetBody:
		if c.Length > 0 {
			return fmt.Sprintf("a body of %d bytes", c.Length)
		}
		return fmt.Sprintf("a body `%s` of type `%s`", c.Value, c.Name)
	default:
		return fmt.Sprintf("the method `%s`", c.Value)
	}
}

// describe joins changes into one text.
func describe(changes []Change) string {
	parts := make([]string, len(changes))
	for i, c := range changes {
		parts[i] = c.String()
	}
	return strings.Join(parts, ", ")
}

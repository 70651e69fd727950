package claims

// maxScope is how long a scope value may be: a request has room for several.
const maxScope = 255

// IsScope reports whether a text can be a scope value (RFC 6749 section 3.3), such as an
// address: 1 to 255 printable ASCII characters without space, quotation mark and
// backslash.
func IsScope(s string) bool {
	if s == "" || len(s) > maxScope {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// ScopeValues returns the scope values of the catalogue, in its order.
func (c *Catalogue) ScopeValues() []string {
	values := make([]string, len(c.Scopes))
	for i, s := range c.Scopes {
		values[i] = s.Name
	}
	return values
}

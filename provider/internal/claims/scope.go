package claims

// maxScope is the maximum length of a scope value in bytes: a request has room for several.
const maxScope = 255

// IsScope reports whether a text can be a scope value (RFC 6749 section 3.3): 1 to 255
// printable ASCII characters except space, quotation mark and backslash.
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

package clientkeys

import "github.com/go-jose/go-jose/v3/json"

// Decode decodes JSON that a program has sent. It refuses a repeated name and matches the exact
// spelling, so that no other program reads another value.
func Decode(raw []byte, into any) error { return json.Unmarshal(raw, into) }

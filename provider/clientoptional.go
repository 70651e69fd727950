package provider

import (
	"errors"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
)

// checkOptional returns a check that is called with each optional scope in turn.
func (c Client) checkOptional(known *claims.Catalogue) func(string) error {
	var seen []string
	return func(scope string) error {
		_, groups := known.Asks([]string{scope})
		switch {
		case slices.Contains(seen, scope):
			return errors.New("is there twice")
		case scope == protocol.ScopeOpenID:
			return errors.New("is what a sign-in needs")
		case !known.Known(scope):
			return errors.New("is not a scope of the catalogue")
		case len(c.Scopes) > 0 && !slices.Contains(c.Scopes, scope):
			return errors.New("is none of Scopes")
		case c.RequireVerified && len(groups) > 0:
			return errors.New("has groups, which RequireVerified demands")
		}
		seen = append(seen, scope)
		return nil
	}
}
